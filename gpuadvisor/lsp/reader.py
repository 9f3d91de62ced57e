"""The server's end of the worker process: one job at a time, cancelled by ending the process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from gpuadvisor.lsp.jobs import HEADER, Done, Failed, Job, Told

logger = logging.getLogger(__name__)

IDLE_S = 60.0
"""A worker without work ends after this time, and what it holds with it."""

Tell = Callable[[str, "float | None"], None]


class Reader:
    """Runs jobs in a worker process that is started when needed and kept while there is work."""

    def __init__(self, module: str = "gpuadvisor.lsp.worker") -> None:
        self._module = module
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._idle: asyncio.TimerHandle | None = None
        self._logs: set[asyncio.Task[None]] = set()

    async def run(self, job: Job, tell: Tell) -> Done | Failed:
        """The result of a job. Cancelling the call ends the process that works on it."""
        async with self._turn:
            self._stop_idling()
            try:
                answer = await self._ask(job, tell)
            except (BrokenPipeError, ConnectionError, asyncio.IncompleteReadError):
                answer = Failed("the reading process ended unexpectedly", await self._end())
            except BaseException:
                await self._end()
                raise
            self._idle = asyncio.get_running_loop().call_later(IDLE_S, self.close)
            return answer

    async def warm(self) -> None:
        """Start the process, so that the first job does not wait for its imports."""
        async with self._turn:
            await self._started()

    def close(self) -> None:
        """End the process now."""
        self._stop_idling()
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()

    async def ended(self) -> None:
        """End the process and wait until it is gone."""
        process = self._process
        self.close()
        if process is not None:
            await process.wait()
        if self._logs:
            await asyncio.wait(self._logs, timeout=1.0)

    async def _ask(self, job: Job, tell: Tell) -> Done | Failed:
        import pickle

        process = await self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        body = pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL)
        process.stdin.write(HEADER.pack(len(body)) + body)
        await process.stdin.drain()
        while True:
            header = await process.stdout.readexactly(HEADER.size)
            frame = await process.stdout.readexactly(HEADER.unpack(header)[0])
            answer = await asyncio.to_thread(pickle.loads, frame)
            if not isinstance(answer, Told):
                assert isinstance(answer, (Done, Failed))
                return answer
            tell(answer.text, answer.fraction)

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                self._module,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=1 << 20,
                # `-m` imports from where it starts, and the server may run in a workspace
                cwd=Path(__file__).resolve().parents[2],
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
            task = asyncio.create_task(self._log(self._process))
            self._logs.add(task)
            task.add_done_callback(self._logs.discard)
        return self._process

    async def _end(self) -> str:
        """End the process; its exit status in words."""
        process = self._process
        self.close()
        if process is None:
            return ""
        status = await process.wait()
        return f"exit status {status}"

    @staticmethod
    async def _log(process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while line := await process.stderr.readline():
            logger.warning("worker: %s", line.decode(errors="replace").rstrip())

    def _stop_idling(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
