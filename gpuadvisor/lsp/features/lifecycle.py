"""initialize, initialized, shutdown, and the workspace folders."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, cast

from lsprotocol import types

from gpuadvisor.lsp.feature import Feature

if TYPE_CHECKING:
    from gpuadvisor.lsp.documents import Encoding
    from gpuadvisor.lsp.server import Server

_LATER = (
    "gpuadvisor.evidence.findings",
    "gpuadvisor.source.moved",
    "gpuadvisor.source.suppress",
    "gpuadvisor.lsp.measurements",
    "gpuadvisor.render.wording",
)
"""Modules that are needed soon, but not for the answer to `initialize`."""


class Lifecycle(Feature):
    """The beginning and the end of a session."""

    def register(self, server: Server) -> None:
        server.answer(types.INITIALIZE, self._initialize)
        server.answer(types.INITIALIZED, self._initialized)
        server.answer(types.SHUTDOWN, self._shutdown)
        server.answer(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, self._folders_changed)

    def _initialize(self, params: types.InitializeParams) -> None:
        server = self.session.server
        server.initialization_options = params.initialization_options
        encoding = server.workspace.position_encoding or types.PositionEncodingKind.Utf16
        value = encoding.value if isinstance(encoding, types.PositionEncodingKind) else encoding
        server.protocol.documents.encoding = cast("Encoding", value)

    def _initialized(self, _: types.InitializedParams) -> None:
        self.session.start()
        self.session.tasks.start(self._warm(), "loading")
        self.session.server.tell_features("initialized")

    async def _warm(self) -> None:
        for module in _LATER:
            await asyncio.to_thread(importlib.import_module, module)

    async def _shutdown(self, _: None) -> None:
        self.session.server.tell_features("shutdown")
        await self.session.stop()

    def _folders_changed(self, _: types.DidChangeWorkspaceFoldersParams) -> None:
        self.session.rediscover_soon()
