"""The measurements of a line as a Markdown table, one column a kernel, with what they mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gpuadvisor.lsp.glossary import glossary
from gpuadvisor.render import units
from gpuadvisor.render.escape import markdown, markdown_code

if TYPE_CHECKING:
    from gpuadvisor.evidence.findings import LineRecord
    from gpuadvisor.lsp.snapshot import Measured

MAX_KERNELS = 4
MAX_STALLS = 4
MIN_STALL = 0.02
"""Of the line's stall samples; rarer reasons are left out."""
FEW_SAMPLES = 50
WARP = 32

_Cell = Callable[["LineRecord"], str]


def table(items: Sequence[Measured]) -> str:
    """The table of one line, hottest kernel first; empty when nothing was measured."""
    shown = list(items[:MAX_KERNELS])
    rows = [row for row in _rows(shown) if any(cell for cell in row[1])]
    if not rows:
        return ""
    names = [markdown_code(item.kernel.summary.name, in_table=True) for item in shown]
    lines = [
        f"| this line | {' | '.join(names)} | |",
        f"|:---|{'---:|' * len(names)}:---|",
    ]
    for label, values, meaning in rows:
        shown_values = " | ".join(value or units.MISSING for value in values)
        lines.append(f"| {label} | {shown_values} | {meaning} |")
    if len(items) > MAX_KERNELS:
        lines += ["", f"and {units.plural(len(items) - MAX_KERNELS, 'kernel')} more"]
    return "\n".join(lines)


def _rows(items: Sequence[Measured]) -> Iterator[tuple[str, list[str], str]]:
    records = [item.record for item in items]
    yield "samples", [_samples(record) for record in records], "share of the kernel's warp time"
    for reason in top_stalls(records):
        entry = glossary().stall(reason)
        values = [_stall(record, reason) for record in records]
        yield f"stall: {markdown(entry.title)}", values, markdown(entry.meaning)
    yield (
        "L2 sectors",
        [_against(r.sectors_global, r.sectors_global_ideal) for r in records],
        "pieces of 32 bytes moved; ideal: what the data needs",
    )
    yield (
        "shared wavefronts",
        [_against(r.wavefronts_shared, r.wavefronts_shared_ideal) for r in records],
        "passes of the unit; more than ideal are bank conflicts",
    )
    yield (
        "local memory sectors",
        [_some(r.sectors_local) for r in records],
        "spilled registers or indexed arrays of a thread",
    )
    yield (
        "threads per instruction",
        [_threads(r.threads_per_instruction) for r in records],
        "lanes of a warp that take part",
    )
    yield "instructions", [_some(r.instructions) for r in records], "issued by warps"


def top_stalls(records: Sequence[LineRecord]) -> list[str]:
    """The reasons with the most samples over all records; issuing is no stall."""
    totals: dict[str, int] = {}
    for record in records:
        for reason, samples in record.stalls.items():
            if reason != "selected" and samples:
                totals[reason] = totals.get(reason, 0) + samples
    ranked = sorted(totals, key=lambda reason: (-totals[reason], reason))
    least = MIN_STALL * sum(totals.values())
    return [reason for reason in ranked[:MAX_STALLS] if totals[reason] >= least]


def share(record: LineRecord) -> str:
    """`73 %` of the kernel's samples, empty where it was not measured."""
    return "" if record.samples_pct is None else units.percent(record.samples_pct)


def _samples(record: LineRecord) -> str:
    if record.samples is None:
        return ""
    few = " (few)" if _kernel_samples(record) < FEW_SAMPLES else ""
    return f"**{share(record)}** ({units.number(record.samples)}){few}"


def _kernel_samples(record: LineRecord) -> float:
    if not record.samples or not record.samples_pct:
        return math.inf
    return record.samples * 100 / record.samples_pct


def _stall(record: LineRecord, reason: str) -> str:
    samples = record.stalls.get(reason)
    if not samples or not record.samples:
        return ""
    return units.percent(100 * samples / sum(record.stalls.values()))


def _against(value: float | None, ideal: float | None) -> str:
    if value is None or not _known(value) or not value:
        return ""
    text = _amount(value)
    if ideal is None or not _known(ideal) or not ideal:
        return text
    factor = value / ideal
    if factor < 1.005:
        return f"{text} (ideal)"
    return f"{text}, **{units.times(factor)} x** ideal"


def _some(value: float | None) -> str:
    return _amount(value) if value is not None and _known(value) and value else ""


def _amount(value: float) -> str:
    """A count in three digits: `37.7 M`, `8,390`."""
    for size, letter in ((1e9, "G"), (1e6, "M")):
        if value >= size:
            return f"{value / size:.3g} {letter}"
    return units.number(value)


def _threads(value: float | None) -> str:
    if value is None or not _known(value) or not value:
        return ""
    return f"{units.number(value)} of {WARP}"


def _known(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def advice(records: Sequence[LineRecord]) -> str:
    """What to do about the stall that most of a line's samples have, if one has a third."""
    totals: Mapping[str, int] = {}
    for record in records:
        totals = {
            key: totals.get(key, 0) + record.stalls.get(key, 0) for key in {*totals, *record.stalls}
        }
    reasons = top_stalls(records)
    whole = sum(totals.values())
    if not reasons or totals[reasons[0]] * 3 < whole:
        return ""
    return glossary().stall(reasons[0]).advice
