"""Background tasks that are remembered until they end and whose exceptions are logged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

logger = logging.getLogger(__name__)


class Tasks:
    """The running tasks of the server."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        return len(self._running)

    def start(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        """Run a coroutine beside everything else."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def cancel(self) -> None:
        """Ask all of them to stop."""
        for task in tuple(self._running):
            task.cancel()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("%s failed", task.get_name(), exc_info=error)


class Debounce:
    """Calls a function once calls for it have paused, or at the latest after a while."""

    def __init__(self, call: Any, pause_s: float, latest_s: float) -> None:
        self._call = call
        self._pause_s = pause_s
        self._latest_s = latest_s
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = 0.0

    def __call__(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._timer is None:
            self._deadline = now + self._latest_s
        else:
            self._timer.cancel()
        self._timer = loop.call_at(min(now + self._pause_s, self._deadline), self._fire)

    def cancel(self) -> None:
        """Forget a call that is due."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _fire(self) -> None:
        self._timer = None
        self._call()
