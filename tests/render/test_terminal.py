"""Colours on a terminal: the same text, and nothing that the report could have smuggled in."""

from __future__ import annotations

import io
import re

import pytest

from gpuadvisor.evidence.findings import Analysis
from gpuadvisor.render import terminal, text

SGR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(autouse=True)
def _colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def shown(analysis: Analysis, options: text.TextOptions) -> str:
    stream = io.StringIO()
    terminal.write(text.document(analysis, options), stream)
    return stream.getvalue()


def test_colours_change_nothing_of_the_text(analysis: Analysis) -> None:
    options = text.TextOptions(lines=True)
    output = shown(analysis, options)
    assert SGR.search(output)
    assert SGR.sub("", output) == text.render(analysis, options)


def test_only_our_own_escape_sequences(hostile: Analysis) -> None:
    output = shown(hostile, text.TextOptions(lines=True, vendor=True))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", SGR.sub("", output))


def test_lines_longer_than_the_terminal_are_not_broken(
    analysis: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert len(SGR.sub("", shown(analysis, text.TextOptions())).splitlines()[0]) > 40
