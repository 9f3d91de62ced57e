"""Branch targets, blocks and loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpuadvisor.sass import read_listing

if TYPE_CHECKING:
    from tests.sass.conftest import Mix


def test_the_one_loop_of_a_chase_holds_its_load(mix: Mix) -> None:
    listing = read_listing(mix.table("chase"))
    flow, decoded = listing.flow, listing.decoded
    assert len(flow.loops) == 1
    first, last = flow.loops[0].tolist()
    assert decoded["name"][last] == "BRA"
    assert flow.target[last] == first
    loads = np.flatnonzero(decoded["name"] == "LDG")
    assert [first <= row <= last for row in loads.tolist()] == [True]
    assert (flow.loop[first : last + 1] == 0).all()
    assert (flow.loop >= 0).sum() == last - first + 1


def test_straight_code_has_no_loop_and_one_path_to_its_exit(mix: Mix) -> None:
    flow = read_listing(mix.table("gather")).flow
    assert len(flow.loops) == 0
    assert set(flow.loop.tolist()) == {-1}
    assert flow.predecessors[0] == ()


def test_edges_go_both_ways(mix: Mix) -> None:
    for name in mix.listing:
        flow = read_listing(mix.table(name)).flow
        for block, following in enumerate(flow.successors):
            assert all(block in flow.predecessors[one] for one in following)
        rows = [row for block in range(len(flow.starts)) for row in flow.rows_of(block)]
        assert rows == list(range(len(flow.block)))


def test_calls_name_the_start_of_a_subroutine(mix: Mix) -> None:
    table = mix.table("calls")
    listing = read_listing(table)
    calls = np.flatnonzero(listing.decoded["name"] == "CALL")
    assert len(calls) >= 1
    goals = listing.flow.target[calls]
    assert (table.offset[goals] == 0).all()
    assert (table.function[goals] != table.function[calls]).all()
