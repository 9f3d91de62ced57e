"""The worker process: results, failures, its death, and its end."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from gpuadvisor.lsp import reader as module
from gpuadvisor.lsp.jobs import Done, Failed, Job
from gpuadvisor.lsp.reader import Reader
from gpuadvisor.options import AnalyzeOptions
from tests.lsp.editor import ROOT, sample

ODD_WORKER = """\
import os, sys, time
from gpuadvisor.lsp.jobs import Done, Told, read_frame, write_frame
while (job := read_frame(sys.stdin.buffer)) is not None:
    if job.path == "die":
        os._exit(7)
    if job.path == "hang":
        time.sleep(600)
    if job.path == "talk":
        print("not for the pipe", file=sys.stderr)
        for step in range(3):
            write_frame(sys.stdout.buffer, Told(f"step {step}", step / 3))
    write_frame(sys.stdout.buffer, Done((job.path, os.getpid()), 0.0))
"""


def ignore(text: str, fraction: float | None) -> None:
    return None


@pytest_asyncio.fixture
async def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Reader]:
    """A reader whose worker does what the path says."""
    (tmp_path / "odd_worker.py").write_text(ODD_WORKER)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
    made = Reader("odd_worker")
    yield made
    await made.ended()


def value(answer: Done | Failed) -> Any:
    assert isinstance(answer, Done), answer
    return answer.analysis


async def test_one_process_serves_many_jobs(odd: Reader) -> None:
    first = value(await odd.run(Job("a", None), ignore))
    second = value(await odd.run(Job("b", None), ignore))
    assert (first[0], second[0]) == ("a", "b")
    assert first[1] == second[1]


async def test_jobs_wait_for_each_other(odd: Reader) -> None:
    answers = await asyncio.gather(*(odd.run(Job(str(at), None), ignore) for at in range(5)))
    assert [value(answer)[0] for answer in answers] == ["0", "1", "2", "3", "4"]


async def test_progress_comes_through(odd: Reader) -> None:
    told: list[tuple[str, float | None]] = []
    await odd.run(Job("talk", None), lambda text, fraction: told.append((text, fraction)))
    assert [text for text, _ in told] == ["step 0", "step 1", "step 2"]


async def test_a_dead_worker_is_a_failure_and_replaced(odd: Reader) -> None:
    answer = await odd.run(Job("die", None), ignore)
    assert isinstance(answer, Failed)
    assert answer.reason == "the reading process ended unexpectedly"
    # asyncio says 255 when something else in this process has already heard of the end
    assert answer.hint in ("exit status 7", "exit status 255")
    assert value(await odd.run(Job("a", None), ignore))[0] == "a"


async def test_cancelling_ends_the_work(odd: Reader) -> None:
    before = value(await odd.run(Job("a", None), ignore))[1]
    hanging = asyncio.create_task(odd.run(Job("hang", None), ignore))
    await asyncio.sleep(0.2)
    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging
    after = value(await odd.run(Job("b", None), ignore))[1]
    assert after != before
    if sys.platform == "linux":
        assert not Path(f"/proc/{before}").exists()


async def test_an_idle_worker_ends(odd: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IDLE_S", 0.05)
    first = value(await odd.run(Job("a", None), ignore))[1]
    await asyncio.sleep(0.3)
    assert value(await odd.run(Job("b", None), ignore))[1] != first


async def test_the_real_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    reader = Reader()
    try:
        source, report = sample("transpose")
        options = AnalyzeOptions(lines=True, source_dirs=(str(source.parent),))
        analysis = value(await reader.run(Job(str(report), options), ignore))
        assert len(analysis.kernels) == 3
        bad = tmp_path / "bad.ncu-rep"
        bad.write_bytes(b"NVR\0 and then nothing")
        failed = await reader.run(Job(str(bad), options), ignore)
        assert isinstance(failed, Failed)
        assert failed.reason
        assert not failed.trace
        gone = await reader.run(Job(str(tmp_path / "gone.ncu-rep"), options), ignore)
        assert isinstance(gone, Failed)
        assert not gone.trace
    finally:
        await reader.ended()
