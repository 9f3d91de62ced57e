"""One finding as text, in the manner of a compiler's message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from gpuadvisor.evidence.findings import EvidenceItem, Finding, KernelSummary, Location
from gpuadvisor.render.escape import visible
from gpuadvisor.render.excerpt import Row, excerpt, near
from gpuadvisor.render.layout import Line, Span, cells, line, wrap
from gpuadvisor.render.wording import STATES, gain_in_time, measured

LABEL = 10
LABEL_LIMIT = 60
ShowPath = Callable[[str], str]


def finding_lines(
    finding: Finding,
    kernel: KernelSummary | None,
    sources: Mapping[str, str],
    width: int,
    show_path: ShowPath,
) -> Iterator[Line]:
    """The message, the place with its excerpt, then what was measured, why, fix, gain and what
    goes away with it. Only a warning is explained at length: an info has little to gain."""
    head = line(
        (finding.severity, finding.severity),
        (f"[{finding.code}]", finding.severity),
        (f" {finding.rule}: ", "title"),
    )
    yield from wrap(finding.message, width, head, hang=4)
    rows: list[Row] = []
    if finding.location is not None:
        rows = excerpt(sources, finding.location, finding.related)
        yield from _located(finding, finding.location, rows, show_path)
    shown = near(finding.location, finding.related) if finding.location and rows else []
    for related in finding.related:
        if related not in shown:
            where = f"{visible(show_path(related.file))}:{related.line}"
            yield from wrap(
                related.message, width, line("  ", ("::: ", "dim"), (where, "path"), ": "), 6
            )
    yield from _measured(finding.evidence)
    if finding.why and finding.severity == "warning":
        yield from _labelled("why", finding.why, width)
    if finding.fix:
        yield from _labelled("fix", finding.fix, width)
    if finding.estimate is not None:
        text = f"{gain_in_time(finding, kernel)}: {finding.estimate.basis}"
        yield from _labelled("gain", text, width)
    for offer in finding.fixes:
        if offer.applicability != "display-only":
            yield from _labelled(
                "edit", f"{offer.title} ({offer.applicability}; in the editor)", width
            )
    for consequence in finding.consequences:
        text = f"{consequence.message} ({consequence.code} {consequence.rule})"
        yield from _labelled("symptom", text, width)


def _located(
    finding: Finding, location: Location, rows: list[Row], show_path: ShowPath
) -> Iterator[Line]:
    notes = [STATES[location.state]] if location.state in STATES else []
    if not rows:
        notes.append("source not at hand")
    if finding.confidence != "high":
        notes.append(f"{finding.confidence} confidence")
    column = f":{location.column}" if location.column is not None else ""
    where = f"{visible(show_path(location.file))}:{location.line}{column}"
    note: Span = (f"  ({', '.join(notes)})" if notes else "", "dim")
    gutter = max((len(str(row.number)) for row in rows if row.number is not None), default=1)
    yield line(" " * (gutter + 1), ("--> ", "dim"), (where, "path"), note)
    if not rows:
        return
    empty: Line = line((" " * (gutter + 2) + "|", "dim"))
    yield empty
    for row in rows:
        if row.number is None:
            yield line((" " + "." * gutter, "dim"))
            continue
        yield line((f" {row.number:>{gutter}} | ", "dim"), row.text)
        if row.marks:
            yield from _marks(row, " " * (gutter + 2), finding)
    yield empty


def _marks(row: Row, margin: str, finding: Finding) -> Iterator[Line]:
    primary = "^" in row.marks
    style = finding.severity if primary else "info"
    label = visible(row.label)
    under: Line = line((margin + "| ", "dim"), (row.marks, style))
    if label and cells(label) > LABEL_LIMIT:
        # Too long to stand beside the marks: below them, where it can break.
        yield under
        blanks = len(row.marks) - len(row.marks.lstrip())
        head = line((margin + "| ", "dim"), " " * min(blanks, 8))
        for spans in wrap(label, len(margin) + 2 + min(blanks, 8) + LABEL_LIMIT, head):
            first = spans[: len(head)] == head
            text = spans[-1][0]
            yield (*head, (text, style)) if first else (*head, (text.strip(), style))
        return
    yield (*under, (f" {label}", style)) if label else under


def _measured(items: tuple[EvidenceItem, ...]) -> Iterator[Line]:
    rows = [tuple(visible(part) for part in measured(item)) for item in items]
    if not rows:
        return
    name = max(cells(row[0]) for row in rows)
    value = max(cells(row[1]) for row in rows)
    for index, (what, number, threshold) in enumerate(rows):
        label = "measured" if index == 0 else ""
        text = f"{what:<{name}}  {number:>{value}}"
        yield line(
            "  ",
            (f"{label:<{LABEL}}", "label"),
            text,
            (f"  {threshold}" if threshold else "", "dim"),
        )


def _labelled(label: str, text: str, width: int) -> Iterator[Line]:
    yield from wrap(text, width, line("  ", (f"{label:<{LABEL}}", "label")))
