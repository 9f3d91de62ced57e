"""The progress line."""

from __future__ import annotations

import io
import threading

import pytest

from gpuadvisor.cli import progress


class Terminal(io.StringIO):
    """Keeps what is written and tells when something was."""

    def __init__(self) -> None:
        super().__init__()
        self.drawn = threading.Event()

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.drawn.set()


def test_silent_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    stream = io.StringIO()
    before = threading.active_count()
    with progress.ProgressLine(stream) as line:
        line.update("reading")
        assert threading.active_count() == before
    assert stream.getvalue() == ""


def test_silent_within_the_first_second() -> None:
    stream = Terminal()
    with progress.ProgressLine(stream) as line:
        line.update("reading")
    assert stream.getvalue() == ""


def shown(monkeypatch: pytest.MonkeyPatch, message: str, done: float | None) -> list[str]:
    monkeypatch.setattr(progress, "PATIENCE_S", 0.05)
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    with progress.ProgressLine(stream) as line:
        line.update(message, done)
        assert stream.drawn.wait(10)
    return stream.getvalue().split("\r\x1b[K")


def test_one_update_is_enough_for_long_work_and_the_line_is_wiped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, *drawn, last = shown(monkeypatch, "reading \x1b[2J.ncu-rep", 0.256)
    assert (first, last) == ("", "")
    assert set(drawn) == {"reading \\x1b[2J.ncu-rep 26 %"}


def test_without_a_share_the_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, "reading", None)[1] == "reading (0 s)"


def test_the_line_never_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = shown(monkeypatch, "x" * 500, 0.5)[1]
    assert len(drawn) == 29
    assert drawn.endswith("x 50 %")


def test_wiped_when_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    stream = Terminal()

    def interrupted() -> None:
        with progress.ProgressLine(stream) as line:
            line.update("x" * 500)
            assert stream.drawn.wait(10)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert stream.getvalue().endswith("\r\x1b[K")
