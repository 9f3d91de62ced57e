"""Push diagnostics: the findings of the reports, and what is wrong with suppression comments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from gpuadvisor.lsp.diagnostics import DiagnosticStore
from gpuadvisor.lsp.documents import uri_of
from gpuadvisor.lsp.feature import Feature
from gpuadvisor.lsp.links import rule_url
from gpuadvisor.lsp.tasks import Debounce
from gpuadvisor.lsp.view import is_python
from gpuadvisor.render.escape import visible

if TYPE_CHECKING:
    from gpuadvisor.lsp.documents import Document
    from gpuadvisor.lsp.server import Server
    from gpuadvisor.lsp.view import DocumentView, Placed

SOURCE = "gpuadvisor"
MAX_A_LINE = 5
SEVERITIES = {
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


class Diagnostics(Feature):
    """Publishes what the producers have to say about open documents."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.store: DiagnosticStore
        self._edited: dict[str, Debounce] = {}

    def register(self, server: Server) -> None:
        self.store = DiagnosticStore(server.text_document_publish_diagnostics)

    def document_opened(self, document: Document) -> None:
        self._update(document)

    def document_changed(self, document: Document) -> None:
        uri = document.uri
        if uri not in self._edited:
            self._edited[uri] = Debounce(lambda: self._update_uri(uri), 0.05, 0.5)
        self._edited[uri]()

    def document_closed(self, uri: str) -> None:
        timer = self._edited.pop(uri, None)
        if timer is not None:
            timer.cancel()
        self.store.clear(uri)

    def snapshot_changed(self) -> None:
        for document in self.session.documents():
            self._update(document)

    def shutdown(self) -> None:
        for timer in self._edited.values():
            timer.cancel()

    def _update_uri(self, uri: str) -> None:
        document = self.session.document(uri)
        if document is not None:
            self._update(document)

    def _update(self, document: Document) -> None:
        view = self.session.view(document.uri)
        self.store.set("report", document.uri, report_diagnostics(view) if view else ())
        self.store.set("source", document.uri, suppression_diagnostics(document))
        self.store.publish(document.uri, document.version)


def report_diagnostics(view: DocumentView) -> list[types.Diagnostic]:
    """The findings of a document, at most five a line: the gravest and most rewarding ones."""
    by_line: dict[int, list[Placed]] = {}
    for placed in view.placed:
        by_line.setdefault(placed.line, []).append(placed)
    diagnostics = []
    for line in sorted(by_line):
        ranked = sorted(by_line[line], key=_rank)
        diagnostics += [_diagnostic(view, placed) for placed in _distinct(ranked)[:MAX_A_LINE]]
    return diagnostics


def _rank(placed: Placed) -> tuple[bool, int, float]:
    finding = placed.found.finding
    return placed.state == "stale", SEVERITIES[finding.severity].value, -finding.weight


def _distinct(ranked: Iterable[Placed]) -> list[Placed]:
    """One of those that say the same of the same place, as the launches of one kernel do."""
    seen: dict[tuple[object, ...], Placed] = {}
    for placed in ranked:
        finding = placed.found.finding
        kernel = placed.found.kernel.summary.name if placed.found.kernel else ""
        seen.setdefault((finding.rule, kernel, placed.line, placed.column), placed)
    return list(seen.values())


def span(view: DocumentView, placed: Placed) -> types.Range:
    """The range of a finding in the client's units."""
    document = view.document
    return types.Range(
        types.Position(placed.line - 1, document.units(placed.line - 1, placed.column)),
        types.Position(placed.end_line - 1, document.units(placed.end_line - 1, placed.end_column)),
    )


def _diagnostic(view: DocumentView, placed: Placed) -> types.Diagnostic:
    finding = placed.found.finding
    stale = placed.state == "stale"
    severity = types.DiagnosticSeverity.Hint if stale else SEVERITIES[finding.severity]
    if view.evidence.by_name and severity == types.DiagnosticSeverity.Warning:
        # Another file may define a kernel of that name: this is not certain enough to warn.
        severity = types.DiagnosticSeverity.Information
    return types.Diagnostic(
        range=span(view, placed),
        message=message(placed, several=len(view.kernel_lines) > 1),
        severity=severity,
        code=finding.code,
        code_description=types.CodeDescription(href=rule_url(finding.code)),
        source=SOURCE,
        related_information=_related(view, placed) or None,
        data={
            "rule": finding.rule,
            "fingerprint": finding.fingerprint,
            "report": placed.found.report,
            "kernel": finding.kernel,
            "fixes": [fix.id for fix in finding.fixes if fix.applicability != "display-only"],
        },
    )


def message(placed: Placed, several: bool) -> str:
    """A finding in two lines: what it is, and what its removal would gain."""
    from gpuadvisor.render.wording import gain

    finding = placed.found.finding
    if placed.state == "stale":
        return visible(f"Edited since it was profiled: {finding.title}. Profile again to confirm.")
    text = visible(f"{finding.title}: {finding.message}")
    if several and placed.found.kernel is not None:
        text += visible(f" [{placed.found.kernel.summary.name}]")
    if finding.estimate is not None:
        text += f"\nGain: {visible(gain(finding.estimate))}."
    return text


def _related(view: DocumentView, placed: Placed) -> list[types.DiagnosticRelatedInformation]:
    related = []
    for item in placed.found.finding.related:
        if item.file in view.evidence.names:
            line, _ = view.moves.forward(item.line)
            uri = view.document.uri
            columns = view.document.content_span(line - 1)
        else:
            line, columns = item.line, (0, 0)
            uri = uri_of(item.file) if item.file in view.known else ""
        if line and uri:
            start, end = (view.document.units(line - 1, column) for column in columns)
            where = types.Range(types.Position(line - 1, start), types.Position(line - 1, end))
            related.append(
                types.DiagnosticRelatedInformation(
                    location=types.Location(uri, where), message=visible(item.message)
                )
            )
    return related


def suppression_diagnostics(document: Document) -> list[types.Diagnostic]:
    """What is wrong with the comments that silence rules."""
    if "gpuadvisor" not in document.text:
        return []
    from gpuadvisor.source.suppress import parse_suppressions

    diagnostics = []
    for item in parse_suppressions(document.text, is_python(document)).items:
        if item.error:
            line = item.line - 1
            where = types.Range(
                types.Position(line, document.units(line, item.column - 1)),
                types.Position(line, document.units(line, item.end_column - 1)),
            )
            diagnostics.append(
                types.Diagnostic(
                    range=where,
                    message=visible(f"This comment silences nothing: {item.error}"),
                    severity=types.DiagnosticSeverity.Warning,
                    source=SOURCE,
                )
            )
    return diagnostics
