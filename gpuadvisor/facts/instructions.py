"""Per-instruction facts: canonical metrics, what kind of work it is, and which waits it causes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuadvisor.evidence import InstructionTable
from gpuadvisor.facts.metrics import Catalogue, Metric

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Measured:
    """What the report holds per instruction, n rows as the instruction table.

    metrics: canonical name to values; absent when the report lacks it, NaN where an instruction
    has none. stalls: reason to samples. samples: all of them, zeros when nothing was sampled.
    """

    metrics: Mapping[str, Floats]
    stalls: Mapping[str, Floats]
    samples: Floats
    sampled: bool


def _first(metric: Metric, table: InstructionTable) -> Floats | None:
    for how, names in metric.names:
        if how == "one" and names[0] in table.metrics:
            return table.metrics[names[0]]
    return None


def measured(table: InstructionTable, catalogue: Catalogue) -> Measured:
    """The canonical per-instruction metrics of a table."""
    metrics = {
        name: values
        for name, metric in catalogue.instruction.items()
        if (values := _first(metric, table)) is not None
    }
    stalls: dict[str, Floats] = {}
    for reason in catalogue.stalls:
        for name in catalogue.stall_names(reason):
            if name in table.metrics:
                found = np.nan_to_num(table.metrics[name])
                stalls[reason] = stalls[reason] + found if reason in stalls else found
    zeros = np.zeros(len(table))
    counted = table.metrics.get("smsp__pcsamp_sample_count")
    samples = sum(stalls.values(), zeros) if stalls else zeros
    if counted is not None and not stalls:
        samples = np.nan_to_num(counted)
    return Measured(metrics, stalls, samples, bool(stalls) or counted is not None)
