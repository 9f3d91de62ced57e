"""A source as rows that rules on sources are judged on: one for each line of each function on
which something was found.

The rows of a function are kept while what was found out about it stays the same object, so that
after an edit only the functions it touched make new ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gpuadvisor.source.fold import fold_number
from gpuadvisor.source.function_facts import FunctionFacts, LineFacts
from gpuadvisor.source.hint_facts import HintFacts
from gpuadvisor.source.host_facts import HostFacts, host_facts
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
from gpuadvisor.source.row_accesses import access_hints, copy_hints, sum_hints
from gpuadvisor.source.row_context import RowContext
from gpuadvisor.source.row_control import division_hints, guard_hints, math_hints
from gpuadvisor.source.row_declarations import array_rows, bound_row, parameter_row
from gpuadvisor.source.text import LineIndex

if TYPE_CHECKING:
    from gpuadvisor.source.outline import RawFunction
    from gpuadvisor.source.python_source import PythonSource
    from gpuadvisor.source.syntax import CudaSource

NO_FACTS = LineFacts()
_DOUBLES = ("literal", "math", "operand")


@dataclass(frozen=True)
class SourceRow:
    """One line of a function, or one thing on it (a declaration, a call of the host). `line`
    counts from 1 at the function's first line, `spans` are byte ranges from the function's first
    byte by what is there (load, member, launch, ...)."""

    line: int
    facts: LineFacts
    hints: HintFacts
    host: HostFacts | None
    spans: Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class RowBlock:
    """The rows of one function, `name`, that starts at byte `start` on line `first`. `key` is the
    same object as long as the records are; `rest` is what the rows rest on beside it. `kernels` are
    the kernels of the file that run it."""

    name: str
    kind: str
    start: int
    first: int
    key: object
    rows: tuple[SourceRow, ...]
    kernels: tuple[str, ...] = ()
    rest: object = None


def cuda_rows(source: CudaSource, known: Mapping[int, RowBlock]) -> list[RowBlock]:
    """The rows of all functions of a file, in file order. `known` holds blocks of an earlier
    version of the file by the identity of their keys."""
    blocks: list[RowBlock] = []
    line_of = source.index.line_of
    runners = _runners(source)
    for raw, facts in source.facts.functions:
        kernels = (raw.name,) if raw.kind == "kernel" else runners.get(raw.name, ())
        rest = (kernels, _bounds(source, raw))
        before = known.get(id(facts))
        if before is not None and before.key is facts and before.rest == rest:
            rows = before.rows
        else:
            rows = tuple(_device_rows(source, raw, facts, *rest))
        kind = "kernel" if raw.kind == "kernel" else "device"
        first = line_of(raw.start)
        blocks.append(RowBlock(raw.name, kind, raw.start, first, facts, rows, kernels, rest))
    for raw in source.environment.outline.functions:
        if raw.has_body and raw.kind in ("host", "host-device") and _uses_gpu(source, raw):
            found = source.remember(b"host", raw, partial(host_facts, source.environment, raw))
            before = known.get(id(found))
            if before is not None and before.key is found:
                rows = before.rows
            else:
                data = source.parsed.data[raw.start : raw.end]
                rows = tuple(_host_rows(found, LineIndex(data)))
            blocks.append(RowBlock(raw.name, "host", raw.start, line_of(raw.start), found, rows))
    return sorted(blocks, key=lambda one: (one.start, one.kind))


def python_rows(source: PythonSource) -> list[RowBlock]:
    """The rows of a Triton source, as one block: loads and stores of jitted functions."""
    jitted = [one for one in source.functions if one.jit]
    rows = []
    for line in source.lines():
        inside = [one for one in jitted if one.line <= line <= one.end_line]
        if not inside:
            continue
        facts = source.at(line)
        bounds = source.index.bounds
        spans = {
            one.kind: (
                _offset(source, one.span.line, one.span.column),
                _offset(source, one.span.end_line, one.span.end_column),
            )
            for one in source.accesses
            if one.span.line == line
        }
        spans.setdefault("line", bounds(line))
        rows.append(SourceRow(line, facts, HintFacts("kernel", True), None, spans))
    return [RowBlock("", "kernel", 0, 1, source, tuple(rows))]


def _offset(source: PythonSource, line: int, column: int) -> int:
    start, end = source.index.bounds(line)
    text = source.index.data[start:end].decode("utf-8", errors="replace")
    return start + len(text[: column - 1].encode("utf-8", errors="replace"))


def _runners(source: CudaSource) -> dict[str, tuple[str, ...]]:
    """For each device function the kernels of the file that call it, at any depth."""
    found: dict[str, list[str]] = {}

    def collect(records: FunctionRecords, kernel: str, depth: int) -> None:
        for name, contexts in records.inlined.items():
            if kernel not in found.setdefault(name, []):
                found[name].append(kernel)
            for inner in contexts if depth < 8 else ():
                collect(inner, kernel, depth + 1)

    for raw, records in source.analysed():
        if raw.kind == "kernel" and records.inlined:
            collect(records, raw.name, 0)
    return {name: tuple(kernels) for name, kernels in found.items()}


def _bounds(source: CudaSource, raw: RawFunction) -> tuple[int | None, ...]:
    env = source.environment
    found = [fold_number(one, env.number, env.types.size) for one in raw.launch_bounds]
    return tuple([one if isinstance(one, int) else None for one in found])


def _uses_gpu(source: CudaSource, raw: RawFunction) -> bool:
    body = source.parsed.masked[raw.body_start : raw.body_end]
    return b"<<<" in body or b"cuda" in body


def _device_rows(
    source: CudaSource,
    raw: RawFunction,
    facts: FunctionFacts,
    kernels: tuple[str, ...],
    bounds: tuple[int | None, ...],
) -> Iterable[SourceRow]:
    kind = "kernel" if raw.kind == "kernel" else "device"
    block = source.blocks.get(raw.name, (None, None, None))
    called = bool(kernels)
    context = RowContext(facts, kind, called, block)
    main = context.main
    common: dict[str, Any] = {
        "kind": kind,
        "called": called,
        "elementwise": all(one.spread for one in main.loops)
        and not main.barriers
        and not any(one.space == "shared" for one in main.arrays),
    }
    hints: dict[int, dict[str, Any]] = {}
    spans: dict[int, dict[str, tuple[int, int]]] = {}
    for line, records in facts.lines.items():
        hints[line], spans[line] = _line_hints(context, records)
    line_of = facts.index.line_of
    for name, group in (("copy", main.copies), ("sum", main.accumulations)):
        for line in sorted({line_of(one.start) for one in group}):
            mine = [one for one in group if line_of(one.start) == line]
            target = hints.setdefault(line, {}), spans.setdefault(line, {})
            if name == "copy":
                copy_hints(context, mine, *target)  # type: ignore[arg-type]
            else:
                sum_hints(context, mine, *target)  # type: ignore[arg-type]
    named = LineFacts(function=raw.name)
    declared = [*array_rows(context)]
    if raw.kind == "kernel":
        more = (bound_row(raw, context, bounds), parameter_row(raw, context))
        declared += [one for one in more if one is not None]
    for line in sorted(hints):
        made = facts.at(line) if line in facts.lines else named
        row = HintFacts(**common, **hints[line])
        yield SourceRow(line, made, row, None, spans[line])
    for offset, found, places in declared:
        row = HintFacts(**common, **found)
        yield SourceRow(line_of(offset), named, row, None, places)


def _line_hints(
    context: RowContext, records: Iterable[Any]
) -> tuple[dict[str, Any], dict[str, tuple[int, int]]]:
    groups: dict[type, list[Any]] = {}
    for record in records:
        groups.setdefault(type(record), []).append(record)
    hints: dict[str, Any] = {}
    spans: dict[str, tuple[int, int]] = {}
    hints["serial_depth"] = max(
        (getattr(one, "serial_depth", 0) for group in groups.values() for one in group), default=0
    )
    if Access in groups:
        access_hints(context, groups[Access], hints, spans)
    if Guard in groups:
        guard_hints(context, groups[Guard], hints, spans)
    if MathCall in groups:
        math_hints(context, groups[MathCall], hints, spans)
    if Division in groups:
        division_hints(context, groups[Division], hints, spans)
    _first_spans(groups, spans)
    return hints, spans


def _first_spans(groups: Mapping[type, list[Any]], spans: dict[str, tuple[int, int]]) -> None:
    """Where the local access, atomic, double arithmetic, barrier or chain of a line stands."""
    order = {"": 0, "constant": 1, "loop": 2, "runtime": 3}
    local = [one for one in groups.get(Access, ()) if one.space == "local"]
    found: dict[str, Any] = {
        "local": max(local, key=lambda one: order[one.subscript], default=None),
        "double": min(
            groups.get(DoubleUse, ()), key=lambda one: _DOUBLES.index(one.kind), default=None
        ),
    }
    for kind, record in (("atomic", Atomic), ("barrier", Barrier), ("chain", Chain)):
        found[kind] = next(iter(groups.get(record, ())), None)
    for kind, one in found.items():
        if one is not None:
            spans.setdefault(kind, (one.start, one.end))


def _host_rows(facts: Iterable[HostFacts], index: LineIndex) -> Iterable[SourceRow]:
    for one in facts:
        spans = {"call": (one.start, one.end)}
        if one.block_end:
            spans["block"] = (one.block_start, one.block_end)
        hints = HintFacts("host")
        yield SourceRow(index.line_of(one.start), NO_FACTS, hints, one, spans)
