"""The argument parser; only the verb at hand is configured, so that the others cost nothing."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence

import gpuadvisor
from gpuadvisor.cli import VERBS

EPILOG = "exit codes: 0 fine, 2 wrong usage or unreadable input, 3 a fault of gpuadvisor itself"


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments, `verb` and its `module` among them; raises SystemExit as argparse does."""
    parser = argparse.ArgumentParser(
        prog="gpuadvisor", description=gpuadvisor.__doc__, epilog=EPILOG, allow_abbrev=False
    )
    parser.add_argument("-V", "--version", action="version", version=gpuadvisor.__version__)
    parser.add_argument(
        "--debug", action="store_true", help="show the traceback of an internal error"
    )
    verbs = parser.add_subparsers(dest="verb", metavar="COMMAND", required=True)
    asked = next((word for word in argv if not word.startswith("-")), None)
    for name, summary in VERBS.items():
        verb = verbs.add_parser(name, help=summary, description=_sentence(summary))
        verb.allow_abbrev = False
        if name == asked:
            module = importlib.import_module(f"gpuadvisor.cli.{name}")
            module.configure(verb)
            verb.set_defaults(module=module)
            # Also after the verb, where people type it; SUPPRESS keeps one given before it.
            verb.add_argument(
                "--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
            )
    return parser.parse_args(argv)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."
