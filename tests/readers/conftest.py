"""Real reports and a way to open bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from gpuadvisor.evidence import ProfileReport
from gpuadvisor.readers import open_evidence

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of small real reports."""
    return DATA


def _unpacked(name: str) -> bytes:
    packed = (DATA / name).read_bytes()
    return zstandard.ZstdDecompressor().decompressobj().decompress(packed)


@pytest.fixture(scope="session")
def transpose_bytes() -> bytes:
    """The report of three kernels as ncu wrote it."""
    return _unpacked("transpose.ncu-repz")


@pytest.fixture(scope="session")
def small_bytes() -> bytes:
    """A report with two metrics collected: 77 KB, a third of it the program."""
    return _unpacked("transpose_two_metrics.ncu-repz")


@pytest.fixture(scope="session")
def transpose() -> ProfileReport:
    return open_evidence(DATA / "transpose.ncu-repz")


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[bytes], ProfileReport]:
    """Writes bytes to a file and reads it as a report."""

    def open_bytes(content: bytes) -> ProfileReport:
        path = tmp_path / "a.ncu-rep"
        path.write_bytes(content)
        return open_evidence(path)

    return open_bytes
