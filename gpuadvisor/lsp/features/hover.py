"""Hover: what was measured on the line, whose samples they are, and what the findings say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from gpuadvisor.lsp.feature import Feature
from gpuadvisor.lsp.links import rule_url
from gpuadvisor.render.escape import markdown, markdown_code

if TYPE_CHECKING:
    from gpuadvisor.lsp.server import Server
    from gpuadvisor.lsp.snapshot import Measured
    from gpuadvisor.lsp.view import DocumentView, Placed

MAX_FINDINGS = 3


class Hovers(Feature):
    """Answers `textDocument/hover`."""

    def register(self, server: Server) -> None:
        server.answer(types.TEXT_DOCUMENT_HOVER, self._hover)

    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        view = self.session.view(params.text_document.uri)
        if view is None:
            return None
        line = params.position.line + 1
        text = line_text(view, line, measurements=self.session.profile_data_shown)
        if not text:
            return None
        document = view.document
        start, end = document.content_span(line - 1)
        return types.Hover(
            types.MarkupContent(types.MarkupKind.Markdown, text),
            types.Range(
                types.Position(line - 1, document.units(line - 1, start)),
                types.Position(line - 1, document.units(line - 1, end)),
            ),
        )


def line_text(view: DocumentView, line: int, measurements: bool) -> str:
    """The Markdown for a line (from 1) of today's text, empty when there is nothing to say."""
    parts: list[str] = []
    if measurements:
        parts += _measurements(view, line)
    placed = view.at_line(line)
    parts += [_finding(item) for item in placed[:MAX_FINDINGS]]
    if len(placed) > MAX_FINDINGS:
        parts.append(f"and {len(placed) - MAX_FINDINGS} more findings")
    return "\n\n".join(parts)


def _measurements(view: DocumentView, line: int) -> Iterator[str]:
    from gpuadvisor.lsp.measurements import advice, table

    items, state = view.measured(line)
    if not items:
        return
    if state == "stale":
        yield "*This line was edited since it was profiled; measured before:*"
    text = table(items)
    if text:
        yield text
    drains = [text for item in items[:2] for text in _drains(view, item)]
    yield from drains
    late = [text for item in items[:2] for text in _drained(view, item)]
    yield from late
    hint = advice([item.record for item in items])
    if hint and not drains and not view.at_line(line):
        yield markdown(hint)


def _drains(view: DocumentView, item: Measured) -> Iterator[str]:
    """Whose samples a line shows when they are other lines' stores that drain here."""
    record = item.record
    whose = sorted(record.drains, key=lambda drain: (-drain[2], drain[0], drain[1]))
    for file, line, samples in whose[:3]:
        where = _place(view, file, line)
        of = f" of the {record.samples:,} samples" if record.samples else " samples"
        yield (
            f"**Not this line's own time**: {samples:,}{of} here are the drain of the stores "
            f"on {where}. Mend those."
        )


def _drained(view: DocumentView, item: Measured) -> Iterator[str]:
    """Where the stores of a line drain, which is time that the line itself does not show."""
    record = item.record
    for other in view.evidence.drains.get(record.line, ()):
        if other.kernel is item.kernel or other.kernel == item.kernel:
            samples = sum(
                count
                for file, line, count in other.record.drains
                if line == record.line and file in view.evidence.names
            )
            pct = ""
            if other.record.samples and other.record.samples_pct is not None:
                part = other.record.samples_pct * samples / other.record.samples
                pct = f" ({part:.0f} % of the kernel's)"
            where = _place(view, other.record.file, other.record.line)
            yield f"Its stores drain on {where}: {samples:,} more samples{pct}."


def _place(view: DocumentView, file: str, line: int) -> str:
    if file not in view.evidence.names:
        return markdown_code(f"{file}:{line}")
    now, _ = view.moves.forward(line)
    if not now:
        return f"a line that is gone (line {line} when it was profiled)"
    text = view.document.lines[now - 1].strip()
    return f"line {now}, {markdown_code(text)}" if text else f"line {now}"


def _finding(placed: Placed) -> str:
    from gpuadvisor.render.wording import gain_in_time

    finding = placed.found.finding
    kernel = placed.found.kernel.summary if placed.found.kernel else None
    link = f"[{markdown(finding.code)}]({rule_url(finding.code)})"
    head = f"**{markdown(finding.title)}** {link} {markdown(finding.severity)}"
    if kernel is not None:
        head += f" in {markdown_code(kernel.name)}"
    lines = [head]
    if placed.state == "stale":
        lines.append("*Edited since it was profiled; profile again to confirm.*")
    lines.append(_prose(finding.message))
    if finding.why:
        lines.append(f"**Why**: {_prose(finding.why)}")
    if finding.fix:
        lines.append(f"**Fix**: {_prose(finding.fix)}")
    if finding.estimate is not None:
        basis = f"; {_prose(finding.estimate.basis)}" if finding.estimate.basis else ""
        lines.append(f"**Gain**: {markdown(gain_in_time(finding, kernel))}{basis}")
    for gone in finding.consequences:
        lines.append(f"Goes with it: {_prose(gone.message)} ({markdown(gone.code)})")
    return "\n\n".join(lines)


def _prose(text: str) -> str:
    return markdown(" ".join(text.split()))
