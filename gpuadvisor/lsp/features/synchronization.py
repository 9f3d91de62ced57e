"""Open, change, save and close of documents, told to all features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from gpuadvisor.lsp.feature import Feature

if TYPE_CHECKING:
    from gpuadvisor.lsp.documents import Document
    from gpuadvisor.lsp.server import Server


class Synchronization(Feature):
    """The text itself is kept by the protocol layer."""

    def register(self, server: Server) -> None:
        server.answer(types.TEXT_DOCUMENT_DID_OPEN, self._opened)
        server.answer(types.TEXT_DOCUMENT_DID_CHANGE, self._changed)
        server.answer(types.TEXT_DOCUMENT_DID_SAVE, self._saved)
        server.answer(types.TEXT_DOCUMENT_DID_CLOSE, self._closed)

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        self._tell("document_opened", params.text_document.uri)

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        self._tell("document_changed", params.text_document.uri)

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        self._tell("document_saved", params.text_document.uri)
        document = self.session.document(params.text_document.uri)
        if document is not None:
            self.session.saved(document)

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self.session.forget(uri)
        self.session.server.tell_features("document_closed", uri)

    def _tell(self, event: str, uri: str) -> None:
        document: Document | None = self.session.document(uri)
        if document is not None:
            self.session.server.tell_features(event, document)
