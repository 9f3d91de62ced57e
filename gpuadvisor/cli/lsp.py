"""`gpuadvisor lsp`: the language server, by default on standard input and output."""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the server's transport."""
    transport = parser.add_mutually_exclusive_group()
    transport.add_argument(
        "--stdio", action="store_true", help="talk on stdin and stdout (default)"
    )
    transport.add_argument(
        "--tcp", metavar="[HOST:]PORT", help="wait for one client on a port (host: 127.0.0.1)"
    )
    parser.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="warning",
        help="how much to say on stderr (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Serve until the client leaves."""
    from gpuadvisor.lsp import server

    return server.main(args)
