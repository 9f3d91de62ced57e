"""The hottest source lines of a kernel (`--lines`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuadvisor.evidence.findings import LineRecord
from gpuadvisor.render import units
from gpuadvisor.render.escape import code_line, visible
from gpuadvisor.render.finding_text import ShowPath
from gpuadvisor.render.layout import BLANK, Line, cells, fit, line

ROWS = 15
TEXT_WIDTH = 60
_HEADINGS = ("samples", "stalls", "sectors", "of ideal", "bank", "line")


def line_table(
    records: Sequence[LineRecord], sources: Mapping[str, str], show_path: ShowPath
) -> Iterator[Line]:
    """Up to ROWS lines with the most samples (then instructions), hottest first: share of the
    samples, the two largest stalls, global sectors and how many times the ideal they are, shared
    wavefronts over ideal, the place and its text."""
    hottest = sorted(
        records,
        key=lambda r: (-(r.samples or 0), -(r.instructions or 0.0), r.file, r.line),
    )[:ROWS]
    if not hottest:
        return
    rows = [_HEADINGS, *(_row(record, show_path) for record in hottest)]
    width = [max(cells(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    yield BLANK
    for index, row in enumerate(rows):
        left = (1, 5)
        parts = [
            text + " " * (width[c] - cells(text))
            if c in left
            else " " * (width[c] - cells(text)) + text
            for c, text in enumerate(row)
        ]
        if index == 0:
            yield line(("  ".join(parts), "dim"))
        else:
            text = _text(hottest[index - 1], sources)
            yield line(
                "  ".join(parts[:-1]) + "  ", (parts[-1], "path"), f"  {text}" if text else ""
            )
    if len(records) > len(hottest):
        rest = units.plural(len(records) - len(hottest), "more line")
        yield line((f"and {rest}: --format json holds all", "dim"))


def _row(record: LineRecord, show_path: ShowPath) -> tuple[str, ...]:
    stalls = sorted(record.stalls.items(), key=lambda item: (-item[1], item[0]))[:2]
    total = sum(record.stalls.values())
    shares = [f"{visible(name)} {100 * n / total:.0f} %" for name, n in stalls if total and n]
    return (
        units.percent(record.samples_pct),
        ", ".join(shares) or units.MISSING,
        units.number(record.sectors_global or None),
        _ratio(record.sectors_global, record.sectors_global_ideal),
        _ratio(record.wavefronts_shared, record.wavefronts_shared_ideal),
        f"{visible(show_path(record.file))}:{record.line}",
    )


def _ratio(value: float | None, ideal: float | None) -> str:
    return f"{units.times(value / ideal)}x" if value and ideal else units.MISSING


def _text(record: LineRecord, sources: Mapping[str, str]) -> str:
    lines = sources.get(record.file, "").split("\n")
    if not 1 <= record.line <= len(lines):
        return ""
    return fit(code_line(lines[record.line - 1]).strip(), TEXT_WIDTH)
