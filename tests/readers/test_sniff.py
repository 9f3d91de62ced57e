"""Formats are told apart by content, and what cannot be read says why and what to do."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from gpuadvisor.evidence import ProfileReport, UnreadableInput
from gpuadvisor.readers import open_evidence

Open = Callable[[bytes], ProfileReport]


@pytest.mark.parametrize("ending", [".ncu-rep", ".ncu-repz", ".nsight-cuprof-report", ".txt", ""])
def test_the_ending_says_nothing(
    data: Path, transpose_bytes: bytes, tmp_path: Path, ending: str
) -> None:
    plain, packed = tmp_path / f"plain{ending}", tmp_path / f"packed{ending}"
    plain.write_bytes(transpose_bytes)
    packed.write_bytes((data / "transpose.ncu-repz").read_bytes())
    assert open_evidence(plain).kind == "ncu-rep"
    assert open_evidence(packed).kind == "ncu-repz"
    assert len(open_evidence(packed).launches) == len(open_evidence(plain).launches) == 3


def test_paths_may_be_text_or_path_objects(data: Path) -> None:
    path = data / "range.ncu-repz"
    assert open_evidence(str(path)).path == open_evidence(path).path == str(path)


def test_the_digest_is_of_the_file_on_disk(data: Path) -> None:
    packed = (data / "transpose.ncu-repz").read_bytes()
    report = open_evidence(data / "transpose.ncu-repz")
    assert report.sha256 == hashlib.sha256(packed).hexdigest()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"==PROF== Connected to process 12\n", "text"),
        ("Kernel Name\r\n".encode("utf-16"), "text"),
        (b"SQLite format 3\0" + bytes(100), "SQLite"),
        (b"\x1f\x8b\x08" + bytes(100), "gzip"),
        (b"\xfd7zXZ\0" + bytes(100), "xz"),
        (b"PK\x03\x04" + bytes(100), "zip"),
        (b"\x7fELF" + bytes(100), "program"),
        (b"version https://git-lfs.github.com/spec/v1\n", "LFS"),
        (bytes(range(256)), "unknown"),
        (b"NVR", "text"),
        (b"NVR\0", "header"),
        (b"NVR\0\x02\0\0\0", "header"),
        (b"NVR\0\xff\xff\xff\xff\x08\x07", "header"),
        (zstandard.compress(b"not a report"), "holds no Nsight Compute report"),
        (b"\x28\xb5\x2f\xfd" + bytes(range(200)), "damaged Zstandard"),
    ],
)
def test_what_is_no_report_says_what_it_is(opened: Open, content: bytes, reason: str) -> None:
    with pytest.raises(UnreadableInput, match=reason) as caught:
        opened(content)
    assert caught.value.path.endswith("a.ncu-rep")


def test_folders_and_absent_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="folder"):
        open_evidence(tmp_path)
    with pytest.raises(UnreadableInput, match="No such file"):
        open_evidence(tmp_path / "absent.ncu-rep")
    with pytest.raises(UnreadableInput):
        open_evidence("a\0b")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.ncu-rep"
    os.mkfifo(pipe)
    with pytest.raises(UnreadableInput, match="regular"):
        open_evidence(pipe)


def test_importing_the_readers_loads_nothing_slow() -> None:
    slow = ("pandas", "zstandard", "jsonschema", "lsprotocol", "tree_sitter", "yaml", "rich")
    code = f"import sys, gpuadvisor.readers; print([m for m in {slow} if m in sys.modules])"
    shown = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert shown.stdout.strip() == "[]"
