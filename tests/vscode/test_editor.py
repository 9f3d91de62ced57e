"""The extension in VS Code itself, seen and used through a browser."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.vscode.codeserver import CodeServer, Driver
from tests.vscode.conftest import SAMPLES

pytestmark = [pytest.mark.xdist_group("vscode"), pytest.mark.slow]

Run = Callable[..., Any]

STORE_LINE = 22
CONFLICT_LINE = 37
PADDED_KERNEL = range(41, 55)
HOTTEST_WIDTH = 12


@pytest.fixture
def run(code_server: CodeServer, driver: Driver, workspace: Path) -> Run:
    """Runs a function of specs.mjs on the window with the transpose sample."""

    def run_spec(spec: str, **args: Any) -> Any:
        return driver.run(spec, code_server.url(workspace), file="transpose.cu", **args)

    return run_spec


@pytest.fixture
def run_in(code_server: CodeServer, driver: Driver, tmp_path: Path) -> Run:
    """Runs a function of specs.mjs on a window of its own, with the named files of the sample."""

    def run_spec(spec: str, *names: str, **args: Any) -> Any:
        for name in names:
            shutil.copy(SAMPLES / "transpose" / name, tmp_path)
        return driver.run(spec, code_server.url(tmp_path), file="transpose.cu", **args)

    return run_spec


def test_warning_is_on_the_expression_of_the_strided_store(run: Run) -> None:
    found = run("squiggles")
    assert {"line": STORE_LINE, "text": "dst[x * height + y]"} in found
    assert not [entry for entry in found if entry["line"] in PADDED_KERNEL]


def test_hover_shows_a_table_and_a_link_to_the_rule_as_pictured(run: Run) -> None:
    seen = run("hover", line=STORE_LINE, piece="dst", picture="hover")
    assert seen["tables"] >= 1
    assert "%" in seen["text"]
    assert any("ga101" in link for link in seen["links"])


def test_quick_fix_pads_the_tile_and_the_warning_goes(run: Run) -> None:
    seen = run("quickFix", line=CONFLICT_LINE, column=32, title="Pad the shared array")
    assert seen["text"].count("__shared__ float tile[kTile][kTile + 1];") == 2
    assert CONFLICT_LINE not in seen["squiggles"]
    assert STORE_LINE in seen["squiggles"]
    assert "Explain rule shared-bank-conflict" in seen["menu"]


def test_lenses_stand_above_kernels_and_open_an_explanation(run: Run) -> None:
    seen = run("lens")
    assert len(seen["texts"]) == 3
    assert seen["heading"] == "transpose_naive"


def test_heat_is_hottest_on_the_store(run: Run) -> None:
    widths = {entry["line"]: entry["width"] for entry in run("heat")}
    assert widths[STORE_LINE] == HOTTEST_WIDTH
    assert len(set(widths.values())) > 1


def test_status_names_report_kernels_and_lines(run: Run) -> None:
    text = run("status")["text"]
    assert "transpose.ncu-rep" in text
    assert "3 kernels" in text
    matched, total = text.split("·")[2].split()[0].split("/")
    assert matched == total
    assert int(total) > 10


def test_keys_go_from_hotspot_to_hotspot(run: Run) -> None:
    forth = run("hotspots", presses=3, key="Alt+F6")
    assert STORE_LINE in forth
    assert len(set(forth)) == 3
    assert forth == sorted(forth)


def test_a_user_without_a_report_is_left_in_peace(run_in: Run) -> None:
    seen = run_in("quiet", "transpose.cu", seconds=4)
    assert seen == {"notifications": [], "status": 0, "warnings": 0}


def python_without_gpuadvisor(folder: Path) -> Path:
    """An interpreter of its own environment, with nothing installed."""
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(folder / "bare")], check=True
    )
    program = folder / "bare-python"
    program.write_text(f'#!/bin/sh\nunset PYTHONPATH\nexec "{folder}/bare/bin/python" "$@"\n')
    program.chmod(0o755)
    return program


def use_interpreter(workspace: Path, program: Path) -> None:
    (workspace / ".vscode").mkdir()
    (workspace / ".vscode/settings.json").write_text(
        f'{{"gpuadvisor.interpreter": "{program}"}}', encoding="utf-8"
    )


def test_missing_gpuadvisor_is_said_with_the_command_that_installs_it(
    run_in: Run, tmp_path: Path
) -> None:
    use_interpreter(tmp_path, python_without_gpuadvisor(tmp_path))
    seen = run_in("notification", "transpose.cu", "transpose.ncu-rep")
    assert len(seen["texts"]) == 1
    assert f"gpuadvisor is not installed for {tmp_path}/bare/bin/python" in seen["texts"][0]
    assert "Copy Install Command" in seen["buttons"]


def test_missing_gpuadvisor_is_not_said_without_a_report(run_in: Run, tmp_path: Path) -> None:
    use_interpreter(tmp_path, python_without_gpuadvisor(tmp_path))
    seen = run_in("quiet", "transpose.cu", seconds=3)
    assert seen == {"notifications": [], "status": 0, "warnings": 0}


def test_a_damaged_report_is_said_once(
    code_server: CodeServer, driver: Driver, odd_workspace: Path
) -> None:
    url = code_server.url(odd_workspace)
    seen = driver.run("notification", url, file="transpose.cu")
    assert len(seen["texts"]) == 1
    assert "junk.ncu-rep" in seen["texts"][0]
