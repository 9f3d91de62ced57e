"""Settings: from the first request, from change notifications, and asked for where possible."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gpuadvisor.lsp.feature import Feature

if TYPE_CHECKING:
    from gpuadvisor.lsp.server import Server

PATIENCE_S = 10.0
"""A client that does not answer by then is taken at its first word."""


class Configuration(Feature):
    """Keeps the session's settings those of the editor."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._initial: object = None

    def register(self, server: Server) -> None:
        server.answer(types.WORKSPACE_DID_CHANGE_CONFIGURATION, self._changed)

    def initialized(self) -> None:
        workspace = self.session.server.client_capabilities.workspace
        changes = workspace.did_change_configuration if workspace else None
        if changes and changes.dynamic_registration:
            self.session.server.register_soon(
                types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                types.DidChangeConfigurationRegistrationOptions(section="gpuadvisor"),
            )
        self._refresh(self.session.server.initialization_options)

    def _changed(self, params: types.DidChangeConfigurationParams) -> None:
        self._refresh(params.settings)

    def _refresh(self, given: object) -> None:
        """Ask the client where it can be asked; else take what was given."""
        workspace = self.session.server.client_capabilities.workspace
        if workspace and workspace.configuration:
            self.session.tasks.start(self._ask(given), "asking for the settings")
        else:
            self.session.apply_settings(given)

    async def _ask(self, given: object) -> None:
        server = self.session.server
        item = types.ConfigurationItem(section="gpuadvisor")
        try:
            answer = await asyncio.wait_for(
                server.workspace_configuration_async(types.ConfigurationParams(items=[item])),
                PATIENCE_S,
            )
        except (JsonRpcException, asyncio.TimeoutError):
            answer = None
        found = answer[0] if answer else None
        self.session.apply_settings(found if found is not None else given)
