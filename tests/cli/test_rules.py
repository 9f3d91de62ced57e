"""The verb `rules`, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

HOSTILE = """\
code: ZZ001
name: {name}
status: stable
since: "1.0"
title: "Hostile"
family: memory
scope: line
when: "{when}"
severity: info
confidence: low
message: "m"
explain: {{what: w, why: w, fix: f, wrong_when: n}}
{more}
"""


@pytest.fixture
def run(tmp_path: Path, root: Path) -> Run:
    """Runs `gpuadvisor rules ...` in an empty folder."""

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(root), "NO_COLOR": "1", "COLUMNS": "100"}
        return subprocess.run(
            [sys.executable, "-m", "gpuadvisor", "rules", *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=tmp_path,
            env=environment,
            timeout=60,
        )

    return call


def test_list_and_show(run: Run) -> None:
    listed = run("list", "--format", "json", "--select", "GA1")
    assert listed.returncode == 0
    rules = json.loads(listed.stdout)
    assert {rule["family"] for rule in rules} == {"memory"}
    assert [rule["code"] for rule in rules] == sorted(rule["code"] for rule in rules)
    text = run("list", "--select", "uncoalesced-global-access,GA2")
    assert "GA101  uncoalesced-global-access" in text.stdout
    assert "GA102" not in text.stdout
    by_code, by_name = run("show", "ga101"), run("show", "uncoalesced-global-access")
    assert by_code.stdout == by_name.stdout
    assert "When this is wrong" in by_code.stdout
    assert "--set uncoalesced-global-access.NAME=VALUE" in by_code.stdout
    details = json.loads(run("show", "GA101", "--format", "json").stdout)
    assert details["thresholds"]["excess"]["value"] > 1
    assert "path" not in details


def test_show_of_nothing(run: Run) -> None:
    shown = run("show", "uncoalesced-global-acess")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "did you mean uncoalesced-global-access?" in shown.stderr


def test_a_new_rule_validates_and_passes(run: Run, tmp_path: Path) -> None:
    made = run("new", "hot-line", "--family", "memory")
    assert made.returncode == 0
    names = ["hot-line.yaml", "hot-line.cu", "hot-line.fixed.cu"]
    assert made.stdout.splitlines() == [os.path.join("rules", "memory", name) for name in names]
    assert "ruleid: hot-line" in (tmp_path / "rules/memory/hot-line.cu").read_text()
    assert run("validate", "rules").stdout == "1 rule, all valid\n"
    tested = run("test", "rules")
    assert (tested.returncode, tested.stdout) == (0, "2 checks of 1 rule, 0 failed\n")
    listed = run("list", "--rules", "rules", "--select", "hot-line", "--format", "json")
    assert [rule["code"] for rule in json.loads(listed.stdout)] == ["MY001"]
    again = run("new", "hot-line", "--family", "memory")
    assert again.returncode == 2
    assert "already" in again.stderr
    assert run("new", "cold-line", "--family", "memory").returncode == 0
    assert "code: MY002" in (tmp_path / "rules/memory/cold-line.yaml").read_text()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("Hot_Line", "--family", "memory"), "lower-case words"),
        (("hot-line", "--family", "../../etc"), "lower-case words"),
        (("hot-line", "--family", "memory", "--code", "my1"), "--code 'my1'"),
        (("uncoalesced-global-access", "--family", "memory"), "already"),
        (("hot-line", "--family", "memory", "--code", "GA101"), "already"),
    ],
)
def test_new_rules_that_cannot_be(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], reason: str
) -> None:
    made = run("new", *arguments)
    assert made.returncode == 2
    assert reason in made.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_failing_check_is_told(run: Run, tmp_path: Path) -> None:
    run("new", "hot-line", "--family", "memory")
    path = tmp_path / "rules/memory/hot-line.yaml"
    path.write_text(path.read_text().replace("fires: false", "fires: true"))
    tested = run("test", "rules")
    assert (tested.returncode, tested.stdout) == (1, "2 checks of 1 rule, 1 failed\n")
    assert "hot-line: an even spread does not: it was to fire, but did not" in tested.stderr


@pytest.mark.parametrize(
    ("when", "more", "place"),
    [
        ("__import__('os').system('touch owned')", "", "evil.yaml:8:7: when: "),
        ("samples.__class__.__mro__", "", "evil.yaml:8:7: when: "),
        ("9 ** 9 ** 9 > 1", "", "evil.yaml:8:7: when: "),
        ("1", "tags: !!python/object/apply:os.system ['touch owned']", "evil.yaml:13:7: tags: "),
        ("1", "tags: &a [x]\nrelated: *a", "related: anchors and aliases"),
        ("1", "hack: 1", "evil.yaml:13:7: hack: unknown key"),
    ],
)
def test_a_hostile_pack_is_refused_with_one_line(
    run: Run, tmp_path: Path, when: str, more: str, place: str
) -> None:
    _refused(run, tmp_path, HOSTILE.format(name="evil", when=when, more=more), place, "validate")


@pytest.mark.parametrize("verb", ["test", "list", "show"])
def test_no_verb_takes_a_hostile_pack(run: Run, tmp_path: Path, verb: str) -> None:
    text = HOSTILE.format(name="evil", when="__import__('os').system('touch owned')", more="")
    _refused(run, tmp_path, text, "evil.yaml:8:7: when: ", verb)


def _refused(run: Run, tmp_path: Path, text: str, place: str, verb: str) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "evil.yaml").write_text(text)
    arguments = {"list": ("--rules", "pack"), "show": ("evil", "--rules", "pack")}
    done = run(verb, *arguments.get(verb, ("pack",)))
    assert done.returncode == 2
    complaints = [line for line in done.stderr.splitlines() if line.startswith("gpuadvisor: ")]
    assert len(complaints) == 1
    assert place in complaints[0]
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "owned").exists()


def test_what_a_pack_says_cannot_drive_the_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    text = HOSTILE.format(name="loud", when="1", more="").replace(
        '"Hostile"', '"\\e[31mRed\\u202e"'
    )
    (tmp_path / "pack" / "loud.yaml").write_text(text)
    shown = run("show", "loud", "--rules", "pack")
    assert shown.returncode == 0
    assert "\x1b" not in shown.stdout
    assert "\u202e" not in shown.stdout
    assert "\\x1b[31mRed" in shown.stdout


def test_a_pack_that_takes_a_name_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    path = tmp_path / "pack" / "uncoalesced-global-access.yaml"
    text = HOSTILE.format(name="uncoalesced-global-access", when="1", more="")
    path.write_text(text)
    refused = run("validate", "pack")
    assert refused.returncode == 2
    assert "overrides: uncoalesced-global-access" in refused.stderr
    path.write_text(text + "overrides: uncoalesced-global-access\n")
    assert run("validate", "pack").returncode == 0
    listed = run("list", "--rules", "pack", "--format", "json")
    assert "replaces the rule uncoalesced-global-access" in listed.stderr
    assert "ZZ001" in listed.stdout
    assert "GA101" not in listed.stdout


def test_the_projects_settings_count(run: Run, tmp_path: Path) -> None:
    run("new", "hot-line", "--family", "memory", "--dir", "packs")
    (tmp_path / "gpuadvisor.toml").write_text(
        'rules = ["packs"]\n[thresholds]\nhot-line.share_min = 0.75\n'
    )
    assert "share_min = 0.75" in run("show", "hot-line").stdout
    (tmp_path / "gpuadvisor.toml").write_text("[thresholds]\nhot-line.share_min = 0.75\n")
    wrong = run("show", "GA101")
    assert wrong.returncode == 2
    assert "there is no rule 'hot-line'" in wrong.stderr


@pytest.mark.parametrize("verb", ["validate", "test"])
def test_nothing_there(run: Run, verb: str) -> None:
    done = run(verb, "nowhere")
    assert done.returncode == 2
    assert "nowhere: no such file" in done.stderr
