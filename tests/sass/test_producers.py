"""A wait is blamed on who was waited for: loads, copies, stores behind an EXIT."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpuadvisor.sass import Kind, Listing, Space, read_listing

if TYPE_CHECKING:
    from tests.sass.conftest import Mix


def _producers(listing: Listing, consumer: int) -> list[int]:
    pairs = listing.producers
    return [int(row) for row in pairs["producer"][pairs["consumer"] == consumer]]


def test_the_store_of_a_gather_waits_for_the_second_load(mix: Mix) -> None:
    listing = read_listing(mix.table("gather"))
    names = listing.decoded["name"]
    first, second = np.flatnonzero(names == "LDG").tolist()
    (store,) = np.flatnonzero(names == "STG").tolist()
    assert second in _producers(listing, store)
    between = [row for row in range(first + 1, second + 1) if first in _producers(listing, row)]
    assert between, "the second load's address waits for the first"
    pairs = listing.producers
    long = pairs["long"][np.isin(pairs["producer"], (first, second)) & pairs["by_result"]]
    assert long.all()


def test_a_loop_waits_for_the_load_of_its_last_round(mix: Mix) -> None:
    listing = read_listing(mix.table("chase"))
    (load,) = np.flatnonzero(listing.decoded["name"] == "LDG").tolist()
    pairs = listing.producers
    waiting = pairs["consumer"][(pairs["producer"] == load) & pairs["by_result"]]
    first, _ = listing.flow.loops[0].tolist()
    assert any(first <= row <= load for row in waiting.tolist()), "around the back edge"


def test_special_functions_and_shared_loads_are_short(mix: Mix) -> None:
    for kernel, name in (("arithmetic", "MUFU"), ("widths", "LDS")):
        listing = read_listing(mix.table(kernel))
        pairs = listing.producers
        of_them = listing.decoded["name"][pairs["producer"]] == name
        assert of_them.any()
        assert not pairs["long"][of_them].any()


def test_every_exit_drains_the_stores_before_it(mix: Mix) -> None:
    listing = read_listing(mix.table("gather"))
    names = listing.decoded["name"]
    (leaving,) = np.flatnonzero(names == "EXIT").tolist()
    stores = np.flatnonzero(names == "STG").tolist()
    drains = listing.drains
    assert drains["store"][drains["exit"] == leaving].tolist() == stores
    behind = drains["store"][drains["exit"] == leaving + 1].tolist()
    assert behind == stores, "samples of a drain show on the row behind the EXIT"


def test_drains_hold_stores_and_reductions_to_memory_only(mix: Mix) -> None:
    for name in mix.listing:
        listing = read_listing(mix.table(name))
        rows = listing.drains["store"]
        kinds = set(listing.decoded["kind"][rows].tolist())
        assert kinds <= {Kind.STORE, Kind.REDUCTION, Kind.ATOMIC}
        assert Space.SHARED not in listing.decoded["space"][rows].tolist()


def test_a_wait_for_copies_names_the_group_before_the_newest(mix: Mix) -> None:
    if mix.sm < 80:
        assert not any("copies" in name for name in mix.listing)
        return
    listing = read_listing(mix.table("copies"))
    names = listing.decoded["name"]
    before, inside = np.flatnonzero(names == "LDGSTS").tolist()
    wait = np.flatnonzero(names == "DEPBAR").tolist()[0]
    assert sorted(_producers(listing, wait)) == [before, inside]
    pairs = listing.producers
    assert pairs["long"][pairs["consumer"] == wait].all()


def test_pairs_come_nearest_first(mix: Mix) -> None:
    for name in mix.listing:
        pairs = read_listing(mix.table(name)).producers
        consumers = pairs["consumer"].tolist()
        assert consumers == sorted(consumers)
        for consumer in set(consumers):
            rows = pairs["producer"][pairs["consumer"] == consumer].tolist()
            earlier = [row for row in rows if row < consumer]
            assert rows[: len(earlier)] == sorted(earlier, reverse=True)
