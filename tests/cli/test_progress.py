"""The progress line."""

from __future__ import annotations

import io

import pytest

from gpuadvisor.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_silent_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    stream = io.StringIO()
    with progress.ProgressLine(stream) as line:
        line.update("reading")
    assert stream.getvalue() == ""


def test_silent_within_the_first_second() -> None:
    stream = Terminal()
    with progress.ProgressLine(stream) as line:
        line.update("reading")
    assert stream.getvalue() == ""


def test_shown_then_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    with progress.ProgressLine(stream) as line:
        line.update("reading \x1b[2J.ncu-rep", 0.256)
        line.update("too soon after that one")
    assert stream.getvalue() == "\r\x1b[Kreading \\x1b[2J.ncu-rep 26 %\r\x1b[K"


def test_wiped_when_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    stream = Terminal()

    def interrupted() -> None:
        with progress.ProgressLine(stream) as line:
            line.update("x" * 500)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert stream.getvalue().endswith("\r\x1b[K")
