"""Listings of the kernels in tests/data/cubin/mix.cu, compiled for several architectures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpuadvisor.evidence import InstructionTable, Launch, ProgramImage
from gpuadvisor.readers.lines import read_instructions

DATA = Path(__file__).parents[1] / "data" / "cubin"
ARCHITECTURES = (75, 80, 90, 100, 120)


class Mix:
    """The compiled kernels of one architecture."""

    def __init__(self, sm: int) -> None:
        self.sm = sm
        self.image = (DATA / f"mix.sm_{sm}.cubin").read_bytes()
        self.source = (DATA / "mix.cu").read_text().splitlines()
        listing = json.loads((DATA / "mix.listing.json").read_text())
        self.listing: dict[str, list[list[Any]]] = listing[f"sm_{sm}"]

    def table(self, name: str) -> InstructionTable:
        """The code of the kernel whose mangled name holds `name`, without measurements."""
        mangled = next(one for one in self.listing if name in one)
        program = ProgramImage(1, self.image, "", self.sm, {}, {})
        launch = Launch(
            0, "kernel", name, name, mangled, (1, 1, 1), (1, 1, 1), None, {}, {}, program
        )
        table, _ = read_instructions(launch, measured_only=False)
        assert table is not None
        return table

    def line(self, text: str) -> int:
        """The first line of the source that holds `text`, from 1."""
        return next(n for n, line in enumerate(self.source, 1) if text in line)


@pytest.fixture(params=ARCHITECTURES, ids="sm_{}".format)
def mix(request: pytest.FixtureRequest) -> Mix:
    """The kernels of mix.cu, once for each architecture."""
    return Mix(request.param)


@pytest.fixture
def hopper() -> Mix:
    """The kernels of mix.cu for sm_90."""
    return Mix(90)
