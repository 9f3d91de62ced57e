"""Where results go: data on standard output or into a file, styled only on a terminal."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace

from gpuadvisor.cli.run import UsageError
from gpuadvisor.render.layout import Line, plain
from gpuadvisor.render.text import TextOptions

NARROWEST, WIDEST = 60, 120


def write_file(path: str | None, text: str) -> None:
    """Text as UTF-8 with plain newlines to a file, or to standard output when `path` is None."""
    data = text.encode("utf-8", "replace")
    if path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        with open(path, "wb") as stream:
            stream.write(data)
    except OSError as error:
        raise UsageError(f"-o {path}: cannot write: {error.strerror}") from None


def print_lines(
    view: Callable[[TextOptions], Iterable[Line]], options: TextOptions, *, color: bool
) -> None:
    """A text view on standard output: shaped and coloured for a terminal, or in its stable form
    (width of `options`, UTF-8) for a pipe."""
    if not sys.stdout.isatty():
        write_file(None, "".join(f"{plain(spans)}\n" for spans in view(options)))
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal may know fewer characters than we
    width = min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    shaped = replace(options, width=width, bars=unicode)
    if color and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        from gpuadvisor.render import terminal

        terminal.write(view(shaped), sys.stdout)
        return
    for spans in view(shaped):
        print(plain(spans))
