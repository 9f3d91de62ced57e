"""Reports and settings files that appear, change or go, as the client sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from gpuadvisor.lsp.documents import path_of
from gpuadvisor.lsp.feature import Feature

if TYPE_CHECKING:
    from gpuadvisor.lsp.server import Server

_PATTERNS = ("**/*.{ncu-rep,ncu-repz}", "**/{gpuadvisor,pyproject}.toml")


class WatchedFiles(Feature):
    """Has the client watch for reports in the workspace."""

    def register(self, server: Server) -> None:
        server.answer(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._changed)

    def initialized(self) -> None:
        workspace = self.session.server.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace else None
        if watching and watching.dynamic_registration:
            self.session.server.register_soon(
                types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                types.DidChangeWatchedFilesRegistrationOptions(
                    watchers=[
                        types.FileSystemWatcher(glob_pattern=pattern) for pattern in _PATTERNS
                    ]
                ),
            )

    def _changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            path = path_of(change.uri)
            if path is not None:
                self.session.watched(path)
