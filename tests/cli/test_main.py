"""Verbs, exit codes, and what is said when something goes wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

import gpuadvisor
from gpuadvisor.evidence import UnreadableInput
from gpuadvisor.rules.errors import RuleError
from tests.cli.conftest import FakePipeline, Outcome

Cli = Callable[..., Outcome]


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version(cli: Cli, flag: str) -> None:
    assert cli(flag) == Outcome(0, f"gpuadvisor {gpuadvisor.__version__}\n", "")


def test_help_names_every_verb(cli: Cli) -> None:
    shown = cli("--help")
    assert shown.code == 0
    for verb in ("explain", "rules", "lsp"):
        assert f"    {verb} " in shown.out


@pytest.mark.parametrize("args", [(), ("frobnicate",), ("explain",), ("explain", "--nope", "x")])
def test_wrong_usage(cli: Cli, args: tuple[str, ...]) -> None:
    shown = cli(*args)
    assert shown.code == 2
    assert shown.out == ""
    assert "usage: gpuadvisor" in shown.err


def test_an_unreadable_input_tells_path_reason_and_next_step(
    cli: Cli, pipeline: FakePipeline
) -> None:
    pipeline.raises = UnreadableInput("a\x1b[2J.ncu-rep", "not a report", "collect one with ncu")
    shown = cli("explain", "a.ncu-rep")
    assert (shown.code, shown.out) == (2, "")
    assert shown.err == "gpuadvisor: a\\x1b[2J.ncu-rep: not a report\n  collect one with ncu\n"


def test_a_bad_rule_is_wrong_usage(cli: Cli, pipeline: FakePipeline) -> None:
    pipeline.raises = RuleError("unknown key", path="p/x.yaml", line=3, column=1, key="whne")
    shown = cli("explain", "a.ncu-rep")
    assert shown.code == 2
    assert "p/x.yaml:3:1: whne: unknown key" in shown.err


def test_an_internal_error_is_three_and_no_traceback(cli: Cli, pipeline: FakePipeline) -> None:
    pipeline.raises = ZeroDivisionError("division by zero")
    shown = cli("explain", "a.ncu-rep")
    assert (shown.code, shown.out) == (3, "")
    assert "internal error: ZeroDivisionError: division by zero at conftest.py:" in shown.err
    assert "--debug" in shown.err
    assert "Traceback" not in shown.err


@pytest.mark.parametrize("args", [("--debug", "explain", "x"), ("explain", "x", "--debug")])
def test_debug_shows_the_traceback(cli: Cli, pipeline: FakePipeline, args: tuple[str, ...]) -> None:
    pipeline.raises = ZeroDivisionError()
    shown = cli(*args)
    assert shown.code == 3
    assert "Traceback" in shown.err


def test_interrupted(cli: Cli, pipeline: FakePipeline) -> None:
    pipeline.raises = KeyboardInterrupt()
    assert cli("explain", "x") == Outcome(130, "", "")


def test_a_reader_that_leaves_is_no_error(cli: Cli, pipeline: FakePipeline) -> None:
    code = (
        "import sys; from gpuadvisor.cli import main; from gpuadvisor.cli import run, explain\n"
        "explain.run = lambda args: [print('x' * 1000) for _ in range(1000)] and 0\n"
        "sys.exit(main(['explain', 'x']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_module_and_console_script_are_one(root: os.PathLike[str]) -> None:
    command = [sys.executable, "-m", "gpuadvisor", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout == f"gpuadvisor {gpuadvisor.__version__}\n"


def imported_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()}


def test_version_imports_next_to_nothing() -> None:
    loaded = imported_by("from gpuadvisor.cli import main; main(['--version'])")
    assert not loaded & {"argparse", "numpy", "rich", "yaml", "re", "google"}


def test_explain_imports_no_slow_library() -> None:
    loaded = imported_by(
        "from gpuadvisor.cli import explain, run, output; from gpuadvisor.render import text, json"
    )
    slow = {"pandas", "lsprotocol", "pygls", "jsonschema", "pynvml"}
    assert not loaded & (slow | {"rich", "tree_sitter"})
