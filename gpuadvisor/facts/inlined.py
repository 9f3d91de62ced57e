"""What was inlined at a place, and where the place itself was inlined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuadvisor.evidence import NO_CHAIN, Frame, InstructionTable
from gpuadvisor.facts.grouping import NOWHERE, Places
from gpuadvisor.facts.instructions import Measured
from gpuadvisor.facts.places import is_builtin, is_library

MOST = 3


def inline_columns(
    table: InstructionTable, measured: Measured, places: Places
) -> dict[str, np.ndarray[Any, Any]]:
    """Columns by place: `inlined_share`, the share of its samples on code inlined from other
    lines; `inline_sites`, at how many places it was inlined itself; `inline_text`, the busiest
    of both by name."""
    inner: list[Counter[str]] = [Counter() for _ in range(len(places))]
    outer: list[Counter[str]] = [Counter() for _ in range(len(places))]
    sums = np.zeros(len(places))
    for row in np.flatnonzero((places.of != NOWHERE) & (table.chain != NO_CHAIN)).tolist():
        place = int(places.of[row])
        chain = table.chains[int(table.chain[row])]
        at = _user_frame(chain)
        amount = float(measured.samples[row])
        if at > 0 and not is_builtin(chain[0].file):
            inner[place][_name(chain[0])] += amount  # type: ignore[assignment]
            sums[place] += amount
        if at + 1 < len(chain):
            outer[place][_name(chain[at + 1])] += amount  # type: ignore[assignment]
    total = places.sum(measured.samples)
    with np.errstate(all="ignore"):
        share = np.nan_to_num(sums / total)
    return {
        "inlined_share": share,
        "inline_sites": np.array([float(len(sites)) for sites in outer]),
        "inline_text": np.array(
            [_text(inner[i], outer[i]) for i in range(len(places))], dtype=np.str_
        ),
    }


def _user_frame(chain: Sequence[Frame]) -> int:
    return next((i for i, frame in enumerate(chain) if not is_library(frame.file)), 0)


def _name(frame: Frame) -> str:
    return f"{frame.file.replace(chr(92), '/').rsplit('/', 1)[-1]}:{frame.line}"


def _top(counts: Counter[str]) -> str:
    order = sorted(counts, key=lambda name: (-counts[name], name))
    more = f" and {len(order) - MOST} more" if len(order) > MOST else ""
    return ", ".join(order[:MOST]) + more


def _text(inner: Counter[str], outer: Counter[str]) -> str:
    parts = []
    if inner:
        parts.append(f"the code comes from {_top(inner)}")
    if outer:
        parts.append(f"inlined at {_top(outer)}")
    return "; ".join(parts)
