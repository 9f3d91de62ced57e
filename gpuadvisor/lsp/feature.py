"""What a feature of the server is: some requests, and what it does when something changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuadvisor.lsp.documents import Document
    from gpuadvisor.lsp.server import Server
    from gpuadvisor.lsp.session import Session


class Feature:
    """The base of all features; what one has no use for does nothing."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def register(self, server: Server) -> None:
        """Tell the server which requests and notifications this answers."""

    def initialized(self) -> None:
        """The client is ready for requests."""

    def document_opened(self, document: Document) -> None:
        """A document was opened."""

    def document_changed(self, document: Document) -> None:
        """The text of an open document changed."""

    def document_saved(self, document: Document) -> None:
        """An open document was saved."""

    def document_closed(self, uri: str) -> None:
        """A document was closed."""

    def settings_changed(self) -> None:
        """The settings changed."""

    def reports_changed(self) -> None:
        """The state of some report changed."""

    def snapshot_changed(self) -> None:
        """There is new evidence."""

    def shutdown(self) -> None:
        """The session ends."""
