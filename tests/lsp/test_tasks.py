"""Background work, and calls that wait until things calm down."""

from __future__ import annotations

import asyncio
import logging

import pytest
from lsprotocol import types

from gpuadvisor.lsp.diagnostics import DiagnosticStore
from gpuadvisor.lsp.tasks import Debounce, Tasks


async def test_a_failing_task_is_logged_and_forgotten(caplog: pytest.LogCaptureFixture) -> None:
    tasks = Tasks()

    async def fail() -> None:
        raise ValueError("broken")

    with caplog.at_level(logging.ERROR):
        task = tasks.start(fail(), "the work")
        await asyncio.wait([task])
        await asyncio.sleep(0)
    assert "the work failed" in caplog.text
    assert "ValueError: broken" in caplog.text
    assert len(tasks) == 0


async def test_cancelled_tasks_are_not_errors(caplog: pytest.LogCaptureFixture) -> None:
    tasks = Tasks()
    task = tasks.start(asyncio.sleep(60), "sleeping")
    await asyncio.sleep(0)
    tasks.cancel()
    await asyncio.wait([task])
    await asyncio.sleep(0)
    assert len(tasks) == 0
    assert caplog.text == ""


async def test_many_calls_become_one() -> None:
    calls: list[int] = []
    debounced = Debounce(lambda: calls.append(1), 0.02, 10)
    for _ in range(10):
        debounced()
        await asyncio.sleep(0.002)
    assert calls == []
    await asyncio.sleep(0.06)
    assert calls == [1]


async def test_calls_without_a_pause_are_not_put_off_for_ever() -> None:
    calls: list[int] = []
    debounced = Debounce(lambda: calls.append(1), 0.05, 0.08)
    for _ in range(30):
        debounced()
        await asyncio.sleep(0.01)
    assert len(calls) >= 2
    debounced.cancel()


def diagnostic(message: str) -> types.Diagnostic:
    at = types.Position(0, 0)
    return types.Diagnostic(types.Range(at, at), message)


def test_producers_do_not_overwrite_each_other() -> None:
    sent: list[types.PublishDiagnosticsParams] = []
    store = DiagnosticStore(sent.append)
    store.set("report", "a", [diagnostic("r")])
    store.set("source", "a", [diagnostic("s")])
    store.publish("a", 1)
    store.set("report", "a", [])
    store.publish("a", 2)
    assert [[item.message for item in params.diagnostics] for params in sent] == [["r", "s"], ["s"]]
    assert [params.version for params in sent] == [1, 2]


def test_nothing_is_sent_where_there_is_and_was_nothing() -> None:
    sent: list[types.PublishDiagnosticsParams] = []
    store = DiagnosticStore(sent.append)
    store.set("report", "a", [])
    store.publish("a", 1)
    store.clear("a")
    assert sent == []
    store.set("report", "a", [diagnostic("r")])
    store.publish("a", 1)
    store.publish("a", 2)  # the client moved its own meanwhile
    store.clear("a")
    store.clear("a")
    assert [len(params.diagnostics) for params in sent] == [1, 1, 0]
