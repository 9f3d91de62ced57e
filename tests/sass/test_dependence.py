"""Where addresses come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpuadvisor.sass import read_listing

if TYPE_CHECKING:
    from tests.sass.conftest import Mix


def test_a_pointer_chain_depends_on_itself(mix: Mix) -> None:
    listing = read_listing(mix.table("chase"))
    (load,) = np.flatnonzero(listing.decoded["name"] == "LDG").tolist()
    dependence = listing.dependence
    assert dependence["address_from_load"][load] == load
    assert dependence["self_dependent"][load]
    assert dependence["self_dependent"].sum() == 1


def test_a_gather_depends_on_its_index_alone(mix: Mix) -> None:
    listing = read_listing(mix.table("gather"))
    index, data = np.flatnonzero(listing.decoded["name"] == "LDG").tolist()
    dependence = listing.dependence
    assert dependence["address_from_load"][data] == index
    assert dependence["address_from_load"][index] == -1
    assert dependence["chain_length"][data] == 1
    assert not dependence["self_dependent"].any()


def test_plain_indexing_depends_on_no_load(mix: Mix) -> None:
    dependence = read_listing(mix.table("widths")).dependence
    assert set(dependence["address_from_load"].tolist()) == {-1}


def test_equal_code_shares_one_listing(hopper: Mix) -> None:
    assert read_listing(hopper.table("chase")) is read_listing(hopper.table("chase"))
    assert read_listing(hopper.table("chase")) is not read_listing(hopper.table("gather"))
