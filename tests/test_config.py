"""The project's settings file."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuadvisor.config import Config, find_config
from gpuadvisor.evidence import UnreadableInput

TABLE = """
select = ["GA1", "memory"]
ignore = ["GA105"]
max-warnings = 3
min-gain = 0.1
rules = ["packs"]
source-dirs = ["src"]
[{prefix}path-mappings]
"/build" = "src"
[{prefix}thresholds]
uncoalesced-global-access.excess = 2
"GA301.spill_share" = 0.25
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("packs", "src/deep", ".git"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gpuadvisor.toml", TABLE.format(prefix="")),
        ("pyproject.toml", "[tool.gpuadvisor]" + TABLE.format(prefix="tool.gpuadvisor.")),
    ],
)
def test_the_nearest_file_counts_and_its_paths_are_its_own(
    project: Path, name: str, text: str
) -> None:
    (project / name).write_text(text)
    assert find_config(project / "src/deep") == Config(
        path=str(project / name),
        select=("GA1", "memory"),
        ignore=("GA105",),
        rules=(str(project / "packs"),),
        source_dirs=(str(project / "src"),),
        path_mappings=(("/build", str(project / "src")),),
        thresholds={"uncoalesced-global-access.excess": 2.0, "GA301.spill_share": 0.25},
        max_warnings=3,
        min_gain=0.1,
    )


def test_a_pyproject_of_others_is_passed_over(project: Path) -> None:
    (project / "gpuadvisor.toml").write_text('ignore = ["GA1"]')
    (project / "src/pyproject.toml").write_text("[tool.other\n not even TOML")
    assert find_config(project / "src").ignore == ("GA1",)


def test_no_file_no_settings(project: Path) -> None:
    assert find_config(project).ignore == ()


@pytest.mark.parametrize(
    ("text", "reason", "hint"),
    [
        ("ignor = []", "unknown key 'ignor'", "did you mean ignore?"),
        ("zzz = 1", "unknown key 'zzz'", "known keys: select"),
        ("ignore = 'GA1'", "ignore must be a list of strings", ""),
        ("rules = ['nowhere']", "no such folder", ""),
        ("path-mappings = 1", "path-mappings must be a table", '"/there"'),
        ("thresholds = 1", "must be a number", "rule-name.threshold"),
        ("[thresholds]\na.b = 'x'", "threshold a.b must be a number", "rule-name.threshold"),
        ("[thresholds]\na.b = true", "threshold a.b must be a number", "rule-name.threshold"),
        ("max-warnings = -1", "max-warnings must be a whole number", ""),
        ("max-warnings = true", "max-warnings must be a whole number", ""),
        ("min-gain = 5", "min-gain must be a share between 0 and 1", ""),
        ("[[[", "not TOML", ""),
    ],
)
def test_mistakes_are_told_with_their_place(
    project: Path, text: str, reason: str, hint: str
) -> None:
    (project / "gpuadvisor.toml").write_text(text)
    with pytest.raises(UnreadableInput) as caught:
        find_config(project)
    assert caught.value.path == str(project / "gpuadvisor.toml")
    assert reason in caught.value.reason
    assert hint in caught.value.hint


def test_bytes_that_are_no_text(project: Path) -> None:
    (project / "gpuadvisor.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableInput, match="not UTF-8"):
        find_config(project)
