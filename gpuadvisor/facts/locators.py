"""Where findings stand: lines with the columns of the expression, kernel heads, launches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gpuadvisor.evidence.findings import Location, Related
from gpuadvisor.facts.model import Facts, find_kernel
from gpuadvisor.facts.sources import SourceFile
from gpuadvisor.source.model import Function, Span

Columns = Mapping[str, np.ndarray[Any, Any]]
Placed = tuple[Location | None, tuple[Related, ...]]
Locator = Callable[[Columns, int], Placed]

EXPRESSIONS = {
    "place": (),
    "access": ("global-store", "global-load"),
    "member": ("member",),
    "shared": ("shared",),
    "local": ("local",),
    "atomic": ("atomic",),
    "division": ("division",),
    "math": ("math",),
    "double": ("double",),
    "barrier": ("barrier",),
    "guard": ("guard", "loop"),
    "chain": ("chain", "global-load"),
    "accumulation": ("global-load", "shared"),
    "line": (),
}
"""Locator names with the kinds of expression they mark, first found wins."""


def locators(facts: Facts) -> dict[str, Locator]:
    """All locators that rules may name, bound to the facts of an analysis."""
    found: dict[str, Locator] = {
        "kernel-head": lambda columns, row: (_head(facts, columns, row), ()),
        "split": lambda columns, row: _split(facts, columns, row),
        "launch-or-head": lambda columns, row: _launch(facts, columns, row),
    }
    for name, kinds in EXPRESSIONS.items():
        found[name] = _expression(facts, kinds)
    return found


def _expression(facts: Facts, kinds: tuple[str, ...]) -> Locator:
    def locate(columns: Columns, row: int) -> Placed:
        kernel, file = str(columns["kernel"][row]), str(columns["file"][row])
        line, end = int(columns["line"][row]), int(columns["end_line"][row])
        if not file:
            return None, ()
        if not kernel:  # a row about a whole report names the file and line that are shown
            return Location(file, line, max(end, line), state="exact"), ()
        source = facts.source_of(kernel, file)
        order = kinds
        if kinds[:1] == ("global-store",) and not _stores_more(columns, row):
            order = ("global-load", "global-store")
        span = None
        if order[:1] == ("chain",):
            # a compiler may give the load the line of the loop's head, which holds other loads
            span = _span(source, line, ("chain",)) or _nearby(source, line, ("chain",))
        span = span or _span(source, line, order) or _nearby(source, line, order)
        place = location(source, file, line, end, span)
        return place, _headers(facts, kernel, file, line)

    return locate


def _stores_more(columns: Columns, row: int) -> bool:
    store, load = columns.get("st_wasted"), columns.get("ld_wasted")
    return store is not None and load is not None and bool(store[row] > load[row])


def _span(source: SourceFile | None, line: int, kinds: tuple[str, ...]) -> Span | None:
    """The first expression of the kinds on a profiled line."""
    if source is None or source.syntax is None:
        return None
    index = source.syntax.index
    start, end = (index.position(offset) for offset in index.trimmed(line))
    for kind in kinds:
        span = source.syntax.expression_span(line, kind)
        # the whole line is what stands for "no such expression"
        if (span.line, span.column) != start or (span.end_line, span.end_column) != end:
            return span
    return None


def _nearby(source: SourceFile | None, line: int, kinds: tuple[str, ...]) -> Span | None:
    """An expression of the kinds close to a line that holds none. Compilers merge the line
    numbers of code that they move: a division may carry the line of the test before it."""
    if source is None or source.syntax is None:
        return None
    function = source.syntax.function_at(line)
    if function is None:
        return None
    for step in (1, 2, 3, 4, 5, -1, -2, -3):
        near = line + step
        if function.span.line <= near <= function.span.end_line:
            span = _span(source, near, kinds)
            if span is not None:
                return span
    return None


ADJACENT = 2
"""A decision so many lines above the code it splits is the place of the finding."""


def _split(facts: Facts, columns: Columns, row: int) -> Placed:
    """The deciding line where the code that loses its lanes follows directly (an if and its
    body); else the line that loses most (in a loop, behind a switch), the decision beside it."""
    place, related = _expression(facts, ("guard", "loop"))(columns, row)
    kernel, file = str(columns["kernel"][row]), str(columns["file"][row])
    worst = columns["split_line"][row] if "split_line" in columns else np.nan
    line = int(columns["line"][row])
    source = facts.source_of(kernel, file)
    if place is None or worst != worst or _belongs(source, line, int(worst)):
        return place, related
    first, last = source.statement(int(worst)) if source is not None else (int(worst),) * 2
    at = location(source, file, first, last)
    if at.line == place.line:
        return place, related
    return at, (Related(place.file, place.line, "the lanes part here"), *related)


def _belongs(source: SourceFile | None, line: int, worst: int) -> bool:
    """Whether the deciding line stands for the code that loses its lanes: it is right above it,
    or that code is in another function (inlined behind the decision)."""
    if 0 <= worst - line <= ADJACENT:
        return not _is_loop(source, line)
    if source is None or source.syntax is None:
        return worst < line
    return source.syntax.function_at(worst) != source.syntax.function_at(line)


def _is_loop(source: SourceFile | None, line: int) -> bool:
    """Whether a profiled line is the head of a loop with its body elsewhere."""
    if source is None or source.syntax is None:
        return False
    text = source.syntax.index.line_bytes(line).strip()
    return text.startswith((b"for", b"while", b"do")) and text.endswith(b"{")


def location(
    source: SourceFile | None, file: str, line: int, end: int, span: Span | None = None
) -> Location:
    """The location of a profiled line in what is shown, moved with the text where it moved."""
    if source is None:
        return Location(file, line, end)
    if span is not None:
        shown, state = source.shown(span.line)
        shift = shown - span.line
        return Location(
            source.file,
            shown,
            max(span.end_line + shift, shown),
            span.column,
            span.end_column,
            state,
        )
    shown, state = source.shown(line)
    return Location(source.file, shown, max(end + shown - line, shown), None, None, state)


def _headers(facts: Facts, kernel: str, file: str, line: int) -> tuple[Related, ...]:
    """The header lines that were inlined at a place."""
    found = facts.lines.get(kernel)
    if found is None:
        return ()
    for index, key in enumerate(zip(found.places.files, found.places.lines, strict=True)):
        if key == (file, line):
            return tuple(
                Related(path, number, "inlined here")
                for path, number in found.places.related[index][:3]
            )
    return ()


def kernel_function(facts: Facts, kernel: str) -> tuple[SourceFile, str, Function] | None:
    """(source, report path, definition) of a kernel in the sources its report names."""
    return find_kernel(facts.kernels[int(kernel[1:])], facts.sources, facts.lines.get(kernel))


def _head(facts: Facts, columns: Columns, row: int) -> Location | None:
    kernel = str(columns["kernel"][row])
    found = kernel_function(facts, kernel)
    if found is not None:
        source, path, function = found
        span = function.name_span
        return location(source, path, span.line, span.end_line, span)
    lines = facts.lines.get(kernel)
    if lines is None or not any(lines.places.files):
        return None
    # the code of a kernel starts with its head's line
    for place in lines.places.of.tolist():
        if place >= 0 and lines.places.user[place]:
            file, line = lines.places.files[place], lines.places.lines[place]
            return location(facts.source_of(kernel, file), file, line, line)
    return None


def _launch(facts: Facts, columns: Columns, row: int) -> Placed:
    """The head of the kernel, with the launch as related place when there is just one that
    fits."""
    head = _head(facts, columns, row)
    kernel = str(columns["kernel"][row])
    found = kernel_function(facts, kernel)
    if head is None or found is None or found[0].syntax is None:
        return head, ()
    source, _, function = found
    assert source.syntax is not None
    block = facts.kernels[int(kernel[1:])].launch.block
    fitting = [
        launch
        for launch in source.syntax.launches
        if launch.callee == function.name
        and all(
            want is None or want == have for want, have in zip(launch.block, block, strict=True)
        )
    ]
    exact = [launch for launch in fitting if None not in launch.block]
    chosen = exact if len(exact) == 1 else fitting
    if len(chosen) != 1:
        return head, ()
    line, _ = source.shown(chosen[0].span.line)
    return head, (Related(source.file, line, "launched here"),)
