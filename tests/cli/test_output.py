"""What a terminal gets and what a pipe gets."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping

import pytest

SCRIPT = """
from gpuadvisor.cli.output import print_lines
from gpuadvisor.render.layout import line
from gpuadvisor.render.text import TextOptions
def view(options):
    yield line(("title", "title"), f" width={options.width} bars={options.bars} \\u2588\\u00e9")
print_lines(view, TextOptions(), color=COLOR)
"""
SGR = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(color: bool, **variables: str) -> str:
    """Output of SCRIPT with a pseudo-terminal as standard output."""
    primary, secondary = pty.openpty()
    script = SCRIPT.replace("COLOR", str(color))
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=secondary, env=environment(variables)
    )
    os.close(secondary)
    output = b"".join(chunks(primary))
    assert process.wait() == 0
    return output.decode()


def chunks(descriptor: int) -> Iterator[bytes]:
    try:
        while chunk := os.read(descriptor, 4096):
            yield chunk
    except OSError:  # how Linux tells that the other end is closed
        pass
    finally:
        os.close(descriptor)


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "TERM")}
    return {**kept, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **variables}


def test_a_terminal_gets_colours_bars_and_its_own_width() -> None:
    shown = on_terminal(True, COLUMNS="90")
    assert "\x1b[1mtitle" in shown
    assert SGR.sub("", shown) == "title width=90 bars=True █é\r\n"


@pytest.mark.parametrize(("columns", "width"), [("20", 60), ("300", 120)])
def test_width_stays_readable(columns: str, width: int) -> None:
    assert f"width={width} " in on_terminal(True, COLUMNS=columns)


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_by_environment(variables: dict[str, str]) -> None:
    assert "\x1b" not in on_terminal(True, **variables)


def test_no_colour_by_flag() -> None:
    assert on_terminal(False).startswith("title width=")


def test_a_terminal_without_unicode_gets_no_bars_and_no_error() -> None:
    assert "bars=False ?" in on_terminal(False, PYTHONIOENCODING="ascii")
    assert "bars=False ?" in on_terminal(True, PYTHONIOENCODING="ascii")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_a_pipe_gets_utf8_and_a_fixed_width_whatever_the_locale(encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.replace("COLOR", "True")],
        stdout=subprocess.PIPE,
        check=True,
        env=environment({"COLUMNS": "37", "PYTHONIOENCODING": encoding}),
    )
    assert done.stdout.decode() == "title width=100 bars=False █é\n"
