"""The reports the editor knows: which are read, what was read, and what becomes of their files.

A report is read once its file has stopped changing, in the worker process. A new version that
cannot be read leaves the last good one in use; a file that is gone takes its findings with it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import traceback
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from gpuadvisor.lsp.jobs import Done, Failed, Job

if TYPE_CHECKING:
    from gpuadvisor.evidence.findings import Analysis
    from gpuadvisor.lsp.reader import Reader, Tell
    from gpuadvisor.lsp.tasks import Tasks

logger = logging.getLogger(__name__)

SETTLE_S = 0.25
"""A file that has not changed for this long is taken to be complete."""
GONE_S = 1.0
"""A profiler that writes anew removes the old file first: absence counts after this time."""
POLL_S = 2.0

State = Literal["reading", "ready", "damaged", "missing"]
Fingerprint = tuple[int, int]
"""Size and time of change of a file."""


class Listener(Protocol):
    """Who is told what happens to reports."""

    def reports_changed(self) -> None:
        """A state changed."""

    def evidence_changed(self) -> None:
        """The analyses changed."""

    def report_damaged(self, path: str, reason: str, kept: bool) -> None:
        """A report cannot be read; `kept` when an earlier version is still in use."""

    def tell_once(self, message: str) -> None:
        """The user should know; once is enough."""

    def reading(self, path: str) -> AbstractContextManager[Tell]:
        """Shows progress while a report is read."""


@dataclass
class Entry:
    """One known report."""

    path: str
    state: State = "reading"
    message: str = ""
    analysis: Analysis | None = None
    seconds: float = 0.0
    seen: Fingerprint | None = None
    """Of the version that was last read or tried."""
    options: object = None
    task: asyncio.Task[Any] | None = field(default=None, repr=False)
    reading: Fingerprint | None = None
    """Of the version that is being read now."""


class ReportKeeper:
    """Keeps the analyses of the wanted reports up to date."""

    def __init__(self, reader: Reader, listener: Listener, tasks: Tasks) -> None:
        self._reader = reader
        self._listener = listener
        self._tasks = tasks
        self._entries: dict[str, Entry] = {}
        self._options: Any = None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All known reports in the order of precedence."""
        return tuple(self._entries.values())

    def entry(self, path: str) -> Entry | None:
        return self._entries.get(path)

    def analyses(self) -> list[tuple[str, Analysis]]:
        """What was read, in the order of precedence."""
        return [
            (entry.path, entry.analysis) for entry in self.entries if entry.analysis is not None
        ]

    def want(self, paths: Sequence[str], options: Any) -> None:
        """The reports to keep from now on, in the order of precedence, and how to read them."""
        known = self._entries
        self._options = options
        self._entries = {path: known.get(path) or Entry(path) for path in dict.fromkeys(paths)}
        dropped = [entry for path, entry in known.items() if path not in self._entries]
        for entry in dropped:
            self._stop(entry)
        for entry in self.entries:
            if entry.options != options or (entry.task is None and entry.seen is None):
                self._follow(entry)
        self._listener.reports_changed()
        if list(known) != list(self._entries):
            self._listener.evidence_changed()

    def again(self, path: str) -> None:
        """Read a report once more although it did not change: the sources did."""
        entry = self._entries.get(path)
        if entry is not None and entry.task is None:
            entry.seen = None
            self._follow(entry)

    def touch(self, path: str) -> None:
        """Something happened to a file; nothing is done when it is as it was."""
        entry = self._entries.get(path)
        if entry is not None:
            now = fingerprint(path)
            current = entry.reading if entry.task is not None else entry.seen
            if now != current or (now is None) != (entry.state == "missing"):
                self._follow(entry)

    async def poll(self) -> None:
        """Look after all known files for ever: watchers do not see those outside the workspace,
        and some clients have none."""
        while True:
            await asyncio.sleep(POLL_S)
            idle = [entry for entry in self.entries if entry.task is None]
            prints = await asyncio.to_thread(_fingerprints, [entry.path for entry in idle])
            for entry, now in zip(idle, prints, strict=True):
                if entry.task is None and now != entry.seen:
                    self.touch(entry.path)

    async def settled(self, path: str) -> Entry | None:
        """The entry of a report once nothing is being done about it."""
        while (entry := self._entries.get(path)) is not None and entry.task is not None:
            await asyncio.wait([entry.task])
        return entry

    def _follow(self, entry: Entry) -> None:
        self._stop(entry)
        entry.options = self._options
        task = self._tasks.start(self._update(entry), f"reading {entry.path}")
        entry.task = task

        def ended(_: object) -> None:
            if entry.task is task:
                entry.task = None
                entry.reading = None

        task.add_done_callback(ended)

    def _stop(self, entry: Entry) -> None:
        if entry.task is not None:
            entry.task.cancel()
            entry.task = None
            entry.reading = None

    async def _update(self, entry: Entry) -> None:
        while True:
            now = await settle(entry.path, known=entry.seen)
            if now is None:
                self._gone(entry)
                return
            entry.reading = now
            self._set(entry, "reading", "")
            with self._listener.reading(entry.path) as tell:
                answer = await self._run(entry.path, tell)
            entry.seen = now
            if await asyncio.to_thread(fingerprint, entry.path) == now:
                break
        self._read(entry, answer)

    async def _run(self, path: str, tell: Tell) -> Done | Failed:
        try:
            return await self._reader.run(Job(path, self._options), tell)
        except Exception as error:
            return Failed(f"{type(error).__name__}: {error}", trace=traceback.format_exc())

    def _read(self, entry: Entry, answer: Done | Failed) -> None:
        if isinstance(answer, Done):
            if answer.complaint:
                self._listener.tell_once(answer.complaint)
            entry.analysis = answer.analysis
            entry.seconds = answer.seconds
            self._set(entry, "ready", "")
            self._listener.evidence_changed()
            return
        reason = describe(entry.path, answer)
        self._set(entry, "damaged", reason)
        self._listener.report_damaged(entry.path, reason, kept=entry.analysis is not None)

    def _gone(self, entry: Entry) -> None:
        had = entry.analysis is not None
        entry.analysis = None
        entry.seen = None
        self._set(entry, "missing", "the file does not exist")
        if had:
            self._listener.evidence_changed()

    def _set(self, entry: Entry, state: State, message: str) -> None:
        if (entry.state, entry.message) != (state, message):
            entry.state, entry.message = state, message
            self._listener.reports_changed()


def describe(path: str, answer: Failed) -> str:
    """Why a report cannot be read, in words; a fault of ours goes to the log with its trace."""
    if answer.trace:
        logger.error("analysing %s failed\n%s", path, answer.trace)
    return f"{answer.reason} ({answer.hint})" if answer.hint else answer.reason


def fingerprint(path: str) -> Fingerprint | None:
    """Size and time of change of a file, None when there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns


def _fingerprints(paths: Sequence[str]) -> list[Fingerprint | None]:
    return [fingerprint(path) for path in paths]


async def settle(path: str, known: Fingerprint | None) -> Fingerprint | None:
    """The fingerprint of a file once it stays as it is, None once it stays away."""
    import time

    last = await asyncio.to_thread(fingerprint, path)
    if last is not None and known is None and time.time_ns() - last[1] > 2_000_000_000:
        return last  # old and never read: nobody is writing it
    absent = 0.0
    while True:
        await asyncio.sleep(SETTLE_S)
        now = await asyncio.to_thread(fingerprint, path)
        absent = absent + SETTLE_S if now is None else 0.0
        if now == last and (now is not None or absent >= GONE_S):
            return now
        last = now
