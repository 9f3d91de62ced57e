"""`$/progress` while something takes time, for clients that can show it."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from gpuadvisor.lsp.reader import Tell
    from gpuadvisor.lsp.server import Server

logger = logging.getLogger(__name__)

DELAY_S = 0.15
"""What is done sooner is not worth a progress bar."""


@contextmanager
def progress(server: Server, title: str) -> Iterator[Tell]:
    """Shows `title` until the block ends; the function given takes a message and a fraction."""
    shown = _Shown(server, title)
    timer = asyncio.get_running_loop().call_later(DELAY_S, shown.begin)
    try:
        yield shown.tell
    finally:
        timer.cancel()
        shown.end()


class _Shown:
    """One progress bar of the client, not there before `begin`."""

    def __init__(self, server: Server, title: str) -> None:
        self._server = server
        self._title = title
        self._token = str(uuid.uuid4())
        self._state = "waiting"

    def begin(self) -> None:
        window = self._server.client_capabilities.window
        if window is None or not window.work_done_progress:
            return
        self._state = "asked"
        future = self._server.protocol.send_request(
            types.WINDOW_WORK_DONE_PROGRESS_CREATE,
            types.WorkDoneProgressCreateParams(token=self._token),
        )
        loop = asyncio.get_running_loop()
        future.add_done_callback(
            lambda done: loop.call_soon_threadsafe(
                self._granted, not done.cancelled() and done.exception() is None
            )
        )

    def _granted(self, granted: bool) -> None:
        if self._state == "asked" and granted:
            self._state = "shown"
            self._send(types.WorkDoneProgressBegin(title=self._title, cancellable=False))

    def tell(self, text: str, fraction: float | None) -> None:
        if self._state == "shown":
            percentage = None if fraction is None else round(100 * min(max(fraction, 0), 1))
            self._send(types.WorkDoneProgressReport(message=text, percentage=percentage))

    def end(self) -> None:
        if self._state == "shown":
            self._send(types.WorkDoneProgressEnd())
        self._state = "ended"

    def _send(
        self,
        value: types.WorkDoneProgressBegin
        | types.WorkDoneProgressReport
        | types.WorkDoneProgressEnd,
    ) -> None:
        self._server.protocol.notify(
            types.PROGRESS, types.ProgressParams(token=self._token, value=value)
        )
