"""Whose time a line shows: samples stand where a warp waits, not at what it waits for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuadvisor.render.escape import markdown_code
from gpuadvisor.render.units import percent

if TYPE_CHECKING:
    from gpuadvisor.evidence.findings import LineRecord
    from gpuadvisor.lsp.snapshot import Measured
    from gpuadvisor.lsp.view import DocumentView

MAX_PLACES = 3
MIN_OF_LINE = 0.1
"""Of a line's samples; less is not worth a sentence."""
MIN_OF_KERNEL_PCT = 1.0


def borrowed(view: DocumentView, item: Measured) -> Iterator[str]:
    """Sentences on the samples of a line that belong to other lines."""
    record = item.record
    for file, line, samples in sorted(record.drains, key=lambda entry: (-entry[2], *entry[:2]))[
        :MAX_PLACES
    ]:
        if record.samples and samples >= MIN_OF_LINE * record.samples:
            yield (
                f"**{samples:,} of the {record.samples:,} samples here are not this line's "
                f"own**: {_what_for(record, place(view, file, line))}. Look there."
            )


def lent(view: DocumentView, item: Measured) -> Iterator[str]:
    """Sentences on the samples of a line that show on other lines."""
    line = item.record.line
    found: list[tuple[int, float, LineRecord]] = []
    for other in view.evidence.drains.get(line, ()):
        record = other.record
        if other.kernel != item.kernel or not record.samples or record.samples_pct is None:
            continue
        samples = sum(
            count for file, at, count in record.drains if at == line and file in view.evidence.names
        )
        found.append((samples, record.samples_pct * samples / record.samples, record))
    found.sort(key=lambda entry: (-entry[0], entry[2].line))
    for samples, share, record in found[:MAX_PLACES]:
        if share >= MIN_OF_KERNEL_PCT:
            where = place(view, record.file, record.line)
            yield (
                f"**{samples:,} more samples ({percent(share)} of the kernel's) are this "
                f"line's** but show on {where}: {_what_for(record, 'this line')}."
            )


def _what_for(record: LineRecord, where: str) -> str:
    """What the warps at a record's line wait for, by their most frequent stall."""
    reasons = {name: count for name, count in record.stalls.items() if name != "selected"}
    reason = max(reasons, key=lambda name: (reasons[name], name), default="")
    if reason == "drain":
        return f"warps wait for the stores of {where} to drain"
    if reason == "barrier":
        return f"warps wait at the barrier of {where}"
    if reason in ("long_scoreboard", "short_scoreboard"):
        return f"warps wait for what {where} reads"
    return f"warps wait for what {where} started"


def place(view: DocumentView, file: str, line: int) -> str:
    """A measured line in words, where it is today."""
    if file not in view.evidence.names:
        return markdown_code(f"{file}:{line}")
    now, _ = view.moves.forward(line)
    if not now:
        return f"a line that is gone (it was line {line})"
    text = view.document.lines[now - 1].strip()
    return f"line {now}, {markdown_code(text)}" if text else f"line {now}"
