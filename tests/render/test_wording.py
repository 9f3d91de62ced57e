"""Shared sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuadvisor.evidence.findings import Analysis, Estimate, EvidenceItem
from gpuadvisor.render import wording
from tests.render.conftest import UNCOALESCED, kernel


@pytest.mark.parametrize(
    ("speedup", "said"),
    [
        ((1.52, 1.93), "1.5 to 1.9 times faster"),
        ((1.861, 1.862), "1.9 times faster"),
        ((1.0, 1.04), "1 to 1.04 times faster"),
        ((600.0, 800.0), "600 to 800 times faster"),
        ((1.0, 1.0), "no gain in time"),
    ],
)
def test_gain(speedup: tuple[float, float], said: str) -> None:
    assert wording.gain(Estimate(speedup, "")) == said


def test_gain_in_time() -> None:
    said = wording.gain_in_time(UNCOALESCED, kernel("k", duration_ns=1_900_000.0))
    assert said == "1.5 to 1.9 times faster (1.9 ms now, then 984 us to 1.25 ms)"
    assert wording.gain_in_time(UNCOALESCED, None) == "1.5 to 1.9 times faster"
    assert wording.gain_in_time(replace(UNCOALESCED, estimate=None), kernel("k")) == ""


def test_headline_is_a_sentence() -> None:
    assert wording.headline(kernel("k", headline="bound by L2")) == "Bound by L2."
    assert wording.headline(kernel("k", headline="")).endswith("not measured.")


def test_a_limiter_that_limits_nothing_is_none() -> None:
    assert wording.limiter(kernel("k", occupancy_theoretical_pct=50.0)) == "registers"
    assert wording.limiter(kernel("k", occupancy_theoretical_pct=100.0)) == "-"
    assert wording.limiter(kernel("k", occupancy_limiter=None)) == "-"


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        (EvidenceItem("a", 0.102, "ratio of all lanes", 0.04), ("a", "0.102 of all lanes", "0.04")),
        (EvidenceItem("a", 8.0, "ratio", 1.5), ("a", "8", "1.5")),
        (EvidenceItem("a", 12.0, "%", 10.0), ("a", "12 %", "10 %")),
        (EvidenceItem("a", 32.0, "sector"), ("a", "32 sector", "")),
        (EvidenceItem("a", "text"), ("a", "text", "")),
    ],
)
def test_measured(item: EvidenceItem, shown: tuple[str, str, str]) -> None:
    what, value, threshold = wording.measured(item)
    assert (what, value, threshold.removeprefix("threshold ")) == shown


def test_next_step_is_the_first_warning(analysis: Analysis) -> None:
    info = replace(UNCOALESCED, severity="info", rule="other")
    assert wording.next_step(replace(analysis, findings=(info, UNCOALESCED))) == UNCOALESCED
    # without a warning an observation counts that promises 5 % at least
    assert wording.next_step(replace(analysis, findings=(info,))) == info
    little = replace(info, estimate=Estimate((1.01, 1.2), "x"))
    assert wording.next_step(replace(analysis, findings=(little,))) is None
    unknown = replace(info, estimate=None)
    assert wording.next_step(replace(analysis, findings=(unknown,))) is None


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Pad the tile. Then measure.", "Pad the tile."),
        ("Use 1.5 times as\n many.  Then", "Use 1.5 times as many."),
        ("No end", "No end"),
        ("Use e.g. float4 loads.", "Use e.g. float4 loads."),
    ],
)
def test_first_sentence(text: str, first: str) -> None:
    assert wording.first_sentence(text) == first


def test_launch_shape() -> None:
    assert wording.launch_shape(kernel("k")) == "grid 256 x 128, block 32 x 32"
    one = kernel("k", grid=(7, 1, 1), block=(64, 1, 2))
    assert wording.launch_shape(one) == "grid 7, block 64 x 1 x 2"
