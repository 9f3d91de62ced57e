"""The state of the analysis of one function: variables, unknowns, loops, guards, and the noting
of accesses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gpuadvisor.source.access_marks import is_filled, is_misaligned, lead
from gpuadvisor.source.environment import Environment
from gpuadvisor.source.lanes import LANE, WARP, Poly, add, constant, multiply, symbol
from gpuadvisor.source.layout import NO_TYPE, CType, is_half, is_integer
from gpuadvisor.source.model import Dim
from gpuadvisor.source.records import (
    UNKNOWN_STRIDE,
    Access,
    AccessKind,
    FunctionRecords,
    Space,
    Subscript,
)
from gpuadvisor.source.strides import bank_ways, stride_of, uniform_shift
from gpuadvisor.source.syntax_nodes import Node
from gpuadvisor.source.text import one_line
from gpuadvisor.source.values import INT, Atom, Atoms, Ptr, Value

MAX_STEPS = 60_000
"""Expressions evaluated for one function before the rest is left unknown."""
UNKNOWN_BYTES = 4
Mask = tuple[bool, ...]
"""For each lane of a warp, whether it runs."""


@dataclass
class Variable:
    """A declared name: its type, where it lives, its extents."""

    name: str
    type: CType
    space: str
    dims: tuple[int | None, ...] = ()


@dataclass
class LoopState:
    """A loop being analysed. `walks` holds (trips, step) of variables that count with constant
    bounds; `spread` and `leaf` as in `records.Loop`."""

    variables: frozenset[str]
    fixed: bool
    spread: bool = False
    leaf: bool = True
    walks: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass
class GuardState:
    """A condition in force: how many threads of a block pass it (None unknown), whether threads
    of a block differ in it, whether it only checks an index against a size, and the lanes that
    pass it where that is known."""

    threads: int | None
    divergent: bool
    bounds: bool
    mask: Mask | None = None


@dataclass
class Machine:
    """See the module."""

    env: Environment
    source: bytes
    records: FunctionRecords
    origin: int
    atoms: Atoms = field(default_factory=Atoms)
    names: dict[str, Variable] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    loops: list[LoopState] = field(default_factory=list)
    guards: list[GuardState] = field(default_factory=list)
    type_names: frozenset[str] = frozenset()
    kernel: bool = True
    block: Dim = (None, None, None)
    """The shape of the block where every launch in the file agrees on it."""
    silent: int = 0
    steps: int = 0
    calls: tuple[str, ...] = ()
    returned: list[Value] = field(default_factory=list)
    returns: CType = NO_TYPE

    def text(self, node: Node) -> str:
        """The source text of a node on one line."""
        return one_line(self.source[node.start : node.end])

    def at(self, node: Node) -> tuple[int, int]:
        """A node's span as records keep it."""
        return node.start - self.origin, node.end - self.origin

    def tired(self) -> bool:
        """Counts a step; true once the analysis has done enough."""
        self.steps += 1
        return self.steps > MAX_STEPS

    def thread_index(self, axis: str) -> Poly:
        """threadIdx along an axis. Threads of a warp run along x first; a block whose shape is
        not known is taken to be at least a warp wide."""
        wide, high, deep = self.block
        if axis != "x" and (high if axis == "y" else deep) == 1:
            return {}
        if wide is not None and wide < WARP and WARP % wide == 0 and high != 1 and axis != "z":
            self.atoms.row = wide
            if axis == "x":
                return constant(tuple([lane % wide for lane in LANE]))
            above = self.atoms.get("warp", Atom("warp"))
            rows = multiply(above, constant(WARP // wide))
            return add(rows or {}, constant(tuple([lane // wide for lane in LANE])))
        if axis == "x" and wide == WARP:
            return constant(LANE)
        if axis == "x":
            above = self.atoms.get("threadIdx.x / 32", Atom("warp"))
            rest = multiply(above, constant(32))
            return add(rest or {}, constant(LANE))
        return self.atoms.get(f"threadIdx.{axis}", Atom("warp"))

    def varying_value(
        self, name: str, ctype: CType | None, kind: str = "other",
        arrays: frozenset[str] = frozenset(), limit: int | None = None,
    ) -> Value:  # fmt: skip
        """A value that lanes may differ in, in an unknown way."""
        return Value(self.atoms.fresh("~" + name, Atom(kind, True, False, arrays, 1, limit)), ctype)

    def uniform_value(self, name: str, ctype: CType | None, kind: str = "other") -> Value:
        """A value that is the same for all lanes but not known."""
        return Value(self.atoms.fresh(name, Atom(kind)), ctype)

    def index(self, value: Value, node: Node) -> Poly:
        """A value as an index polynomial; an unknown one varies."""
        if value.poly is not None:
            return value.poly
        made = self.varying_value(self.text(node), INT).poly
        return made if made is not None else {}

    def is_number(self, ctype: CType | None, name: str) -> bool:
        """Whether a type is the built-in one called `name`."""
        return ctype is not None and not ctype.pointers and self.real_name(ctype) == name

    def real_name(self, ctype: CType) -> str:
        """A type's name behind its aliases."""
        if ctype.name in self.env.types.aliases:
            self.env.note("type", ctype.name, self.env.look_up("type", ctype.name))
            return self.env.types.resolve(ctype).name
        return ctype.name

    def is_int(self, ctype: CType | None) -> bool:
        """Whether a type is a built-in integer."""
        return ctype is not None and not ctype.pointers and is_integer(self.real_name(ctype))

    def is_half(self, ctype: CType | None) -> bool:
        """Whether a type is a 16-bit float."""
        return ctype is not None and not ctype.pointers and is_half(self.real_name(ctype))

    def size(self, ctype: CType) -> int | None:
        """sizeof, None for template parameters and unknown types."""
        if not ctype.pointers and ctype.name in self.type_names:
            return None
        return self.env.size(ctype)

    def pointer_to(self, base: str, space: str, element: CType) -> Ptr:
        """A pointer at the start of `base`."""
        size = self.size(element)
        return Ptr(base, space, element, size or UNKNOWN_BYTES, size is not None)

    def move(self, ptr: Ptr, count: Poly, sign: int = 1) -> Ptr:
        """A pointer moved by `count` elements of what it points at."""
        step = ptr.element_bytes
        for extent in ptr.dims[1:]:
            step *= extent or 1
        scaled = multiply(count, constant(step))
        if scaled is None:
            scaled = symbol("~index")
            self.atoms.known.setdefault("~index", Atom("other", True))
        elif any(extent is None for extent in ptr.dims[1:]) and count:
            unknown = self.atoms.get(f"extent of {ptr.base}", Atom("template"))
            scaled = multiply(scaled, unknown) or {}
        return replace(ptr, offset=add(ptr.offset, scaled, sign))

    def guard_threads(self) -> int | None:
        """The fewest threads of a block that any condition in force leaves."""
        known = [guard.threads for guard in self.guards if guard.threads is not None]
        return min(known) if known else None

    def serial_depth(self) -> int:
        """The loops around here that each thread runs for itself, one trip after the other."""
        return sum(not loop.spread for loop in self.loops)

    def escape(self, *values: Value) -> None:
        """Notes that code which is not seen here may write through these."""
        for value in values:
            pointer = value.ptr or value.place
            if pointer is not None:
                self.records.escapes.add(pointer.base)

    def active_lanes(self) -> tuple[int, ...]:
        """The lanes of a warp that the conditions in force leave on."""
        masks = [guard.mask for guard in self.guards if guard.mask is not None]
        lanes = tuple([lane for lane in range(WARP) if all(mask[lane] for mask in masks)])
        return lanes or tuple(range(WARP))

    def note_access(self, node: Node, place: Ptr, kind: AccessKind, moved: CType | None) -> None:
        """Notes an access at `place`; per-thread scalars and unknown memory are none."""
        if self.silent or place.space not in ("global", "shared", "local", "constant", "generic"):
            return
        ctype = moved or place.element
        size = self.size(ctype)
        layout = self.env.layout(ctype) if not ctype.pointers else None
        width = size
        struct, struct_bytes = place.struct, place.struct_bytes
        if layout is not None and size is not None and not place.struct:
            # A struct moves in pieces of its alignment; float3 and double3 likewise.
            width = min(layout.align, 16)
            if not (layout.vector and layout.size == width):
                struct, struct_bytes = layout.name, layout.size
        element = place.struct_bytes or place.element_bytes
        if not place.size_known and not place.struct:
            width = None
        lanes = self.active_lanes()
        stride = stride_of(place.offset, element, width, self.atoms, lanes)
        if not self.kernel and not self.calls and self._open(place):
            stride = UNKNOWN_STRIDE
        start, end = self.at(node)
        shared = place.space == "shared" and place.size_known and width is not None
        ways = bank_ways(place.offset, width, self.atoms, lanes) if shared and width else None
        offset, shift = (None, "") if struct else uniform_shift(place.offset, self.atoms)
        known = place.size_known or bool(place.struct)
        align = None if not known or ctype.pointers else self.env.types.align(ctype)
        self.records.accesses.append(
            Access(
                start,
                end,
                kind,
                _space(place.space),
                place.base,
                place.struct or str(place.element),
                element if place.size_known or place.struct else None,
                str(ctype),
                size,
                stride,
                struct,
                struct_bytes,
                place.member,
                *self._loaded_from(place.offset),
                self._subscript(place),
                ways,
                offset,
                shift,
                len(self.loops),
                self.guard_threads(),
                self._repeats(place.offset),
                self.serial_depth(),
                lead(place.offset, stride),
                is_filled(place.offset, stride, width, self.loops, self.atoms),
                is_misaligned(self, place.offset, align, place.space, lanes),
            )
        )

    def _loaded_from(self, offset: Poly) -> tuple[str, str]:
        """(array an index is loaded from for each access, array that only says where a run of
        accesses starts)."""
        arrays = ", ".join(sorted(self.atoms.arrays(offset)))
        runs = arrays and any(atom.kind in ("loop", "fixed-loop") for atom in self.atoms.of(offset))
        return ("", arrays) if runs else (arrays, "")

    def _open(self, place: Ptr) -> bool:
        return any(atom.kind == "param" for atom in self.atoms.of(place.offset)) or (
            place.space == "generic"
        )

    def _repeats(self, offset: Poly) -> bool:
        """Whether the innermost loop runs through the same address again for each trip of an
        outer one, or does not move it at all."""
        if not self.loops:
            return False
        names = {name.split("#")[0] for monomial in offset for name in monomial}
        return any(not (loop.variables & names) for loop in self.loops)

    def _subscript(self, place: Ptr) -> Subscript:
        """Whether the subscript of a per-thread array is a constant, follows loops with constant
        bounds, or is only known at run time."""
        if place.space != "local":
            return ""
        found: Subscript = "constant"
        if any(isinstance(value, tuple) for value in place.offset.values()):
            return "runtime"
        for atom in self.atoms.of(place.offset):
            if atom.kind == "fixed-loop":
                found = "loop"
            elif atom.kind != "template":
                return "runtime"
        return found


def _space(space: str) -> Space:
    if space == "shared":
        return "shared"
    if space == "local":
        return "local"
    if space == "constant":
        return "constant"
    return "generic" if space == "generic" else "global"
