"""Parts between barriers that only some warps of a block run.

The instructions before a barrier are executed as often as the barrier, unless a test on the
thread index keeps warps out. A loop inside such a part repeats its instructions, so it counts as
often as it was entered.
"""

from __future__ import annotations

import numpy as np

from gpuadvisor.facts.code import Code
from gpuadvisor.facts.grouping import NOWHERE, Floats, Places
from gpuadvisor.facts.instructions import Measured

GUARDED = 0.5
"""Up to this share of the block's warps a part counts as guarded."""


def participation(inst: Floats, code: Code) -> Floats:
    """Share of the warps that run each instruction, of those that reach the next barrier; NaN
    after the last barrier or where nothing is known. float64[n]."""
    count = len(inst)
    share = np.full(count, np.nan)
    barriers = np.flatnonzero(code.masks["barrier"] & (inst > 0))
    if not len(barriers):
        return share
    entered = inst.copy()
    has_barrier = np.concatenate([[0], np.cumsum(code.masks["barrier"])])
    for start, end in sorted(
        {(int(s), int(e)) for s, e in zip(code.loop_start, code.loop_end, strict=True) if s >= 0},
        key=lambda loop: loop[0] - loop[1],
    ):
        if has_barrier[end + 1] - has_barrier[start] == 0 and start > 0:
            # from the outermost loop inwards, so that a nested loop takes its outer loop's entry
            before = entered[start - 1]
            entered[start : end + 1] = np.minimum(entered[start : end + 1], before)
    following = np.searchsorted(barriers, np.arange(count))
    inside = following < len(barriers)
    target = barriers[np.minimum(following, len(barriers) - 1)]
    with np.errstate(all="ignore"):
        share[inside] = entered[inside] / inst[target[inside]]
    return np.asarray(np.minimum(share, 1.0), np.float64)


def guarded_parts(places: Places, measured: Measured, code: Code) -> dict[str, Floats]:
    """Columns: `guarded_share`, the share of warps in the guarded part of a place (1 where
    nothing is guarded), and `guarded_work`, the share of the kernel's instructions that all
    guarded parts make, at the place that has most of them (0 elsewhere)."""
    inst = measured.metrics.get("inst")
    if inst is None:
        return {}
    weight = np.nan_to_num(inst)
    shares = np.ones(len(places))
    work = np.zeros(len(places))
    part = participation(weight, code)
    guarded = (part <= GUARDED) & (weight > 0) & (places.of != NOWHERE)
    total = weight.sum()
    if guarded.any() and total > 0:
        amount = np.where(guarded, weight, 0.0)
        by_place = places.sum(amount)
        top = int(np.argmax(by_place))
        mine = guarded & (places.of == top)
        shares[top] = float((part[mine] * weight[mine]).sum() / weight[mine].sum())
        work[top] = float(amount.sum() / total)
    return {"guarded_share": shares, "guarded_work": work}
