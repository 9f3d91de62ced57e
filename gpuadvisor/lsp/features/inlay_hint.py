"""Inlay hints: a hot line's share of its kernel's samples behind the line. Off by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from gpuadvisor.lsp.feature import Feature

if TYPE_CHECKING:
    from gpuadvisor.lsp.server import Server

MIN_SHARE = 0.01


class InlayHints(Feature):
    """Answers `textDocument/inlayHint`."""

    def register(self, server: Server) -> None:
        server.answer(types.TEXT_DOCUMENT_INLAY_HINT, self._hints, types.InlayHintOptions())

    def snapshot_changed(self) -> None:
        if self.session.settings.inlay_hints:
            self.refresh()

    def settings_changed(self) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Have the client ask again."""
        workspace = self.session.server.client_capabilities.workspace
        if workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
            self.session.server.workspace_inlay_hint_refresh(None, callback=lambda _: None)

    def _hints(self, params: types.InlayHintParams) -> list[types.InlayHint] | None:
        view = self.session.view(params.text_document.uri)
        shown = self.session.settings.inlay_hints and self.session.profile_data_shown
        if view is None or not shown:
            return None
        from gpuadvisor.render.units import percent

        first, last = params.range.start.line + 1, params.range.end.line + 1
        hints = []
        for line, _, local in view.shares:
            if first <= line <= last and local >= MIN_SHARE:
                end = view.document.content_span(line - 1)[1]
                hints.append(
                    types.InlayHint(
                        position=types.Position(line - 1, view.document.units(line - 1, end)),
                        label=percent(100 * local),
                        tooltip="share of the kernel's samples",
                        padding_left=True,
                    )
                )
        return hints
