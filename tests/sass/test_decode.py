"""Decoded columns agree with a disassembler's listing of the same code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpuadvisor.sass import Kind, Space, decode

if TYPE_CHECKING:
    from tests.sass.conftest import Mix


def test_names_sizes_predicates_and_registers_match_the_listing(mix: Mix) -> None:
    checked = 0
    for mangled, listing in mix.listing.items():
        table = mix.table(mangled)
        decoded = decode(table.words, mix.sm)
        for row, name, size, predicate, registers in listing:
            where = f"{mangled}+{row * 16:#x}"
            assert decoded["name"][row] == name, where
            if size:
                assert decoded["access_bytes"][row] == size, where
            sign = "!" if decoded["negated"][row] else ""
            number = decoded["predicate"][row]
            assert (f"{sign}P{number}" if number >= 0 else "") == predicate, where
            used = {int(decoded[c][row]) for c in ("dest", "source_a", "source_b", "source_c")}
            assert used - {-1} == set(registers), where
            checked += 1
    assert checked > 300


def test_kinds_and_spaces_of_memory_accesses(mix: Mix) -> None:
    decoded = decode(mix.table("widths").words, mix.sm)
    kind, space = decoded["kind"], decoded["space"]
    wide_store = (kind == Kind.STORE) & (space == Space.GLOBAL)
    assert decoded["access_bytes"][wide_store].tolist() == [16]
    assert decoded["count_b"][wide_store].tolist() == [4]
    loads = decoded["access_bytes"][(kind == Kind.LOAD) & (space == Space.GLOBAL)]
    assert sorted(loads.tolist()) in ([1, 2, 4, 16], [1, 2, 8, 16])
    assert (kind == Kind.BARRIER).sum() == 1
    assert decoded["access_bytes"][space == Space.SHARED].tolist() == [16, 16]


def test_conversions_and_special_functions(mix: Mix) -> None:
    decoded = decode(mix.table("arithmetic").words, mix.sm)
    pairs = set(zip(decoded["convert_from"].tolist(), decoded["convert_to"].tolist(), strict=True))
    expected = {("f16", "f32"), ("f32", "f64"), ("f64", "f32"), ("i32", "f64"), ("f32", "i32")}
    assert expected <= pairs
    assert pairs & {("f32", "f16")}
    assert {"EX2", "RSQ"} <= set(decoded["function"].tolist())
    assert decoded["name"][decoded["kind"] == Kind.FP64].tolist() == ["DFMA"]
    atomic = decoded["kind"] == Kind.ATOMIC
    assert decoded["access_bytes"][atomic & (decoded["dest"] >= 0)].tolist() == [8]
    unused = (decoded["kind"] == Kind.REDUCTION) | (atomic & (decoded["dest"] < 0))
    sizes = decoded["access_bytes"][unused].tolist()
    assert set(sizes) == {4}
    assert len(sizes) >= 2
    wide = (decoded["convert_to"] == "f64") & (decoded["dest"] >= 0)
    assert set(decoded["dest_count"][wide].tolist()) == {2}


def test_a_load_takes_a_scoreboard_that_its_user_waits_for(mix: Mix) -> None:
    decoded = decode(mix.table("gather").words, mix.sm)
    loads = np.flatnonzero((decoded["kind"] == Kind.LOAD) & (decoded["space"] == Space.GLOBAL))
    assert len(loads) == 2
    for load in loads.tolist():
        board = int(decoded["write_barrier"][load])
        assert board >= 0
        result = int(decoded["dest"][load])
        sources = [decoded[name] for name in ("source_a", "source_b", "source_c")]
        user = next(
            row
            for row in range(load + 1, len(decoded))
            if any(int(source[row]) == result for source in sources)
        )
        waited = decoded["wait_mask"][load + 1 : user + 1]
        assert (waited >> board & 1).any()


def test_code_before_sm_70_and_zeros_are_undecoded(hopper: Mix) -> None:
    words = hopper.table("gather").words
    for decoded in (decode(words, 61), decode(np.zeros((3, 2), np.uint64), 90)):
        assert set(decoded["opcode"].tolist()) == {-1}
        assert set(decoded["name"].tolist()) == {""}
        assert set(decoded["kind"].tolist()) == {Kind.UNKNOWN}
        assert set(decoded["dest"].tolist()) == {-1}
        assert not decoded["access_bytes"].any()
        assert not decoded["wait_mask"].any()


def test_nothing_to_decode_gives_empty_columns() -> None:
    assert len(decode(np.zeros((0, 2), np.uint64), 90)) == 0


def test_random_words_decode_to_something() -> None:
    words = np.random.default_rng(3).integers(0, 2**63, (4096, 2)).astype(np.uint64)
    for sm in (0, 70, 90, 100, 121):
        decoded = decode(words, sm)
        assert decoded["write_barrier"].max() < 6
        assert decoded["dest_count"].min() >= 0
