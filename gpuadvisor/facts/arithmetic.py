"""How arithmetic is put together: products that a sum could have taken in, and instructions that
wait for the one before."""

from __future__ import annotations

import numpy as np

from gpuadvisor.evidence import InstructionTable
from gpuadvisor.facts.code import Bools, Code
from gpuadvisor.facts.grouping import Floats, Places
from gpuadvisor.facts.instructions import Measured
from gpuadvisor.sass.listing import read_listing

_PRODUCTS = {"FMUL": "FADD", "DMUL": "DADD", "HMUL2": "HADD2"}
_FUSED = ("FFMA", "DFMA", "HFMA2")
_SOURCES = (("source_a", "count_a"), ("source_b", "count_b"), ("source_c", "count_c"))


def arithmetic_columns(
    table: InstructionTable, measured: Measured, code: Code, places: Places
) -> dict[str, Floats]:
    """Columns by place, in warp-level instructions: `unfused`, sums of a product that nothing
    else uses (one fused instruction would do both); `fused`, multiply-adds;
    `issue_cycles`, the cycles that the code itself leaves between its instructions and the next
    (fixed latencies written into the code), one for each at the least."""
    inst = measured.metrics.get("inst")
    if inst is None or not code.decoded:
        return {}
    assert code.table is not None
    weight = np.nan_to_num(inst)
    fused = np.isin(code.table["name"], _FUSED) & (code.table["source_c"] >= 0)
    gap = np.maximum(code.table["stall"], 1).astype(np.float64)
    return {
        "unfused": places.sum(np.where(unfused(table, code), weight, 0.0)),
        "fused": places.sum(np.where(fused, weight, 0.0)),
        "issue_cycles": places.sum(weight * gap),
    }


def unfused(table: InstructionTable, code: Code) -> Bools:
    """Rows that add a product of the same basic block which is used nowhere else before its
    register is written again. bool[n]."""
    decoded = code.table
    assert decoded is not None
    found = np.zeros(len(decoded), bool)
    names, dest = decoded["name"], decoded["dest"]
    # under a predicate a product is not always one: scaling around special functions is like that
    always = decoded["predicate"] < 0
    products = np.flatnonzero(np.isin(names, tuple(_PRODUCTS)) & (dest >= 0) & always)
    if not len(products):
        return found
    block = read_listing(table).flow.block
    reads = [(decoded[s].tolist(), decoded[c].tolist()) for s, c in _SOURCES]
    writes = (dest.tolist(), decoded["dest_count"].tolist())
    for row in products.tolist():
        adds: list[int] = []
        others = 0
        register = int(dest[row])
        for after in range(row + 1, len(decoded)):
            if block[after] != block[row]:
                break
            uses = sum(
                first[after] >= 0 and first[after] <= register < first[after] + max(count[after], 1)
                for first, count in reads
            )
            if uses == 1 and names[after] == _PRODUCTS[str(names[row])] and always[after]:
                adds.append(after)
            elif uses:
                others += 1
            if writes[0][after] <= register < writes[0][after] + max(writes[1][after], 1):
                break
        if len(adds) == 1 and not others:
            found[adds[0]] = True
    return found
