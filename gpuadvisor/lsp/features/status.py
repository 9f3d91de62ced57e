"""The status that the client shows: reports and their states, kernels, lines matched and stale."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from gpuadvisor.lsp.feature import Feature
from gpuadvisor.lsp.tasks import Debounce

if TYPE_CHECKING:
    from gpuadvisor.lsp.documents import Document

NOTIFICATION = "gpuadvisor/status"


class Status(Feature):
    """Sends `gpuadvisor/status` when it differs from what was sent last."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._sent: dict[str, Any] | None = None
        self._send_soon = Debounce(self._send, 0.05, 0.5)

    def document_opened(self, document: Document) -> None:
        self._send_soon()

    def document_changed(self, document: Document) -> None:
        if document.path in self.session.snapshot.files:
            self._send_soon()

    def document_closed(self, uri: str) -> None:
        self._send_soon()

    def reports_changed(self) -> None:
        self._send_soon()

    def snapshot_changed(self) -> None:
        self._send_soon()

    def shutdown(self) -> None:
        self._send_soon.cancel()

    def _send(self) -> None:
        status = self.current()
        silent = not status["reports"] and self._sent is None
        if status != self._sent and not silent:
            self._sent = status
            self.session.server.protocol.notify(NOTIFICATION, status)

    def current(self) -> dict[str, Any]:
        """The status as it is sent."""
        session = self.session
        entries = session.keeper.entries
        matched = total = stale = 0
        open_uris = {document.path: document.uri for document in session.documents()}
        for path, evidence in session.snapshot.files.items():
            view = session.view(open_uris[path]) if path in open_uris else None
            counts = view.coverage if view else evidence.coverage
            matched, total, stale = (
                matched + counts[0],
                total + counts[1],
                stale + counts[2],
            )
        return {
            "reports": [{"path": entry.path, "state": entry.state} for entry in entries],
            "kernels": session.snapshot.kernels,
            "linesMatched": matched,
            "linesTotal": total,
            "staleLines": stale,
            "message": self._message(),
        }

    def _message(self) -> str:
        parts = [
            f"{os.path.basename(entry.path)}: {entry.message}"
            for entry in self.session.keeper.entries
            if entry.message
        ]
        discovery = self.session.wishes.discovery
        if discovery.more:
            parts.append(
                f"{discovery.more} older reports are not read; "
                "name those you want in gpuadvisor.reports"
            )
        if discovery.truncated:
            parts.append("the workspace is too large to look for reports everywhere")
        return "; ".join(parts)
