"""The command line: one module a verb, imported only when its verb is asked for.

A verb's module has `configure(parser)`, which adds its arguments, and `run(args) -> int`, which
does the work and returns the exit code. Exit codes: 0 fine, 1 findings (`check` only), 2 wrong
usage or unreadable input, 3 a fault of gpuadvisor itself, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import gpuadvisor

VERBS = {
    "explain": "say what is slow in a profiler report, why, and what to change",
    "rules": "list, show, validate, test and make rules",
    "lsp": "the language server that the editor extensions start",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line with `argv` (default: the process's own); returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-V"]):
        print(f"gpuadvisor {gpuadvisor.__version__}")
        return 0
    from gpuadvisor.cli import parser, run

    try:
        args = parser.parse(arguments)
    except SystemExit as stop:  # argparse has printed help (0) or the usage error (2)
        return stop.code if isinstance(stop.code, int) else 2
    return run.guarded(args)
