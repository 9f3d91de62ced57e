"""Per-instruction metrics of a launch on the rows of one table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gpuadvisor.evidence import Instances

_COUNTED = ("inst_executed", "thread_inst_executed")
"""Lists that hold every instruction, executed or not."""
_SAMPLED = (
    "smsp__pcsamp_sample_count",
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard",
    "smsp__pcsamp_warp_stall_long_scoreboard",
)
_PER_INSTRUCTION = re.compile(
    r"smsp__pcsamp|inst_executed|thread_inst_executed|memory_|derived__memory_"
    r"|smsp__branch_targets|derived__(avg|derivative)_"
)

Addresses = np.ndarray[Any, np.dtype[np.uint64]]
Numbers = np.ndarray[Any, np.dtype[np.float64]]
Places = tuple[Any, Any] | None
"""(rows, which values), rows None for "as they are"; None where no key is an address here."""


def measured_addresses(instances: Mapping[str, Instances]) -> tuple[Addresses, bool]:
    """Every measured instruction's address, ascending, and whether none can be missing.

    Counters list all that can execute; samples show warps that drain their stores behind an EXIT
    too, where nothing executes, so both lists are needed.
    """
    keys = []
    complete = False
    for names in (_COUNTED, _SAMPLED):
        for name in names:
            found = instances.get(name)
            if found is not None and found.by_address and len(found.keys):
                keys.append(found.keys)
                complete |= names is _COUNTED
                break
    if not keys:
        wanted = (instances.get(name) for name in instances if _PER_INSTRUCTION.match(name))
        keys = [found.keys for found in wanted if found is not None and found.by_address]
    if not keys:
        return np.zeros(0, np.uint64), False
    if len(keys) == 2 and np.array_equal(keys[0], keys[1]):
        keys.pop()
    return np.unique(np.concatenate(keys).astype(np.uint64)), complete


class AlignedMetrics(Mapping[str, Numbers]):
    """Metrics by the report's names, float64[n]; each decodes when it is asked for.

    An instruction that a counter's list leaves out is NaN: not measured. One that a sampler's
    list leaves out is 0: no sample hit it.
    """

    def __init__(self, instances: Mapping[str, Instances], addresses: Addresses) -> None:
        self._instances = instances
        self._addresses = addresses
        self._known: dict[str, Numbers | None] = {}
        self._places: list[tuple[Any, Places]] = []

    def _aligned(self, name: str) -> Numbers | None:
        if name in self._known:
            return self._known[name]
        column = None
        found = self._instances.get(name)
        if found is not None and found.by_address and found.values.dtype.kind in "fiub":
            column = self._column(found, 0.0 if "pcsamp" in name else np.nan)
        self._known[name] = column
        return column

    def _column(self, found: Instances, absent: float) -> Numbers | None:
        places = self._places_of(found.keys)
        if places is None:
            return None
        rows, kept = places
        if rows is None:
            return found.values.astype(np.float64)
        column = np.full(len(self._addresses), absent)
        column[rows] = found.values[kept]
        return column

    def _places_of(self, keys: Addresses) -> Places:
        """Where the values of a list go; lists that share their keys share the answer."""
        for known, places in self._places:
            if known is keys:
                return places
        places = _places(keys, self._addresses)
        self._places.append((keys, places))
        return places

    def __getitem__(self, name: str) -> Numbers:
        column = self._aligned(name)
        if column is None:
            raise KeyError(name)
        return column

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._aligned(name) is not None

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._instances if self._aligned(name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _places(keys: Addresses, addresses: Addresses) -> Places:
    if not len(addresses):
        return None
    if len(keys) == len(addresses) and np.array_equal(keys, addresses):
        return None, slice(None)
    rows = np.minimum(np.searchsorted(addresses, keys), len(addresses) - 1)
    kept = addresses[rows] == keys
    return (rows[kept], kept) if kept.any() else None
