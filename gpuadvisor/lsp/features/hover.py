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
    from gpuadvisor.lsp.waits import borrowed, lent

    items, state = view.measured(line)
    if not items:
        return
    if state == "stale":
        yield "*This line was edited since it was profiled; measured before:*"
    text = table(items)
    if text:
        yield text
    waits = [text for item in items[:2] for text in borrowed(view, item)]
    waits += [text for item in items[:2] for text in lent(view, item)]
    yield from waits
    hint = advice([item.record for item in items])
    if hint and not waits and not view.at_line(line):
        yield markdown(hint)


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
