"""The protocol layer with what the server needs otherwise than the library does it.

Documents are our own (`documents.Document`): the library splits lines at form feeds and U+2028,
which editors do not, and so loses its place in such files. A request whose parameters are wrong
gets an error instead of no answer, and an internal error is logged instead of shown.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol, lsp_method

from gpuadvisor.lsp.documents import Document, Documents

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.lsp.server import LanguageServer

logger = logging.getLogger(__name__)

_Steps = Generator[Any, Any, None]


class Protocol(LanguageServerProtocol):
    """The language server protocol over our own documents."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        self.documents = Documents()
        super().__init__(server, converter)

    def _execute_handler(
        self, msg_id: Any, handler: Any, callback: Any, args: Any = None, kwargs: Any = None
    ) -> None:
        """Run a handler and forget it when it is done: the library keeps the futures of
        notifications for ever, one for each edit."""
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        future = self._request_futures.get(msg_id)
        if future is not None:
            loop = asyncio.get_running_loop()
            future.add_done_callback(
                lambda _: loop.call_soon_threadsafe(self._request_futures.pop, msg_id, None)
            )

    def structure_message(self, data: dict[str, Any]) -> Any:
        """The message as an object; one that cannot be read is answered here if it asks."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if isinstance(data.get("id"), (int, str)) and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
                return _Answered()
            raise

    def handle_message(self, message: Any) -> None:
        if isinstance(message, _Answered):
            return
        if not hasattr(message, "jsonrpc"):
            logger.warning("Ignoring what is no message: %.200r", message)
            return
        super().handle_message(message)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> _Steps:
        """Keeps the text and tells the features."""
        item = params.text_document
        self.documents.open(item.uri, item.text, item.version, item.language_id)
        yield from self._tell(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> _Steps:
        """Applies the edits in their order and tells the features."""
        document = self.documents.get(params.text_document.uri)
        if document is None:
            logger.warning("Change of a document that is not open: %s", params.text_document.uri)
            return
        for change in params.content_changes:
            apply_change(document, change)
        document.version = params.text_document.version
        yield from self._tell(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> _Steps:
        """Forgets the text and tells the features."""
        if self.documents.close(params.text_document.uri) is not None:
            yield from self._tell(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _tell(self, method: str, params: Any) -> _Steps:
        handler: Callable[[Any], Any] | None = self.fm.features.get(method)
        if handler is not None:
            yield handler, (params,), None


class _Answered:
    """Stands for a message that was answered while it was read."""


def apply_change(document: Document, change: types.TextDocumentContentChangeEvent) -> None:
    """One edit, or a whole new text when it has no range."""
    if isinstance(change, types.TextDocumentContentChangePartial):
        document.edit(change.range.start, change.range.end, change.text)
    else:
        document.replace(change.text)


def invalid(message: str) -> JsonRpcInvalidParams:
    """The error for a command or request whose arguments cannot be used."""
    return JsonRpcInvalidParams(message)


def failed(message: str) -> JsonRpcException:
    """The error for a request that was understood but could not be fulfilled; clients show its
    message."""
    return JsonRpcException(message, code=types.LSPErrorCodes.RequestFailed.value)
