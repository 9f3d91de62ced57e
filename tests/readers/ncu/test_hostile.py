"""Whatever a file claims, reading it ends soon and within memory."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tests.readers.ncu.writer import Report, blob, instance, number

MB = 1 << 20
ROOT = Path(__file__).parents[3]

READ = """
import pathlib, re, resource, sys, time
limit = 1 << 30
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
from gpuadvisor.evidence import UnreadableInput
from gpuadvisor.readers import open_evidence
start = time.process_time()
try:
    report = open_evidence(sys.argv[1])
except UnreadableInput as error:
    print("unreadable:", error)
else:
    for launch in report.launches:
        dict(launch.metrics)
        list(launch.instances.items())
        list(launch.vendor_rules)
        if launch.program is not None:
            launch.program.cubin, launch.program.sources, launch.program.functions
    print(f"{len(report.launches)} launches", *(each.message for each in report.problems))
peak = re.search(r"VmHWM:\\s*(\\d+)", pathlib.Path("/proc/self/status").read_text())
print(int(peak.group(1)) >> 10, time.process_time() - start)
"""


def _file(blocks: bytes) -> bytes:
    return b"NVR\0" + struct.pack("<I", 2) + number(1, 7) + blocks


def _block(header: bytes, payload: bytes = b"") -> bytes:
    return struct.pack("<I", len(header)) + header + payload


def _kernel(fields: Callable[[Report], bytes]) -> bytes:
    report = Report()
    report.kernel(fields(report))
    return report.to_bytes()


def _fill(pattern: bytes, size: int = 40 * MB) -> bytes:
    return pattern * (size // len(pattern))


def _entries(header: int, entry: bytes) -> bytes:
    part = struct.pack("<I", len(entry)) + entry
    count = 40 * MB // len(part)
    return _file(_block(number(header, count) + number(5, count * len(part)), part * count))


def _program(part: bytes) -> bytes:
    report = Report()
    report.block([number(1, 5) + part], sources=1)
    report.kernel(blob(15, number(1, 5)))
    return report.to_bytes()


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "size": (lambda: _file(b"\xff\xff\xff\xff" + bytes(100)), "cut off inside a block header"),
    "payload": (
        lambda: _file(_block(number(2, 2**32 - 1) + number(5, 2**32 - 1), b"\xff" * 4)),
        "cut off",
    ),
    "blocks": (lambda: _file(_fill(_block(b""))), "more than 200,000 blocks"),
    "names": (
        lambda: _file(_block(blob(4, _fill(blob(1, ""), 7 * MB)))),
        "more than 1,048,576 names",
    ),
    "sessions": (
        lambda: _file(_block(blob(3, _fill(blob(6, b""), 250_000))) * 200),
        "too large to be real",
    ),
    "kernels": (lambda: _entries(2, blob(6, "k")), "more than 50,000 results"),
    "programs": (lambda: _entries(1, number(1, 5)), "more than 50,000 results"),
    "program fields": (lambda: _program(_fill(number(6, 1))), "more fields than a program"),
    "sources": (lambda: _program(blob(8, _fill(blob(1, "")))), "too many parts"),
    "functions": (lambda: _program(blob(9, _fill(blob(1, "")))), "too many parts"),
    "metrics": (lambda: _kernel(lambda _: _fill(blob(13, b""))), "more than 100,000 metrics"),
    "one metric": (
        lambda: _kernel(lambda report: _fill(report.metric("a", 1))),
        "more than 100,000 metrics",
    ),
    "instances": (
        lambda: _kernel(lambda report: report.metric("a", 1, [_fill(instance(1 << 40, 1))])),
        "they claim",
    ),
    "most instances": (
        lambda: _kernel(
            lambda report: report.metric("a", 1, [_fill(instance(1 << 40, 1), 31 * MB)])
        ),
        "1 launches",
    ),
    "text instances": (
        lambda: _kernel(lambda report: report.metric("a", 1, [_fill(instance("x", 1), 31 * MB)])),
        "1 launches",
    ),
    "text values": (
        lambda: _kernel(lambda report: report.metric("a", 1, [_fill(instance(1, "x"), 8 * MB)])),
        "layout varies",
    ),
    "empty instances": (
        lambda: _kernel(lambda report: report.metric("a", 1, [_fill(blob(3, b""), 31 * MB)])),
        "they claim",
    ),
    "description": (lambda: _kernel(lambda _: blob(7, bytes(40 * MB))), "too large"),
    "ranges": (
        lambda: _kernel(lambda _: blob(21, _fill(blob(2, b""), 900_000))) * 1,
        "1 launches",
    ),
    "rules": (
        lambda: _kernel(lambda _: blob(19, blob(3, _fill(blob(1, b""), 900_000))) * 40),
        "1 launches",
    ),
    "text": (lambda: _kernel(lambda report: report.metric("a", "x" * 40 * MB)), "unreadable"),
    "bomb": (lambda: zstandard.compress(b"NVR\0" + bytes(200 * MB)), "no real report does"),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits memory the way Linux does")
@pytest.mark.parametrize("name", HOSTILE)
def test_claims_cost_little(tmp_path: Path, name: str) -> None:
    make, expected = HOSTILE[name]
    path = tmp_path / "hostile.ncu-rep"
    path.write_bytes(make())
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said, measured = done.stdout.splitlines()
    assert expected in said
    megabytes, seconds = map(float, measured.split())
    assert megabytes < 600
    assert seconds < 10
