"""Sentences that more than one view says the same way."""

from __future__ import annotations

from gpuadvisor.evidence.findings import (
    Analysis,
    Estimate,
    EvidenceItem,
    Finding,
    KernelSummary,
    Location,
)
from gpuadvisor.render import units

UNREADABLE = "unreadable"
"""`InputSummary.kind` of a file of which nothing could be used."""


def launch_shape(kernel: KernelSummary) -> str:
    """`grid 256 x 128, block 32 x 32`, trailing ones left out; empty for a range or graph, which
    have none."""
    if 0 in kernel.grid:
        return ""
    return f"grid {_dim(kernel.grid)}, block {_dim(kernel.block)}"


def time_line(kernel: KernelSummary) -> str:
    """`490 us, 54 % of the time`, or with several launches `3 launches of 490 us, ...`."""
    if kernel.duration_ns is None:
        return units.plural(kernel.launches, "launch")
    text = units.duration(kernel.duration_ns)
    if kernel.launches > 1:
        text = f"{units.plural(kernel.launches, 'launch')} of {text}"
    if kernel.share_pct is not None and kernel.share_pct < 99.5:
        text += f", {units.percent(kernel.share_pct)} of the time"
    return text


def occupancy(kernel: KernelSummary) -> str:
    """`42 of 50 %`: achieved of theoretical, one alone where the other was not measured."""
    achieved, theoretical = kernel.occupancy_achieved_pct, kernel.occupancy_theoretical_pct
    if achieved is None or theoretical is None:
        return units.percent(theoretical if achieved is None else achieved)
    return f"{achieved:.0f} of {theoretical:.0f} %"


def limiter(kernel: KernelSummary) -> str:
    """What keeps more warps from being resident; none where all that the SM holds can be."""
    theoretical = kernel.occupancy_theoretical_pct
    if not kernel.occupancy_limiter or (theoretical is not None and theoretical >= 99.5):
        return units.MISSING
    return kernel.occupancy_limiter


def gain(estimate: Estimate) -> str:
    """`1.5 to 1.9 times faster`; one number when both ends read the same."""
    low, high = (units.times(value) for value in estimate.speedup)
    if estimate.speedup[1] < 1.005:
        return "no gain in time"
    return f"{high} times faster" if low == high else f"{low} to {high} times faster"


def gain_in_time(finding: Finding, kernel: KernelSummary | None) -> str:
    """`1.5 to 1.9 times faster (490 us to 258 .. 327 us)` where the kernel's time is known."""
    if finding.estimate is None:
        return ""
    text = gain(finding.estimate)
    low, high = finding.estimate.speedup
    if kernel is None or kernel.duration_ns is None or low <= 0 or high < 1.005:
        return text
    new = [units.duration(kernel.duration_ns / factor) for factor in (high, low)]
    if new[0] == new[1]:
        after = new[0]
    else:
        unit = new[1][new[1].rindex(" ") :]
        after = f"{new[0].removesuffix(unit)} to {new[1]}"
    return f"{text} ({units.duration(kernel.duration_ns)} now, then {after})"


def sentence(text: str) -> str:
    """Text that begins with a capital and ends with a point."""
    text = text.strip()
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def headline(kernel: KernelSummary) -> str:
    """What bounds a kernel, as a sentence."""
    return sentence(kernel.headline) or "What bounds this kernel was not measured."


def measured(item: EvidenceItem) -> tuple[str, str, str]:
    """An evidence item as (what, value with unit, threshold); the last is empty when it has none.
    Only units that change the number are said again with the threshold."""
    threshold = ""
    if item.threshold is not None:
        unit = item.unit if item.unit in ("ns", "nsecond", "%", "pct") else ""
        threshold = f"threshold {units.quantity(item.threshold, unit)}"
    return item.metric, units.quantity(item.value, item.unit), threshold


def place(location: Location) -> str:
    """`file:line` or `file:line:column`, as editors and terminals make links of it."""
    column = f":{location.column}" if location.column is not None else ""
    return f"{location.file}:{location.line}{column}"


STATES = {
    "moved": "moved since the report was made",
    "stale": "this line has changed since the report was made",
}


def facts(kernel: KernelSummary) -> str:
    """Launch shape and time."""
    return ", ".join(filter(None, (launch_shape(kernel), time_line(kernel))))


def next_step(analysis: Analysis) -> Finding | None:
    """The finding to begin with: the first warning, as they are sorted by what they save; without
    one the first that promises 5 % at the low end of its estimate."""
    warning = next((f for f in analysis.findings if f.severity == "warning"), None)
    if warning is not None:
        return warning
    return next(
        (f for f in analysis.findings if f.estimate and f.estimate.speedup[0] >= 1.05), None
    )


def first_sentence(text: str) -> str:
    """The first sentence of a paragraph, without breaking at `e.g.`-like dots inside words."""
    flat = " ".join(text.split())
    for index, char in enumerate(flat):
        if char in ".!?" and flat[index + 1 : index + 2] == " " and flat[index + 2].isupper():
            return flat[: index + 1]
    return flat


def _dim(size: tuple[int, int, int]) -> str:
    x, y, z = size
    parts = [x, y, z] if z != 1 else [x, y] if y != 1 else [x]
    return " x ".join(str(part) for part in parts)
