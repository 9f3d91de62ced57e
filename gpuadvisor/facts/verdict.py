"""What bounds a kernel, as one word and one sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gpuadvisor.evidence.findings import Finding, Verdict

BUSY = 60.0
"""Throughput in % of peak from which on a unit counts as the limit; the field's usual border."""

APART = 10.0
"""Compute and memory throughputs closer than this are balanced."""

PROMISING = 1.05
"""The low end of an estimate from which on an observation is worth a word in the headline."""

SHORT_NS = 5_000.0
"""Under this duration launch cost and counter noise are of the size of the work."""

Row = Mapping[str, Any]

_STALLS = {
    "long_scoreboard": "loads from global or local memory",
    "short_scoreboard": "shared memory or special functions",
    "barrier": "barriers",
    "drain": "stores and atomics to drain",
    "lg_throttle": "room in the load/store queue",
    "mio_throttle": "room in the memory-input/output queue",
    "wait": "fixed instruction latencies",
    "math_pipe_throttle": "a busy arithmetic pipe",
    "tex_throttle": "room in the texture queue",
    "membar": "memory fences",
    "no_instruction": "instructions to be fetched",
    "imc_miss": "constants to be loaded",
    "branch_resolving": "branches to resolve",
    "gmma": "matrix instructions",
    "sleeping": "a sleep to end",
}


def known(row: Row, name: str) -> float | None:
    """A number of the row, None when it was not measured."""
    value = row.get(name, math.nan)
    return value if isinstance(value, (int, float)) and math.isfinite(value) else None


def verdict_of(row: Row) -> Verdict:
    """The verdict of a kernel row: what its throughputs and launch shape say."""
    sm, memory = known(row, "sm_pct"), known(row, "memory_pct")
    grid, sms = known(row, "grid_blocks"), known(row, "sm_count")
    if sm is None or memory is None:
        return "unknown"
    if max(sm, memory) < BUSY:
        if grid is not None and sms is not None and grid < 0.9 * sms:
            return "launch"
        duration = known(row, "duration_ns")
        if duration is not None and duration < SHORT_NS:
            return "launch"
        return "latency"
    if abs(sm - memory) < APART:
        return "balanced"
    return "compute" if sm > memory else "memory"


def main_wait(row: Row) -> tuple[str, float] | None:
    """(what the warps mostly wait for, share 0..1), None without stall data."""
    shares = {
        reason: share for reason in _STALLS if (share := known(row, f"stall_{reason}")) is not None
    }
    if not shares:
        return None
    reason = max(shares, key=lambda name: shares[name])
    return (_STALLS[reason], shares[reason]) if shares[reason] >= 0.2 else None


def memory_level(row: Row) -> str:
    """The busiest level of the memory system, in words."""
    levels = {
        "DRAM": known(row, "dram_pct"),
        "L2": known(row, "l2_pct"),
        "L1 and shared memory": known(row, "l1_elapsed_pct"),
    }
    there = {name: value for name, value in levels.items() if value is not None}
    if not there:
        return "the memory system"
    return max(there, key=lambda name: there[name])


def headline(verdict: Verdict, row: Row, findings: Sequence[Finding]) -> str:
    """The verdict as a sentence a colleague would say, with the first warning as its cause; an
    observation that promises a gain is named where there is no warning."""
    lead = _bound(verdict, row)
    causes = [f for f in findings if f.severity == "warning"]
    if causes:
        return f"{lead}: {_named(causes[0])}"
    promising = [f for f in findings if f.estimate and f.estimate.speedup[0] >= PROMISING]
    if promising:
        return f"{lead}; no clear fault, but perhaps something to gain: {_named(promising[0])}"
    if verdict == "unknown":
        return lead
    if not row.get("has_instructions"):
        return f"{lead}; its lines were not measured"
    return f"{lead}; nothing found that is worth changing" if verdict != "launch" else lead


def _named(finding: Finding) -> str:
    place = finding.location
    where = f" (line {place.line})" if place and place.line else ""
    return f"{finding.title[0].lower() + finding.title[1:]}{where}"


def _bound(verdict: Verdict, row: Row) -> str:
    wait = main_wait(row)
    if verdict == "memory":
        level = memory_level(row)
        value = {"DRAM": "dram_pct", "L2": "l2_pct"}.get(level, "l1_elapsed_pct")
        used = known(row, value)
        return f"bound by {level}" + (f" at {used:.0f} % of peak" if used is not None else "")
    if verdict == "compute":
        pipe = row.get("busiest_pipe") or "the SMs"
        return f"bound by {pipe} at {known(row, 'sm_pct') or 0:.0f} % of peak"
    if verdict == "balanced":
        return "compute and memory are about equally busy"
    if verdict == "latency":
        return (
            f"bound by latency: warps wait for {wait[0]} {100 * wait[1]:.0f} % of their time"
            if wait
            else "bound by latency: neither compute nor memory is busy"
        )
    if verdict == "launch":
        grid, sms = known(row, "grid_blocks"), known(row, "sm_count")
        if grid is not None and sms is not None and grid < 0.9 * sms:
            return f"too small for the GPU: {grid:.0f} blocks on {sms:.0f} SMs"
        return "too short to fill the GPU"
    return "not enough was measured for a verdict"
