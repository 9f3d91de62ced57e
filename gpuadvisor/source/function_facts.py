"""The facts of the lines of one function, kept as long as its records are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpuadvisor.source.call_names import SLOW_FUNCTIONS
from gpuadvisor.source.fact_choice import pick_access, stride_number
from gpuadvisor.source.layout import is_half
from gpuadvisor.source.records import (
    Access,
    Atomic,
    Barrier,
    Chain,
    Division,
    DoubleUse,
    FunctionRecords,
    Guard,
    MathCall,
)
from gpuadvisor.source.text import LineIndex, one_line

Record = Access | Atomic | Barrier | Chain | Division | DoubleUse | Guard | MathCall
MAX_GUARDED_LINES = 2000


@dataclass(frozen=True)
class LineFacts:
    """The facts of one line; see the columns' names in `facts_table` (with `src_` before).

    load_*, store_*: the worst global load and store of the line. `stride` in elements (0 all
    lanes the same address, 1 neighbours; None unknown or symbolic), `stride_text` the same as
    text (also `height`), `sectors_ratio` sectors over ideal for a full warp, `bytes` the width
    of one lane's access, `element` the indexed type. struct, struct_bytes, member: an access to
    a member of an array of structs (member empty: the whole struct). index_array: the array an
    index was loaded from; run_array: the array that says where each lane's own run starts.
    shared_ways: conflict factor of the worst shared access, 1 for none; shared_line: where the
    array is declared. local_subscript: constant, loop or runtime.
    double_literals: unsuffixed literals among float operands that are no floats without loss.
    double_operands: double data is used. math: slow float functions, double_math: double ones.
    divisions: integer divisions and modulos by a run-time value. atomic_lanes: uniform, few,
    spread, data, unknown. guard_threads: of 1024 threads of a block, how many run the line.
    """

    function: str = ""
    loop_depth: int = 0
    load_base: str = ""
    load_stride: float | None = None
    load_stride_text: str = ""
    load_sectors_ratio: float | None = None
    load_element: str = ""
    load_bytes: int | None = None
    load_text: str = ""
    load_offset_bytes: int | None = None
    load_shift: str = ""
    store_base: str = ""
    store_stride: float | None = None
    store_stride_text: str = ""
    store_sectors_ratio: float | None = None
    store_element: str = ""
    store_bytes: int | None = None
    store_text: str = ""
    store_offset_bytes: int | None = None
    store_shift: str = ""
    struct: str = ""
    struct_bytes: int | None = None
    member: str = ""
    index_array: str = ""
    run_array: str = ""
    shared_base: str = ""
    shared_text: str = ""
    shared_ways: int | None = None
    shared_line: int | None = None
    shared_declaration: str = ""
    local_base: str = ""
    local_text: str = ""
    local_subscript: str = ""
    local_bytes: int | None = None
    local_line: int | None = None
    double_literals: int = 0
    double_literal_text: str = ""
    double_operands: bool = False
    double_math: str = ""
    math: str = ""
    pow_exponent: int | None = None
    divisions: int = 0
    division_text: str = ""
    division_bits: int | None = None
    constant_divisions: int = 0
    atomic: str = ""
    atomic_target: str = ""
    atomic_space: str = ""
    atomic_lanes: str = ""
    atomic_addresses: int | None = None
    atomic_per_block: bool = False
    atomic_per_grid: bool = False
    guard_text: str = ""
    guard_threads: int | None = None
    guard_splits: bool = False
    guard_line: int | None = None
    guard_condition: bool = False
    barrier: str = ""
    barrier_divergent: bool = False
    barrier_bounds: bool = False
    chain_array: str = ""
    half: bool = False


def function_facts(
    name: str,
    own: FunctionRecords,
    views: list[FunctionRecords],
    callers: list[FunctionRecords],
    data: bytes,
) -> FunctionFacts:
    """The facts of a function whose text is `data`, taken over while its records, and those of
    the calls it is judged by, are the same objects."""
    known = own.facts
    if isinstance(known, FunctionFacts) and known.same(views, callers):
        return known
    made = FunctionFacts(name, own, views, callers, data)
    own.facts = made
    return made


class FunctionFacts:
    """See `function_facts`. Lines count from 1 at the function's first line. `own` are the records
    of the function by itself, `views` those it is judged by."""

    def __init__(
        self,
        name: str,
        own: FunctionRecords,
        views: list[FunctionRecords],
        callers: list[FunctionRecords],
        data: bytes,
    ) -> None:
        self.name = name
        self.own = own
        self.index = LineIndex(data)
        self.lines: dict[int, list[Record]] = {}
        self.views = views
        self.callers = callers
        self._guards: dict[int, list[tuple[int, Guard]]] = {}
        self._facts_of: dict[int, LineFacts] = {}
        self._arrays: dict[str, tuple[int, str, int | None]] = {}
        for view in views:
            self._add(view)
        self._add_arrays(own)

    def same(self, views: list[FunctionRecords], callers: list[FunctionRecords]) -> bool:
        """Whether these facts were made of the same records."""
        mine, others = [*self.views, *self.callers], [*views, *callers]
        return len(mine) == len(others) and all(
            one is other for one, other in zip(mine, others, strict=True)
        )

    def at(self, line: int) -> LineFacts:
        """The facts of a line that has records."""
        facts = self._facts_of.get(line)
        if facts is None:
            facts = self._facts_of[line] = self._facts(line, self.lines.get(line, ()))
        return facts

    def statement(self, first: int, last: int, line: int) -> LineFacts:
        """The facts of the statement from line `first` to `last` for one of its lines."""
        records = [one for at in range(first, last + 1) for one in self.lines.get(at, ())]
        return self._facts(line, records)

    def _add(self, records: FunctionRecords) -> None:
        line_of = self.index.line_of
        groups: Sequence[Sequence[Record]] = (
            records.accesses, records.atomics, records.math, records.doubles, records.divisions,
            records.barriers, records.chains,
        )  # fmt: skip
        for group in groups:
            for record in group:
                self.lines.setdefault(line_of(record.start), []).append(record)
        for guard in records.guards:
            line = line_of(guard.start)
            self.lines.setdefault(line, []).append(guard)
            low, high = line_of(guard.body_start), line_of(guard.body_end - 1)
            for number in range(low, min(high, low + MAX_GUARDED_LINES) + 1):
                self._guards.setdefault(number, []).append((line, guard))

    def _add_arrays(self, records: FunctionRecords) -> None:
        for one in records.arrays:
            shown = f"{one.type} {one_line(self.index.data[one.start : one.end])}"
            self._arrays.setdefault(one.name, (self.index.line_of(one.start), shown, one.bytes))

    def _declared(self, name: str) -> tuple[int | None, str, int | None] | None:
        """(line, text, bytes) of an array's declaration; of a caller's array without a line."""
        own = self._arrays.get(name)
        if own is not None:
            return own
        for caller in self.callers:
            for one in caller.arrays:
                if one.name == name:
                    return None, f"{one.type} {one.name}", one.bytes
        return None

    def _text(self, record: Access | Division) -> str:
        return one_line(self.index.data[record.start : record.end])

    def _facts(self, line: int, records: Sequence[Record]) -> LineFacts:
        facts: dict[str, Any] = {"function": self.name}
        groups: dict[type, list[Any]] = {}
        depth = 0
        for record in records:
            groups.setdefault(type(record), []).append(record)
            depth = max(depth, getattr(record, "loop_depth", 0))
        facts["loop_depth"] = depth
        facts["half"] = any(
            is_half(one.element) or is_half(one.type) for one in groups.get(Access, ())
        )
        if Access in groups:
            self._access_facts(facts, groups[Access])
        if MathCall in groups:
            _math_facts(facts, groups[MathCall])
        if DoubleUse in groups:
            _double_facts(facts, groups[DoubleUse])
        if Division in groups:
            self._division_facts(facts, groups[Division])
        if Atomic in groups:
            _atomic_facts(facts, groups[Atomic])
        if Barrier in groups:
            facts["barrier"] = groups[Barrier][0].name
            facts["barrier_divergent"] = any(one.divergent for one in groups[Barrier])
            facts["barrier_bounds"] = any(one.bounds for one in groups[Barrier])
        if Chain in groups:
            facts["chain_array"] = groups[Chain][0].array
        self._guard_facts(facts, line, groups.get(Guard, []))
        return LineFacts(**facts)

    def _access_facts(self, facts: dict[str, Any], accesses: list[Access]) -> None:
        memory = [one for one in accesses if one.space in ("global", "generic")]
        for kind in ("load", "store"):
            chosen = pick_access([one for one in memory if one.kind == kind])
            if chosen is None:
                continue
            access = chosen
            stride = access.stride
            facts[f"{kind}_base"] = access.base
            facts[f"{kind}_stride"] = stride_number(stride)
            facts[f"{kind}_stride_text"] = stride.text
            if stride.sectors is not None and stride.ideal:
                facts[f"{kind}_sectors_ratio"] = stride.sectors / stride.ideal
            facts[f"{kind}_element"] = access.element
            facts[f"{kind}_bytes"] = access.bytes
            facts[f"{kind}_text"] = self._text(access)
            facts[f"{kind}_offset_bytes"] = access.offset_bytes
            facts[f"{kind}_shift"] = access.shift
        structs = [one for one in memory if one.struct and not is_vector(one)]
        if structs:
            access = structs[0]
            facts["struct"], facts["struct_bytes"] = access.struct, access.struct_bytes
            facts["member"] = access.member
        facts["run_array"] = next((a.run_array for a in memory if a.run_array), "")
        facts["index_array"] = next((a.index_array for a in memory if a.index_array), "")
        self._array_facts(facts, accesses)

    def _array_facts(self, facts: dict[str, Any], accesses: list[Access]) -> None:
        shared = [one for one in accesses if one.space == "shared"]
        if shared:
            access = max(shared, key=lambda one: one.bank_ways or 0)
            facts["shared_base"], facts["shared_ways"] = access.base, access.bank_ways
            facts["shared_text"] = self._text(access)
            known = self._declared(access.base)
            if known is not None:
                facts["shared_line"], facts["shared_declaration"] = known[0], known[1]
        order = {"": 0, "constant": 1, "loop": 2, "runtime": 3}
        local = [one for one in accesses if one.space == "local"]
        if local:
            access = max(local, key=lambda one: order[one.subscript])
            facts["local_base"], facts["local_subscript"] = access.base, access.subscript
            facts["local_text"] = self._text(access)
            known = self._declared(access.base)
            if known is not None:
                facts["local_line"], facts["local_bytes"] = known[0], known[2]

    def _division_facts(self, facts: dict[str, Any], divisions: list[Division]) -> None:
        runtime = [one for one in divisions if one.constant is None and not one.fixed]
        facts["divisions"] = len(runtime)
        facts["constant_divisions"] = len(divisions) - len(runtime)
        if runtime:
            facts["division_text"] = self._text(runtime[0])
            facts["division_bits"] = max(one.bits for one in runtime)

    def _guard_facts(self, facts: dict[str, Any], line: int, own: list[Guard]) -> None:
        facts["guard_condition"] = bool(own)
        around = self._guards.get(line, ())
        chosen = [(guard, at) for at, guard in around] or [(one, line) for one in own]
        if chosen:
            guard, at = min(chosen, key=lambda pair: _threads(pair[0]))
            facts["guard_text"], facts["guard_line"] = guard.text, at
            facts["guard_threads"] = guard.threads
            facts["guard_splits"] = any(one.splits is True for one, _ in chosen)


def _double_facts(facts: dict[str, Any], doubles: list[DoubleUse]) -> None:
    literals = [one for one in doubles if one.kind == "literal"]
    facts["double_literals"] = len(literals)
    facts["double_literal_text"] = ", ".join(dict.fromkeys(one.text for one in literals))
    facts["double_operands"] = any(one.kind == "operand" for one in doubles)


def _math_facts(facts: dict[str, Any], math: list[MathCall]) -> None:
    slow = [one.name for one in math if one.name in SLOW_FUNCTIONS]
    facts["math"] = ", ".join(dict.fromkeys(slow))
    facts["double_math"] = ", ".join(dict.fromkeys(one.written for one in math if one.double))
    exponents = [one.exponent for one in math if one.exponent is not None]
    facts["pow_exponent"] = exponents[0] if exponents else None


def _atomic_facts(facts: dict[str, Any], atomics: list[Atomic]) -> None:
    order = {"uniform": 0, "few": 1, "data": 2, "unknown": 3, "spread": 4}
    atomic = min(atomics, key=lambda one: order[one.lanes])
    facts["atomic"], facts["atomic_target"] = atomic.function, atomic.target
    facts["atomic_space"], facts["atomic_lanes"] = atomic.space, atomic.lanes
    facts["atomic_addresses"] = atomic.addresses
    facts["atomic_per_block"] = atomic.per_block
    facts["atomic_per_grid"] = atomic.per_grid


def _threads(guard: Guard) -> int:
    return guard.threads if guard.threads is not None else 1 << 20


def is_vector(access: Access) -> bool:
    """A whole float4 and its kin move in one access: no struct in the sense of the rules."""
    return (
        not access.member
        and access.struct_bytes in (2, 4, 8, 16)
        and (access.stride.sectors is None or access.stride.sectors == access.stride.ideal)
    )
