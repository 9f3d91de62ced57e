"""`gpuadvisor explain` on real reports and on what is none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
import zstandard

from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]

SAMPLES = [
    "transpose/transpose.ncu-rep",
    "particles/particles.ncu-rep",
    "reduce/reduce.ncu-rep",
    "registers/registers.ncu-repz",
]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def transpose(samples: Path) -> str:
    return str(samples / SAMPLES[0])


@pytest.mark.parametrize("name", SAMPLES)
def test_json_of_the_samples_fits_the_schema(cli: Cli, samples: Path, name: str) -> None:
    shown = cli("explain", str(samples / name), "--format", "json", "--lines", "--vendor")
    assert (shown.code, shown.err) == (0, "")
    document = json.loads(shown.out)
    schema = json.loads((files("gpuadvisor.render") / "findings.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
    ids = {kernel["id"] for kernel in document["kernels"]}
    assert {finding["kernel"] for finding in document["findings"]} <= {*ids, None}
    assert {line["kernel"] for line in document["lines"]} == ids
    assert all(f["estimate"] for f in document["findings"] if f["severity"] == "warning")


def test_text_of_the_transpose(cli: Cli, transpose: str) -> None:
    shown = cli("explain", transpose)
    assert shown.code == 0
    naive = shown.out.index("warning[GA101] uncoalesced-global-access")
    assert "transpose.cu:22" in shown.out[naive:]
    tiled = shown.out.index("warning[GA201] shared-bank-conflict")
    assert "transpose.cu:37" in shown.out[tiled:]
    assert naive < tiled < shown.out.index("\nNext ")


def test_the_excerpt_marks_the_store(cli: Cli, transpose: str) -> None:
    rows = cli("explain", transpose, "--kernel", "naive").out.splitlines()
    at = next(i for i, row in enumerate(rows) if row.lstrip().startswith("22 |"))
    marks = rows[at + 1]
    assert rows[at][marks.index("^") : marks.rindex("^") + 1] == "dst[x * height + y]"


def test_kernel_and_top(cli: Cli, transpose: str) -> None:
    def names(*args: str) -> list[str]:
        shown = cli("explain", transpose, "--format", "json", *args)
        return [kernel["name"] for kernel in json.loads(shown.out)["kernels"]]

    assert names("--kernel", "padded|naive") == ["transpose_naive", "transpose_padded"]
    assert names("--top", "2") == ["transpose_naive", "transpose_tiled"]
    assert names("--kernel", "nowhere") == []


def test_select_ignore_and_set_reach_the_rules(cli: Cli, transpose: str) -> None:
    def rules(*args: str) -> set[str]:
        shown = cli("explain", transpose, "--format", "json", *args)
        assert shown.code == 0, shown.err
        found = json.loads(shown.out)["findings"]
        return {finding["rule"] for finding in found if finding["severity"] == "warning"}

    assert rules() >= {"uncoalesced-global-access", "shared-bank-conflict"}
    assert rules("--select", "GA201") == {"shared-bank-conflict"}
    assert "shared-bank-conflict" not in rules("--ignore", "GA2")
    strict = ("--set", "uncoalesced-global-access.excess=1000")
    assert "uncoalesced-global-access" not in rules(*strict)


@pytest.mark.parametrize(
    "args", [("--select", "no-such-rule"), ("--set", "uncoalesced-global-access.nothing=1")]
)
def test_an_unknown_rule_or_threshold_is_wrong_usage(
    cli: Cli, transpose: str, args: tuple[str, ...]
) -> None:
    shown = cli("explain", transpose, *args)
    assert (shown.code, shown.out) == (2, "")
    assert args[1].partition(".")[0] in shown.err


def test_vendor_rules_are_shown_apart(cli: Cli, transpose: str) -> None:
    assert "the profiler's own rules" not in cli("explain", transpose).out
    shown = cli("explain", transpose, "--vendor").out
    assert "the profiler's own rules" in shown
    assert "@section" not in shown


def unreadable(folder: Path, kind: str) -> Path:
    path = folder / "r.ncu-rep"
    if kind == "directory":
        path.mkdir()
    elif kind == "bomb":
        path.write_bytes(zstandard.ZstdCompressor().compress(bytes(1 << 28)))
    elif kind != "missing":
        path.write_bytes({"empty": b"", "text": b"not a report\n", "magic": b"NVR\1abcd"}[kind])
    return path


@pytest.mark.parametrize("kind", ["missing", "directory", "empty", "text", "magic", "bomb"])
def test_what_is_no_report_is_told_with_path_and_reason(
    cli: Cli, tmp_path: Path, kind: str
) -> None:
    path = unreadable(tmp_path, kind)
    shown = cli("explain", str(path))
    assert shown.code == 2
    first, *hint = shown.err.splitlines()
    assert first.startswith(f"gpuadvisor: {path}: ")
    assert len(first) > len(f"gpuadvisor: {path}: ") + 5
    assert hint


def test_the_others_are_explained_all_the_same(cli: Cli, tmp_path: Path, transpose: str) -> None:
    shown = cli("explain", str(tmp_path / "gone.ncu-rep"), transpose)
    assert shown.code == 2
    assert "gone.ncu-rep" in shown.err
    assert "warning[GA101]" in shown.out


def test_two_reports_are_one_answer(cli: Cli, samples: Path) -> None:
    shown = cli("explain", *(str(samples / name) for name in SAMPLES[:2]), "--format", "json")
    document = json.loads(shown.out)
    assert [Path(item["path"]).name for item in document["inputs"]] == [
        "transpose.ncu-rep",
        "particles.ncu-rep",
    ]
    assert len({kernel["id"] for kernel in document["kernels"]}) == len(document["kernels"]) == 7


@pytest.mark.parametrize("format_", ["text", "json", "markdown"])
def test_the_same_input_gives_the_same_bytes(root: Path, transpose: str, format_: str) -> None:
    def output(seed: str) -> bytes:
        command = [sys.executable, "-m", "gpuadvisor", "explain", transpose]
        return subprocess.run(
            [*command, "--lines", "--vendor", "--format", format_],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout

    assert output("1") == output("2")


def test_explain_loads_no_slow_library(root: Path, transpose: str) -> None:
    code = (
        "import sys; from gpuadvisor.cli import main; "
        f"main(['explain', {transpose!r}, '-o', {os.devnull!r}]); print(*sys.modules)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"pandas", "lsprotocol", "pygls", "jsonschema", "rich", "pynvml"}
