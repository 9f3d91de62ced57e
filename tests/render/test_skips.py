"""Rules that could not be judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuadvisor.evidence.findings import Analysis, Skipped
from gpuadvisor.render import skips


def test_skips_of_the_same_kernels_are_one_group(analysis: Analysis) -> None:
    assert skips.grouped(analysis) == [
        skips.SkippedGroup(
            ("double-promotion", "warp-divergence"), (), ("not measured: inst, lanes, opcodes",)
        ),
        skips.SkippedGroup(("compute-bound",), ("transpose_padded",), ("not measured: pipes",)),
    ]


def test_a_long_list_of_what_is_missing_is_cut(analysis: Analysis) -> None:
    names = ", ".join(f"m{i}" for i in range(20))
    skip = Skipped("compute-bound", None, f"not measured: {names}; no line information")
    (group,) = skips.grouped(replace(analysis, skipped=(skip,)))
    assert group.reasons == (
        "not measured: m0, m1, m2, m3, m4, m5, m6, m7 and 12 more",
        "no line information",
    )


def collected(analysis: Analysis, *commands: str) -> list[str]:
    skipped = tuple(Skipped("compute-bound", None, "x", command) for command in commands)
    return skips.commands(replace(analysis, skipped=skipped))


@pytest.mark.parametrize(
    ("given", "merged"),
    [
        (
            ["ncu --section A -o report ./app", "ncu --section B --section A -o report ./app"],
            ["ncu --section A --section B -o report ./app"],
        ),
        (
            ["ncu --section A -k f -o r ./app", "ncu --metrics m,n -k g -o r ./app"],
            ["ncu --section A --metrics m,n -k 'regex:^(f|g)$' -o r ./app"],
        ),
        (
            ["ncu --section A -k f -o r ./app", "ncu --import-source yes -o r ./app"],
            ["ncu --section A --import-source yes -o r ./app"],
        ),
        (
            ["ncu --metrics m -k 'regex:^f<int>$' -o r ./app", "ncu --metrics m -k g -o r ./app"],
            ["ncu --metrics m -o r ./app"],
        ),
        (
            ["ncu --section A -o r ./one", "ncu --section A -o r ./two"],
            ["ncu --section A -o r ./one", "ncu --section A -o r ./two"],
        ),
        (["nvcc -lineinfo", "ncu 'unclosed", ""], ["nvcc -lineinfo", "ncu 'unclosed"]),
    ],
)
def test_commands_are_merged(analysis: Analysis, given: list[str], merged: list[str]) -> None:
    assert collected(analysis, *given) == merged


def test_a_hostile_name_stays_one_word(analysis: Analysis) -> None:
    (command,) = collected(analysis, "ncu --section A -k '$(rm -rf ~)' -o r ./app")
    assert command == "ncu --section A -k '$(rm -rf ~)' -o r ./app"
