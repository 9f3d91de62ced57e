"""A line on stderr that says what is going on, for work that takes longer than a second."""

from __future__ import annotations

import shutil
import time
from types import TracebackType
from typing import TextIO

PATIENCE_S = 1.0
INTERVAL_S = 0.1


class ProgressLine:
    """A context manager; `update` may be called as often as one likes. Nothing is written where
    stderr is no terminal, and the line is wiped at the end."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = False
        self._terminal = stream.isatty()
        self._due = time.monotonic() + PATIENCE_S

    def update(self, message: str, done: float | None = None) -> None:
        """Say `message`, with `done` (0..1) as a percentage."""
        now = time.monotonic()
        if not self._terminal or now < self._due:
            return
        from gpuadvisor.render.escape import visible

        self._due = now + INTERVAL_S
        share = "" if done is None else f" {100 * min(max(done, 0.0), 1.0):.0f} %"
        room = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r\x1b[K{(visible(message) + share)[:room]}")
        self._stream.flush()
        self._shown = True

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
