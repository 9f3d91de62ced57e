"""A line on stderr that says what is going on, for work that takes longer than a second."""

from __future__ import annotations

import shutil
import threading
import time
from types import TracebackType
from typing import TextIO

PATIENCE_S = 1.0
INTERVAL_S = 0.2


class ProgressLine:
    """A context manager; `update` may be called as often as one likes, or once for long work: a
    thread draws the line. Nothing is written, and no thread started, where stderr is no
    terminal; the line is wiped at the end."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._state: tuple[str, float | None, float] = ("working", None, time.monotonic())
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def update(self, message: str, done: float | None = None) -> None:
        """Say `message`, with `done` (0..1) as a percentage or else with the time it takes."""
        since = self._state[2] if message == self._state[0] else time.monotonic()
        self._state = (message, done, since)

    def __enter__(self) -> ProgressLine:
        if self._stream.isatty():
            self._thread = threading.Thread(target=self._draw, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def _draw(self) -> None:
        if self._done.wait(PATIENCE_S):
            return
        while True:
            self._stream.write(f"\r\x1b[K{self._line()}")
            self._stream.flush()
            if self._done.wait(INTERVAL_S):
                break
        self._stream.write("\r\x1b[K")
        self._stream.flush()

    def _line(self) -> str:
        from gpuadvisor.render.escape import visible

        message, done, since = self._state
        if done is None:
            tail = f" ({time.monotonic() - since:.0f} s)"
        else:
            tail = f" {100 * min(max(done, 0.0), 1.0):.0f} %"
        room = shutil.get_terminal_size().columns - 1
        return visible(message)[: max(room - len(tail), 0)] + tail
