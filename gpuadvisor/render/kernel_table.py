"""The table of kernels at the head of the text view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuadvisor.evidence.findings import KernelSummary
from gpuadvisor.render import units
from gpuadvisor.render.escape import visible
from gpuadvisor.render.layout import Line, Span, Style, cells, fit_middle, line
from gpuadvisor.render.wording import limiter, occupancy

NAME_WIDTH = 36
BAR_CELLS = 6
_EIGHTHS = " ▏▎▍▌▋▊▉"
_RIGHT = frozenset({"launches", "time", "share", "compute", "memory"})
VERDICT_STYLES: Mapping[str, Style] = {
    "memory": "warning",
    "compute": "info",
    "latency": "warning",
    "launch": "warning",
    "balanced": "good",
}


def kernel_table(
    kernels: Sequence[KernelSummary], names: Mapping[str, str], *, bars: bool
) -> Iterator[Line]:
    """One row a kernel under a row of headings. `bars` draws percentages as bars, too."""
    rows = [_cells_of(kernel, names[kernel.id]) for kernel in kernels]
    used = [name for name in rows[0] if any(row[name] not in ("", units.MISSING) for row in rows)]
    if all(kernel.launches == 1 for kernel in kernels):
        used.remove("launches")
    if len(kernels) == 1 and "share" in used:
        used.remove("share")
    width = {name: max(cells(name), *(cells(row[name]) for row in rows)) for name in used}
    drawn = {"compute", "memory"} if bars else set()
    heading: list[Span] = []
    for name in used:
        extra = BAR_CELLS + 1 if name in drawn else 0
        heading.append((_padded(name, width[name] + extra, name in _RIGHT) + "  ", "dim"))
    yield tuple(heading)
    for kernel, row in zip(kernels, rows, strict=True):
        spans: list[Span] = []
        for name in used:
            if name in drawn:
                spans.append((bar(_percentage(kernel, name)) + " ", "info"))
            style: Style = ""
            if name == "kernel":
                style = "title"
            elif name == "verdict":
                style = VERDICT_STYLES.get(kernel.verdict, "")
            spans.append((_padded(row[name], width[name], name in _RIGHT) + "  ", style))
        yield line(*spans)


def bar(percentage: float | None) -> str:
    """A bar of BAR_CELLS columns, in eighths of one; blank when not measured."""
    if percentage is None:
        return " " * BAR_CELLS
    eighths = round(min(max(percentage, 0.0), 100.0) / 100 * BAR_CELLS * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(BAR_CELLS)


def _cells_of(kernel: KernelSummary, name: str) -> dict[str, str]:
    return {
        "kernel": fit_middle(name, NAME_WIDTH),
        "launches": str(kernel.launches),
        "time": units.duration(kernel.duration_ns),
        "share": units.percent(kernel.share_pct),
        "verdict": kernel.verdict,
        "compute": units.percent(kernel.sm_pct),
        "memory": units.percent(kernel.memory_pct),
        "occupancy": occupancy(kernel),
        "limited by": visible(limiter(kernel)),
    }


def _percentage(kernel: KernelSummary, name: str) -> float | None:
    return kernel.sm_pct if name == "compute" else kernel.memory_pct


def _padded(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - cells(text))
    return blanks + text if right else text + blanks
