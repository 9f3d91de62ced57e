"""One finding as text, in the manner of a compiler's message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from gpuadvisor.evidence.findings import EvidenceItem, Finding, KernelSummary, Location
from gpuadvisor.render.escape import visible
from gpuadvisor.render.excerpt import CONTEXT, Row, excerpt, near
from gpuadvisor.render.layout import Line, Span, cells, line, wrap
from gpuadvisor.render.wording import STATES, first_sentence, gain_in_time, measured

LABEL = 10
LABEL_LIMIT = 60
WORTH_TELLING = 1.05
"""The gain of an info is told from this speedup on."""
ShowPath = Callable[[str], str]
Said = dict[tuple[str, str], str]
"""(label, text) to the name of the kernel it was said of."""


def finding_lines(
    finding: Finding,
    kernel: KernelSummary | None,
    sources: Mapping[str, str],
    width: int,
    show_path: ShowPath,
    said: Said | None = None,
) -> Iterator[Line]:
    """The message, the place with its excerpt, then what was measured, why, fix, gain and the
    symptoms that go away with it. Only a warning is explained at length: an info has little to
    gain, and `gpuadvisor rules show` has its explanation.

    `said` holds what the findings before it have said; it is not said again, and grows.
    """
    head = line(
        (finding.severity, finding.severity),
        (f"[{finding.code}]", finding.severity),
        (f" {finding.rule}: ", "title"),
    )
    yield from wrap(finding.message, width, head, hang=4)
    rows: list[Row] = []
    if finding.location is not None:
        context = CONTEXT if finding.severity == "warning" else 0
        rows = excerpt(sources, finding.location, finding.related, context)
        yield from _located(finding, finding.location, rows, show_path)
    shown = near(finding.location, finding.related) if finding.location and rows else []
    for related in finding.related:
        if related not in shown:
            where = f"{visible(show_path(related.file))}:{related.line}"
            place = line("  ", ("::: ", "dim"), (where, "path"), ": ")
            yield from wrap(related.message, width, place, hang=6)
    if finding.severity == "warning":
        yield from _measured(finding.evidence)
    said = {} if said is None else said
    here = visible(kernel.name) if kernel is not None else ""
    again: dict[str, list[str]] = {}
    for label, text in _paragraphs(finding, kernel):
        if (label, text) in said:
            again.setdefault(said[label, text], []).append(label)
        else:
            said[label, text] = here
            yield from wrap(text, width, line("  ", (f"{label:<{LABEL}}", "label")))
    for where, labels in again.items():
        of = f", as for {where}" if where not in ("", here) else ""
        yield line("  ", (f"{'as above':<{LABEL}}", "label"), ", ".join(labels) + of)


def _paragraphs(finding: Finding, kernel: KernelSummary | None) -> Iterator[tuple[str, str]]:
    """Label and text of what is said below the excerpt."""
    estimate = finding.estimate
    if finding.severity == "warning":
        if finding.why:
            yield "why", finding.why
        if finding.fix:
            yield "fix", finding.fix
    else:
        parts = [" ".join(part for part in measured(item) if part) for item in finding.evidence]
        if parts:
            yield "measured", "; ".join(parts)
        if finding.fix:
            yield "fix", first_sentence(finding.fix)
        if estimate is not None and estimate.speedup[1] < WORTH_TELLING:
            estimate = None
    if estimate is not None:
        yield "gain", f"{gain_in_time(finding, kernel)}: {estimate.basis}"
    for offer in finding.fixes:
        if offer.applicability != "display-only":
            yield "edit", f"{offer.title} ({offer.applicability}; in the editor)"
    for consequence in finding.consequences:
        yield "symptom", f"{consequence.message} ({consequence.code} {consequence.rule})"


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
    framed = finding.severity == "warning"
    if framed:
        yield empty
    for row in rows:
        if row.number is None:
            yield line((" " + "." * gutter, "dim"))
            continue
        yield line((f" {row.number:>{gutter}} | ", "dim"), row.text)
        if row.marks:
            yield from _marks(row, " " * (gutter + 2), finding)
    if framed:
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
    """A small table: what, number, unit, threshold."""
    rows = []
    for item in items:
        what, value, threshold = (visible(part) for part in measured(item))
        amount, _, unit = value.partition(" ")
        rows.append((what, amount, unit, threshold))
    if not rows:
        return
    widths = [max(cells(row[column]) for row in rows) for column in range(3)]
    for index, (what, amount, unit, threshold) in enumerate(rows):
        label = "measured" if index == 0 else ""
        text = f"{what:<{widths[0]}}  {amount:>{widths[1]}} {unit:<{widths[2]}}"
        yield line(
            "  ",
            (f"{label:<{LABEL}}", "label"),
            text,
            (f"  {threshold}" if threshold else "", "dim"),
        )
