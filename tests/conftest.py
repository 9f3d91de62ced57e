"""What tests of several folders share: where real files are, and comparison with kept output."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Time says nothing on a shared machine, and a failure must come back when the tests run again.
settings.register_profile(
    "project",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("project")

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def samples() -> Path:
    """The shipped sample programs and their reports."""
    return ROOT / "samples"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of larger and foreign reports beside the project; skips where it is absent."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("no ../shared here")
    return folder


@pytest.fixture
def kept(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare text with the file `expected/NAME` beside the test; UPDATE_EXPECTED=1 writes it."""
    folder = Path(request.path).parent / "expected"

    def compare(name: str, text: str) -> None:
        path = folder / name
        if os.environ.get("UPDATE_EXPECTED"):
            folder.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
        assert text == path.read_bytes().decode()

    return compare
