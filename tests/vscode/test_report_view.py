"""The report view in VS Code itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuadvisor.lsp.commands.report import view_document
from gpuadvisor.options import AnalyzeOptions
from gpuadvisor.pipeline import analyze
from tests.vscode.codeserver import EXTENSION, CodeServer, Driver
from tests.vscode.conftest import SAMPLES

pytestmark = [pytest.mark.xdist_group("vscode"), pytest.mark.slow]

Run = Callable[..., Any]

KERNELS = ["transpose_naive", "transpose_tiled", "transpose_padded"]


@pytest.fixture
def run(code_server: CodeServer, driver: Driver, workspace: Path) -> Run:
    """Runs a function of report.mjs on the report of the transpose sample."""

    def run_spec(spec: str, **args: Any) -> Any:
        return driver.run(spec, code_server.url(workspace), report="transpose.ncu-rep", **args)

    return run_spec


def test_shows_kernels_stalls_findings_and_lines(run: Run) -> None:
    seen = run("reportView")
    assert seen["title"] == "transpose.ncu-rep"
    assert [row[0] for row in seen["kernels"]] == KERNELS
    assert all("µs" in row[3] for row in seen["kernels"]), seen["kernels"]
    assert "transpose.cu:22" in seen["findings"][0]
    assert "times faster" in seen["findings"][0]
    assert any(row[0] == "transpose.cu:22" for row in seen["lines"])
    [stalls] = seen["canvases"]
    assert stalls["label"].startswith("What the warps wait for: transpose_naive")
    # A chart that was not drawn is one colour or none.
    assert stalls["colours"] > 10


def test_draws_the_roofline_of_floating_point_work_as_pictured(
    code_server: CodeServer, driver: Driver, particles: Path
) -> None:
    url = code_server.url(particles)
    seen = driver.run("reportView", url, report="particles.ncu-rep", picture="report")
    roofline, stalls = seen["canvases"]
    assert "step_aos does" in roofline["label"]
    assert "FLOP per byte" in roofline["label"]
    assert roofline["colours"] > 10
    assert stalls["colours"] > 10
    assert seen["errors"] == []


def test_the_policy_is_strict_and_nothing_breaks_it(run: Run) -> None:
    seen = run("reportView")
    assert "default-src 'none'" in seen["policy"]
    assert "unsafe" not in seen["policy"]
    assert seen["errors"] == []


def test_a_kernel_is_chosen_by_keyboard(run: Run) -> None:
    seen = run("chooseKernel", kernel="transpose_naive")
    assert seen["findings"]
    assert all("transpose_naive" in where for where in seen["findings"])
    assert seen["focused"] == "transpose_naive"
    assert seen["all"] > len(seen["findings"])


def test_a_finding_leads_to_its_line(run: Run) -> None:
    assert run("followLink", file="transpose.cu") == {"text": "transpose.cu:22", "line": 22}


def test_every_control_is_reached_by_tab_with_its_focus_shown(run: Run) -> None:
    reached = run("tabOrder", most=80)
    names = [entry["name"] for entry in reached]
    assert [name for name in names if name in KERNELS] == KERNELS
    assert "Explain transpose_padded" in names
    assert any(name.startswith("GA101") for name in names)
    assert all(entry["outline"] != "none" for entry in reached)


@pytest.mark.parametrize(
    ("theme", "background"),
    [
        ("Light Modern", "rgb(255, 255, 255)"),
        ("Dark High Contrast", "rgb(0, 0, 0)"),
        ("Light High Contrast", "rgb(255, 255, 255)"),
        ("Dark Modern", "rgb(31, 31, 31)"),
    ],
)
def test_follows_the_theme(run: Run, theme: str, background: str) -> None:
    seen = run("themed", theme=theme)
    assert seen["background"] == background
    assert seen["contrast"] >= (7 if "High Contrast" in theme else 4.5), seen
    assert (seen["underline"] == "underline") == ("High Contrast" in theme)


def test_explains_kernel_and_rule(run: Run) -> None:
    kernel, rule = run("explainFromView")
    assert kernel == "transpose_naive"
    assert "GA101" in rule


@pytest.fixture
def run_odd(code_server: CodeServer, driver: Driver, odd_workspace: Path) -> Run:
    """Runs a function of report.mjs on one of the odd reports."""

    def run_spec(spec: str, **args: Any) -> Any:
        return driver.run(spec, code_server.url(odd_workspace), **args)

    return run_spec


def test_an_unreadable_report_says_why(run_odd: Run) -> None:
    text = run_odd("reportProblem", report="junk.ncu-rep")
    assert "junk.ncu-rep cannot be shown" in text
    assert "damaged" in text


def test_a_report_that_is_cut_off_shows_what_is_left(run_odd: Run) -> None:
    seen = run_odd("reportView", report="cut.ncu-rep")
    assert seen["title"] == "cut.ncu-rep"
    assert any("cut off" in problem for problem in seen["problems"])
    assert seen["kernels"]


HOSTILE = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>'


def hostile(data: Any) -> Any:
    """The same with markup before every text that a report can bring."""
    if isinstance(data, dict):
        kept = ("schema", "state", "severity", "line_info", "id", "kernel")
        return {k: v if k in kept else hostile(v) for k, v in data.items()}
    if isinstance(data, list):
        return [hostile(item) for item in data]
    return HOSTILE + data if isinstance(data, str) else data


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """What the server sends of the transpose sample."""
    analysis = analyze([str(SAMPLES / "transpose/transpose.ncu-rep")], AnalyzeOptions(lines=True))
    return view_document(analysis)


def test_markup_in_a_report_is_text(driver: Driver, vsix: Path, document: dict[str, Any]) -> None:
    script = str(EXTENSION / "dist/report.js")
    seen = driver.run("viewOf", "", script=script, data=hostile(document), openable=[])
    assert HOSTILE in seen["text"]
    assert seen["ran"] is None
    assert not {"img", "script", "iframe", "a", "svg"} & set(seen["made"])
    assert seen["handlers"] == 0


def test_only_files_that_may_be_opened_are_links(
    driver: Driver, vsix: Path, document: dict[str, Any]
) -> None:
    script = str(EXTENSION / "dist/report.js")
    file = document["findings"][0]["location"]["file"]
    none = driver.run("viewOf", "", script=script, data=document, openable=[])
    some = driver.run("viewOf", "", script=script, data=document, openable=[file])
    assert "transpose.cu:22" in none["text"]
    assert not any("transpose.cu:22" in link for link in none["links"])
    assert any("transpose.cu:22" in link for link in some["links"])


def test_a_thousand_findings_are_shown_on_demand(
    driver: Driver, vsix: Path, document: dict[str, Any]
) -> None:
    script = str(EXTENSION / "dist/report.js")
    many = {**document, "findings": document["findings"] * 400}
    seen = driver.run("viewOf", "", script=script, data=many, openable=[])
    assert seen["cards"] == 100
    assert any(link.startswith("Show all 1") for link in seen["links"])
