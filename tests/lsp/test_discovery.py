"""Reports found in a workspace, within bounds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuadvisor.lsp import discovery
from gpuadvisor.lsp.discovery import discover, in_folder, is_report


def make(path: Path, age: int = 0) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    os.utime(path, ns=(10**18 - age, 10**18 - age))
    return str(path)


def test_newest_first_and_only_reports(tmp_path: Path) -> None:
    old = make(tmp_path / "a" / "old.ncu-rep", 5)
    new = make(tmp_path / "build" / "deep" / "new.ncu-repz", 1)
    upper = make(tmp_path / "UPPER.NCU-REP", 9)
    make(tmp_path / "notes.ncu-rep.txt")
    make(tmp_path / ".git" / "x.ncu-rep")
    make(tmp_path / "node_modules" / "x.ncu-rep")
    assert discover([str(tmp_path)]).reports == (new, old, upper)


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    report = make(outside / "x.ncu-rep")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(outside)
    (inside / "y.ncu-rep").symlink_to(report)
    (inside / "round").symlink_to(inside)
    assert discover([str(inside)]).reports == ()


def test_more_than_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "MAX_REPORTS", 2)
    for number in range(5):
        make(tmp_path / f"{number}.ncu-rep", number)
    found = discover([str(tmp_path)])
    assert [Path(path).name for path in found.reports] == ["0.ncu-rep", "1.ncu-rep"]
    assert found.more == 3
    assert not found.truncated


def test_a_vast_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "MAX_ENTRIES", 3)
    near = make(tmp_path / "near.ncu-rep")
    for number in range(9):
        make(tmp_path / "deep" / f"{number}.ncu-rep")
    found = discover([str(tmp_path)])
    assert found.reports == (near,)
    assert found.truncated


def test_folders_that_cannot_be_read(tmp_path: Path) -> None:
    assert discover([str(tmp_path / "gone")]).reports == ()
    assert in_folder(str(tmp_path / "gone")) == []


def test_one_folder_alone(tmp_path: Path) -> None:
    first, second = make(tmp_path / "a.ncu-rep"), make(tmp_path / "b.ncu-repz")
    make(tmp_path / "deeper" / "c.ncu-rep")
    assert in_folder(str(tmp_path)) == [first, second]
    assert is_report("X.NCU-REP")
    assert not is_report("x.ncu")
