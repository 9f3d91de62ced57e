"""Stalls led back to the instructions that cause them.

A sampled stall stands on the instruction that waits. Its cause is the load, special function or
shared access that holds the scoreboard; for a drain at EXIT the stores and atomics on their way;
for a barrier the barrier itself, whose waiting shows on the instruction behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gpuadvisor.evidence import Table
    from gpuadvisor.facts.code import Bools, Edge
    from gpuadvisor.facts.grouping import Floats, Integers
    from gpuadvisor.sass.listing import Listing


def wait_edges(listing: Listing, masks: dict[str, Bools], weight: Floats) -> tuple[Edge, ...]:
    """Edges by stall reason. `weight` is how often each instruction is executed: several
    stores behind one EXIT share its drain by it, several producers of one wait alike."""
    pairs = listing.producers
    edges = []
    for reason, mask in (("long_scoreboard", pairs["long"]), ("short_scoreboard", ~pairs["long"])):
        edges.append(_edge(reason, pairs["consumer"][mask], pairs["producer"][mask], weight))
    drains = listing.drains
    edges.append(_edge("drain", drains["exit"], drains["store"], weight))
    edges.append(_barriers(listing.decoded, masks["barrier"], weight))
    return tuple(edges)


def _edge(reason: str, consumer: Any, producer: Any, weight: Floats) -> Edge:
    consumer, producer = consumer.astype(np.int64), producer.astype(np.int64)
    amount = np.maximum(weight[producer], 0.0) + 1e-9
    share: Floats = np.zeros(len(consumer))
    if len(consumer):
        total = np.bincount(consumer, amount)
        share = amount / total[consumer]
    return reason, consumer, producer, share


def _barriers(decoded: Table, barrier: Bools, weight: Floats) -> Edge:
    """Each instruction directly behind a barrier waits for it."""
    rows: Integers = np.flatnonzero(barrier[:-1])
    return _edge("barrier", rows + 1, rows, weight)
