"""The estimate models on made-up kernels whose answer can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from gpuadvisor.estimates import MODELS
from gpuadvisor.estimates.resources import PRACTICAL_PEAK, floor, relieve, utilisation


def columns(**values: float) -> dict[str, np.ndarray]:
    return {name: np.array([value]) for name, value in values.items()}


def test_the_floor_is_the_busiest_resource_after_the_fix() -> None:
    used = {"dram": 0.46, "l2": 0.9}
    assert floor(used, {}).time == pytest.approx(0.9 / PRACTICAL_PEAK)
    relieved = floor(used, {"l2": 0.1})
    assert relieved.time == pytest.approx(0.5)
    assert relieved.limit == "DRAM bandwidth"


def test_unmeasured_resources_bound_nothing_and_nothing_measured_is_no_estimate() -> None:
    kernel = columns(dram_pct=50.0, l2_pct=np.nan)
    assert utilisation(lambda name: float(kernel.get(name, [np.nan])[0])) == {"dram": 0.5}
    assert relieve(lambda name: float("nan"), {"l2": 0.5}, 0.5, "x") is None


def test_a_saturated_resource_allows_the_floor_another_only_its_own_waits() -> None:
    model = MODELS["memory-traffic"]
    inputs = {"sectors": 0.8, "removed": 0.3}
    full = model(columns(l2_pct=92.0, dram_pct=10.0), 0, inputs)
    idle = model(columns(l2_pct=30.0, dram_pct=10.0), 0, inputs)
    assert full is not None
    assert idle is not None
    assert full.speedup[1] == pytest.approx(1 / (0.92 * 0.2 / PRACTICAL_PEAK), rel=0.01)
    assert idle.speedup[1] == pytest.approx(1 / 0.7, rel=0.01)
    assert full.speedup[0] == idle.speedup[0] == pytest.approx(1 / 0.85, rel=0.01)


def test_dram_at_its_roof_leaves_nothing() -> None:
    estimate = MODELS["memory-traffic"](
        columns(l2_pct=60.0, dram_pct=89.0), 0, {"sectors": 0.6, "removed": 0.9}
    )
    assert estimate is not None
    assert estimate.speedup[1] <= 1 / 0.89


@pytest.mark.parametrize(("waves", "high"), [(1.004, 1.99), (2.5, 1.2), (1.0, 1.0)])
def test_a_tail_costs_the_rest_of_its_wave(waves: float, high: float) -> None:
    estimate = MODELS["tail"](columns(), 0, {"waves": waves})
    assert estimate is not None
    assert estimate.speedup[1] == pytest.approx(high, abs=0.01)


def test_what_the_sms_did_bounds_a_tail() -> None:
    estimate = MODELS["tail"](columns(), 0, {"waves": 1.01, "balance": 0.8})
    assert estimate is not None
    assert estimate.speedup[1] == pytest.approx(1.25)


def test_contended_atomics_fall_to_the_floor_of_the_rest() -> None:
    queue = MODELS["atomics"](columns(dram_pct=0.1, l2_pct=0.9, sm_pct=0.2), 0, {"removed": 0.75})
    busy = MODELS["atomics"](columns(dram_pct=40.0, l2_pct=30.0), 0, {"removed": 0.75})
    assert queue is not None
    assert busy is not None
    assert queue.speedup[1] > 500
    assert busy.speedup[1] == pytest.approx(1 / (0.4 / PRACTICAL_PEAK), rel=0.01)


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, 7.0, -1.0])
def test_every_model_orders_its_ends_and_survives_anything(name: str, share: float) -> None:
    names = ("sectors", "removed", "wavefronts", "issue", "active", "used", "slots", "waves",
             "now", "after", "width", "waiting")  # fmt: skip
    for used in (0.0, 50.0, 100.0, np.nan):
        kernel = columns(dram_pct=used, l2_pct=used, issue_elapsed_pct=used, dram_bytes=used)
        for inputs in (dict.fromkeys(names, share), {}, dict.fromkeys(names, np.nan)):
            estimate = MODELS[name](kernel, 0, inputs)
            if estimate is not None:
                low, high = estimate.speedup
                assert 1 <= low <= high < 1e9
                assert estimate.basis
