"""What the source says about each measured line, as columns beside the measurements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from gpuadvisor.facts.sources import SourceFile
from gpuadvisor.source.line_facts import LineFacts

SourceOf = Callable[[str, str], "SourceFile | None"]
"""(kernel id, path as the report names it) to the source file."""


@dataclass(frozen=True)
class SourceColumns:
    """What rules may ask of a line's source; empty text and False where nothing is known."""

    has_source: bool = False
    struct_access: bool = False
    struct_name: str = ""
    struct_text: str = ""
    gather_access: bool = False
    index_text: str = ""
    stride_text: str = "neighbouring lanes are far apart"
    self_contiguous: bool = True
    shared_text: str = ""
    shared_line: float = float("nan")
    atomic_text: str = ""
    local_text: str = "an array of the thread is indexed by a run-time value"
    local_line: float = float("nan")
    double_literal: bool = False
    double_data: bool = False
    promotion_text: str = ""
    division_in_source: bool = False
    math_in_source: bool = False
    math_text: str = "transcendental functions"
    half_source: bool = False
    guard_splits: bool = False
    double_function: bool = False
    math_cost: float = 0.0
    chain_access: bool = False


def of_facts(facts: LineFacts) -> SourceColumns:
    """The columns of one line from the facts of its source."""
    promoted = facts.double_literal_text or facts.double_math
    return SourceColumns(
        has_source=True,
        struct_access=bool(facts.struct and facts.member),
        struct_name=facts.struct,
        struct_text=_struct(facts),
        gather_access=bool(facts.index_array),
        index_text=f"{facts.index_array}[]" if facts.index_array else "",
        stride_text=_stride(facts),
        self_contiguous=not facts.index_array
        and all(s is None or abs(s) <= 1 for s in (facts.load_stride, facts.store_stride)),
        shared_text=_shared(facts),
        shared_line=_line(facts.shared_line),
        atomic_text=_atomic(facts),
        local_text=_local(facts),
        local_line=_line(facts.local_line),
        double_literal=bool(promoted),
        double_data=facts.double_operands and not promoted,
        promotion_text=f": {promoted} is double" if promoted else "",
        division_in_source=facts.divisions > 0,
        math_in_source=any(MATH_COST.get(n, 1) for n in _names(facts.math)),
        math_text=_list(", ".join(n for n in _names(facts.math) if MATH_COST.get(n, 1)))
        or "transcendental functions",
        half_source=facts.half,
        guard_splits=facts.guard_splits,
        double_function=bool(facts.double_math),
        chain_access=bool(facts.chain_array),
        math_cost=sum(MATH_COST.get(name, MATH_COST_OTHER) for name in _names(facts.math)),
    )


MATH_COST = {
    "expf": 8.0,
    "exp2f": 4.0,
    "logf": 20.0,
    "log2f": 18.0,
    "log10f": 20.0,
    "sinf": 25.0,
    "cosf": 25.0,
    "tanf": 40.0,
    "sincosf": 35.0,
    "powf": 60.0,
    "tanhf": 18.0,
    "sqrtf": 0.0,
    "rsqrtf": 0.0,
}
"""Instructions of the accurate functions for usual arguments, counted in compiled code; roots are
short sequences around a special function and have no faster form worth a word."""

MATH_COST_OTHER = 25.0


def _names(text: str) -> list[str]:
    return [name for name in text.split(", ") if name]


def _line(value: int | None) -> float:
    return float("nan") if value is None else float(value)


def _list(names: str) -> str:
    """`a, b, c` as `a, b and c`."""
    head, _, last = names.rpartition(", ")
    return f"{head} and {last}" if head else last


def _struct(facts: LineFacts) -> str:
    if not facts.struct:
        return ""
    size = f" of {facts.struct_bytes} bytes" if facts.struct_bytes else ""
    member = f".{facts.member}" if facts.member else ""
    what = member.lstrip(".") or "parts"
    return f"lanes access {what} of neighbouring {facts.struct} structs{size} each"


def _stride(facts: LineFacts) -> str:
    parts = []
    for stride, text, element, shown in (
        (
            facts.store_stride,
            facts.store_stride_text,
            facts.store_element,
            facts.store_text,
        ),
        (facts.load_stride, facts.load_stride_text, facts.load_element, facts.load_text),
    ):
        if stride is not None and abs(stride) > 1:
            parts.append(f"neighbouring lanes of {shown} are {stride:g} {element}s apart")
        elif stride is None and text:
            parts.append(f"neighbouring lanes of {shown} are {text} elements apart")
    return "; ".join(parts) or "neighbouring lanes are far apart"


def _shared(facts: LineFacts) -> str:
    if not facts.shared_base:
        return ""
    declared = f", declared as {facts.shared_declaration}" if facts.shared_declaration else ""
    at = f" on line {facts.shared_line}" if facts.shared_line else ""
    return f"{facts.shared_text}{declared}{at}"


def _atomic(facts: LineFacts) -> str:
    if not facts.atomic:
        return ""
    lanes = {
        "uniform": "all lanes of a warp update one address",
        "few": f"the lanes of a warp share {facts.atomic_addresses or 'a few'} addresses",
        "data": "the address depends on data",
    }.get(facts.atomic_lanes, "")
    return f"{facts.atomic}({facts.atomic_target})" + (f": {lanes}" if lanes else "")


def _local(facts: LineFacts) -> str:
    if not facts.local_base:
        return "an array of the thread is indexed by a run-time value"
    size = f" ({facts.local_bytes} bytes a thread)" if facts.local_bytes else ""
    how = {
        "runtime": "has a run-time subscript",
        "loop": "is indexed by a loop that is not unrolled",
    }.get(facts.local_subscript, "is in local memory")
    return f"{facts.local_text or facts.local_base}{size} {how}"


def source_columns(
    kernels: Sequence[str], files: Sequence[str], lines: Sequence[int], source_of: SourceOf
) -> dict[str, np.ndarray[Any, Any]]:
    """The columns of SourceColumns for the rows (kernel, file, profiled line)."""
    unknown = SourceColumns()
    memo: dict[tuple[int, int], SourceColumns] = {}
    rows = []
    for kernel, file, line in zip(kernels, files, lines, strict=True):
        source = source_of(kernel, file) if file else None
        if source is None:
            rows.append(unknown)
            continue
        key = (id(source), line)
        if key not in memo:
            facts = source.facts(line)
            memo[key] = of_facts(facts) if facts is not None else unknown
        rows.append(memo[key])
    columns: dict[str, np.ndarray[Any, Any]] = {}
    for field in fields(SourceColumns):
        values = [getattr(row, field.name) for row in rows]
        kind = {"bool": np.bool_, "str": np.str_, "float": np.float64}[str(field.type)]
        columns[field.name] = np.array(values, dtype=kind)
    return columns
