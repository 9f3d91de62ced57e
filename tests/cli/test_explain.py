"""`gpuadvisor explain`: arguments to options, results to the right place."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gpuadvisor.evidence import Problem
from gpuadvisor.evidence.findings import InputSummary
from tests.cli.conftest import FakePipeline, Outcome

Cli = Callable[..., Outcome]


def test_arguments_become_options(cli: Cli, pipeline: FakePipeline, tmp_path: Path) -> None:
    folder = str(tmp_path)
    asked = ["--kernel", "^t.*", "--top", "3", "--source", folder, "--map", "/b/s=./s", "--lines"]
    asked += ["--vendor", "--rules", folder, "--set", "tail-wave.min=0.5", "--select", "GA1,GA7"]
    asked += ["--select", "tail-wave", "--ignore", " GA105 ,"]
    assert cli("explain", "a.ncu-rep", "b.ncu-rep", *asked).code == 0
    assert pipeline.paths == ["a.ncu-rep", "b.ncu-rep"]
    assert replace(pipeline.options, progress=None) == replace(
        pipeline.options,
        kernel_regex="^t.*",
        top=3,
        source_dirs=(folder,),
        path_maps=(("/b/s", "./s"),),
        lines=True,
        vendor=True,
        rule_dirs=(folder,),
        thresholds={"tail-wave.min": 0.5},
        select=("GA1", "GA7", "tail-wave"),
        ignore=("GA105",),
        progress=None,
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--kernel", "("], "--kernel (: not a regular expression"),
        (["--top", "0"], "must be 1 or more"),
        (["--top", "many"], "invalid"),
        (["--map", "nowhere"], "'nowhere' is not FROM=TO"),
        (["--set", "tail-wave=1"], "is not RULE.NAME=VALUE"),
        (["--set", "tail-wave.min=much"], "is not RULE.NAME=VALUE"),
        (["--source", "/nowhere/at/all"], "--source /nowhere/at/all: no such folder"),
        (["--rules", "/nowhere/at/all"], "--rules /nowhere/at/all: no such folder"),
        (["-o", "/nowhere/at/all/x"], "no such folder"),
        (["--format", "pdf"], "invalid choice: 'pdf'"),
    ],
)
def test_wrong_arguments_are_refused_before_any_work(
    cli: Cli, pipeline: FakePipeline, args: list[str], said: str
) -> None:
    shown = cli("explain", "a.ncu-rep", *args)
    assert (shown.code, shown.out) == (2, "")
    assert said in shown.err
    assert pipeline.paths == ()


def test_an_input_is_never_overwritten(cli: Cli, pipeline: FakePipeline, tmp_path: Path) -> None:
    report = tmp_path / "r.ncu-rep"
    report.write_bytes(b"NVR\0")
    (tmp_path / "link").symlink_to(report)
    shown = cli("explain", str(report), "-o", str(tmp_path / "link"))
    assert shown.code == 2
    assert report.read_bytes() == b"NVR\0"


@pytest.mark.parametrize("format_", ["text", "json", "markdown"])
def test_a_file_holds_what_a_pipe_gets(
    cli: Cli, pipeline: FakePipeline, tmp_path: Path, format_: str
) -> None:
    target = tmp_path / "out"
    piped = cli("explain", "r.ncu-rep", "--format", format_)
    filed = cli("explain", "r.ncu-rep", "--format", format_, "-o", str(target))
    assert filed == Outcome(0, "", "")
    assert target.read_text() == piped.out
    assert "cut off" in piped.out


def test_an_output_that_cannot_be_written(cli: Cli, pipeline: FakePipeline, tmp_path: Path) -> None:
    shown = cli("explain", "r.ncu-rep", "-o", str(tmp_path))
    assert shown.code == 2
    assert "cannot write" in shown.err


def test_the_readable_inputs_are_explained_the_others_told(
    cli: Cli, pipeline: FakePipeline
) -> None:
    bad = InputSummary("b.ncu-rep", "unreadable", "", (Problem("empty file", "copy it again"),))
    pipeline.analysis = replace(pipeline.analysis, inputs=(*pipeline.analysis.inputs, bad))
    shown = cli("explain", "r.ncu-rep", "b.ncu-rep")
    assert shown.code == 2
    assert shown.out.startswith("r.ncu-rep: ")
    assert shown.err == "gpuadvisor: b.ncu-rep: empty file\n  copy it again\n"
    as_json = cli("explain", "r.ncu-rep", "b.ncu-rep", "--format", "json")
    assert json.loads(as_json.out)["inputs"][1]["problems"][0]["message"] == "empty file"


def test_the_projects_settings_lie_below_the_arguments(
    cli: Cli, pipeline: FakePipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gpuadvisor.toml").write_text(
        'select = ["GA1"]\nignore = ["GA105"]\n[thresholds]\ntail-wave.a = 1\ntail-wave.b = 1\n'
    )
    monkeypatch.chdir(tmp_path)
    assert cli("explain", "r", "--ignore", "GA2", "--set", "tail-wave.b=2").code == 0
    assert pipeline.options.select == ("GA1",)
    assert pipeline.options.ignore == ("GA105", "GA2")
    assert pipeline.options.thresholds == {"tail-wave.a": 1.0, "tail-wave.b": 2.0}
    assert cli("explain", "r", "--select", "GA7").code == 0
    assert pipeline.options.select == ("GA7",)


def test_wrong_settings_are_wrong_usage(
    cli: Cli, pipeline: FakePipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gpuadvisor.toml").write_text("ignor = []")
    monkeypatch.chdir(tmp_path)
    shown = cli("explain", "r")
    assert shown.code == 2
    assert "gpuadvisor.toml: unknown key 'ignor'\n  did you mean ignore?\n" in shown.err
