"""What the instructions of a kernel are and what they wait for, from the decoded machine code.

Without code (it is not in every report) the report's own access types stand in for loads and
stores; everything else is then unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuadvisor.evidence import InstructionTable, Table
from gpuadvisor.facts.grouping import Floats
from gpuadvisor.sass import Kind, Space

Bools = np.ndarray[Any, np.dtype[np.bool_]]
Integers = np.ndarray[Any, np.dtype[np.int64]]
Edge = tuple[str, Integers, Integers, Floats]
"""(stall reason, waiting instructions, the ones waited for, share of the samples)."""

STACK_POINTER = 1
TRANSCENDENTAL = ("EX2", "LG2", "SIN", "COS", "TANH")
# Values of memory_type and memory_access_type, seen beside decoded instructions.
_TYPE_GLOBAL, _TYPE_LOCAL, _TYPE_SHARED = 4, 8, 16
_ACCESS_LOAD, _ACCESS_STORE, _ACCESS_ATOMIC = 2, 4, 8


@dataclass(frozen=True)
class Code:
    """Per-instruction facts, n rows. masks: bool[n] by kind of work. access_bytes: bytes a
    thread moves, NaN where the instruction moves none. self_dependent: loads whose address
    comes from their own earlier result. address_from_load: the load an address comes from, -1.
    loop_start, loop_end: first and last row of the innermost loop, -1."""

    decoded: bool
    table: Table | None
    masks: Mapping[str, Bools]
    access_bytes: Floats
    self_dependent: Bools
    address_from_load: Integers
    edges: tuple[Edge, ...]
    loop_start: Integers
    loop_end: Integers


def masks_of(decoded: Table) -> dict[str, Bools]:
    """The masks of a decoded table."""
    kind, space = decoded["kind"], decoded["space"]
    source, target = decoded["convert_from"], decoded["convert_to"]
    load = (kind == Kind.LOAD) | (kind == Kind.ASYNC_COPY)
    store = kind == Kind.STORE
    atomic = (kind == Kind.ATOMIC) | (kind == Kind.REDUCTION)
    spaces = {
        "global": (space == Space.GLOBAL) | (space == Space.GENERIC),
        "shared": space == Space.SHARED,
        "local": space == Space.LOCAL,
    }
    masks = {
        f"{name}_{where}": accesses & inside
        for name, accesses in (("ld", load), ("st", store), ("at", atomic))
        for where, inside in spaces.items()
    }
    function = decoded["function"]
    double = (source == "f64") | (target == "f64")
    masks |= {
        "stack_access": spaces["local"] & (decoded["source_a"] == STACK_POINTER),
        "fp64": kind == Kind.FP64,
        "fp32": kind == Kind.FP32,
        "fp16": kind == Kind.FP16,
        "integer": kind == Kind.INT,
        "convert": kind == Kind.CONVERT,
        "convert_f64": (kind == Kind.CONVERT) & double & (source != target),
        "convert_to_f32": (kind == Kind.CONVERT) & (source == "f64") & (target == "f32"),
        "widen_half": (kind == Kind.CONVERT) & (source == "f16") & (target == "f32"),
        "mufu": kind == Kind.MUFU,
        "transcendental": np.isin(function, TRANSCENDENTAL),
        "reciprocal": function == "RCP",
        "int_to_float": np.isin(source, ("i32", "i64")) & (target == "f32"),
        "float_to_int": (source == "f32") & np.isin(target, ("i32", "i64")),
        "control": kind == Kind.CONTROL,
        "tensor": kind == Kind.TENSOR,
        "barrier": kind == Kind.BARRIER,
        "shuffle": kind == Kind.SHUFFLE,
        "async_copy": kind == Kind.ASYNC_COPY,
        "fence": decoded["name"] == "MEMBAR",
        # an address in a register: lanes may differ (constants of the launch have none)
        "constant_indexed": (decoded["name"] == "LDC") & (decoded["source_a"] >= 0),
    }
    return masks


def _masks_of_types(table: InstructionTable) -> dict[str, Bools]:
    """Loads and stores by the report's memory_type and memory_access_type."""
    zeros = np.zeros(len(table))
    space = np.nan_to_num(table.metrics.get("memory_type", zeros)).astype(np.int64)
    access = np.nan_to_num(table.metrics.get("memory_access_type", zeros)).astype(np.int64)
    blank = decode_nothing(len(table))
    masks = masks_of(blank)
    for name, bit in (("ld", _ACCESS_LOAD), ("st", _ACCESS_STORE), ("at", _ACCESS_ATOMIC)):
        for where, flag in (
            ("global", _TYPE_GLOBAL),
            ("local", _TYPE_LOCAL),
            ("shared", _TYPE_SHARED),
        ):
            masks[f"{name}_{where}"] = ((access & bit) != 0) & ((space & flag) != 0)
    return masks


def decode_nothing(count: int) -> Table:
    """A decoded table of unknown instructions."""
    from gpuadvisor.sass import decode

    return decode(np.zeros((count, 2), np.uint64), 90)


def code_of(table: InstructionTable, weight: Floats) -> Code:
    """The code facts of a kernel's instruction table; `weight` is how often each instruction is
    executed (zeros where unknown)."""
    from gpuadvisor.facts.waits import wait_edges
    from gpuadvisor.sass.listing import read_listing

    count = len(table)
    listing = read_listing(table)
    decoded = listing.decoded
    none = np.full(count, -1, np.int64)
    if not (decoded["opcode"] >= 0).any():
        bits = table.metrics.get("memory_access_size_type", np.full(count, np.nan))
        return Code(
            False,
            None,
            _masks_of_types(table),
            np.where(bits > 0, bits / 8, np.nan),
            np.zeros(count, bool),
            none,
            (),
            none,
            none,
        )
    masks = masks_of(decoded)
    moved = decoded["access_bytes"].astype(np.float64)
    loop = listing.flow.loop.astype(np.int64)
    spans = np.vstack([listing.flow.loops.astype(np.int64).reshape(-1, 2), [[-1, -1]]])
    return Code(
        True,
        decoded,
        masks,
        np.where(moved > 0, moved, np.nan),
        listing.dependence["self_dependent"],
        listing.dependence["address_from_load"].astype(np.int64),
        wait_edges(listing, masks, weight),
        spans[loop, 0],
        spans[loop, 1],
    )
