"""The commands of `workspace/executeCommand`; what each does is in `gpuadvisor.lsp.commands`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuadvisor.lsp.commands import COMMANDS
from gpuadvisor.lsp.feature import Feature

if TYPE_CHECKING:
    from gpuadvisor.lsp.commands import Run
    from gpuadvisor.lsp.server import Server


class Commands(Feature):
    """Registers all commands; lines in their arguments and results count from 1."""

    def register(self, server: Server) -> None:
        for name, run in COMMANDS.items():
            server.command(name)(self._handler(run))

    def _handler(self, run: Run) -> Any:
        async def handle(*arguments: Any) -> Any:
            return await run(self.session, arguments)

        return handle
