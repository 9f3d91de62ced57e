"""The text view as a whole."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace

import pytest

from gpuadvisor.evidence import Problem
from gpuadvisor.evidence.findings import Analysis, Estimate, InputSummary, Location, Skipped
from gpuadvisor.render.text import TextOptions, render
from tests.render.conftest import SOURCE_FILE, UNCOALESCED, kernel


def test_the_transpose_sample(analysis: Analysis, kept: Callable[[str, str], None]) -> None:
    kept("transpose.txt", render(analysis, TextOptions(lines=True)))


def test_the_last_thing_said_is_what_to_do_next(analysis: Analysis) -> None:
    end = render(analysis).rsplit("\n\n", 1)[1]
    assert end.startswith("Next ")
    assert "transpose.cu:22: Stage the tile through shared memory." in end
    assert "1.5 to 1.9 times faster" in end


def test_only_the_sources_and_commands_pass_the_width(analysis: Analysis) -> None:
    for width in (80, 100):
        wide = [
            row
            for row in render(analysis, TextOptions(width=width)).splitlines()
            if len(row) > width
        ]
        assert not [
            row
            for row in wide
            if not row.lstrip().startswith(("$", "22 |", "kernel", "transpose_", "| -"))
        ]


def test_paths_below_the_base_are_shown_relative(analysis: Analysis) -> None:
    shown = render(analysis, TextOptions(base="/home/u"))
    assert "--> transpose.cu:22:9\n" in shown
    assert SOURCE_FILE not in shown
    assert SOURCE_FILE in render(analysis, TextOptions(base="/home/us"))


def test_a_kernel_without_a_fault_says_so_and_what_bounds_it(analysis: Analysis) -> None:
    clean = replace(analysis, findings=(), skipped=())
    shown = render(clean)
    assert shown.count("  Bound by L2 at 91 % of peak.\n") == 2
    assert "Next      nothing to change" in shown


def test_an_info_alone_is_no_fault_and_is_brief(analysis: Analysis) -> None:
    info = replace(UNCOALESCED, severity="info", estimate=Estimate((1.0, 1.04), "little"))
    shown = render(replace(analysis, findings=(info,)))
    assert "info[GA101]" in shown
    assert "why " not in shown
    assert "gain " not in shown
    assert "fix       Stage the tile through shared memory.\n" in shown
    assert "Next      nothing to change" in shown


def test_what_was_said_of_a_kernel_is_not_said_again(analysis: Analysis) -> None:
    second = replace(UNCOALESCED, location=Location(SOURCE_FILE, 20, 20), fix="Another.")
    shown = render(replace(analysis, findings=(UNCOALESCED, second)))
    assert shown.count("why   ") == 1
    assert "fix       Another." in shown
    assert "as above  why, gain, edit, symptom\n" in shown


def test_what_was_said_of_another_kernel_is_referred_to(analysis: Analysis) -> None:
    second = replace(UNCOALESCED, kernel="transpose_padded#0", why="Other.")
    shown = render(replace(analysis, findings=(UNCOALESCED, second)))
    assert shown.count("fix   ") == 1
    assert "as above  fix, edit, symptom, as for transpose_naive\n" in shown
    assert shown.count("gain   ") == 2


def test_nothing_found_where_little_was_measured_is_no_acquittal(analysis: Analysis) -> None:
    rules = ("a-b", "a-c", "a-d", "a-e", "a-f")
    skipped = tuple(Skipped(r, None, "not measured: x", "ncu --metrics x ./app") for r in rules)
    shown = render(replace(analysis, findings=(), skipped=skipped))
    assert "Next      measure what is missing: 5 rules" in shown
    assert shown.endswith("\n          $ ncu --metrics x ./app\n")


def test_a_range_has_no_launch_shape(analysis: Analysis) -> None:
    range_ = kernel("range", grid=(0, 0, 0), block=(0, 0, 0), share_pct=None)
    shown = render(replace(analysis, kernels=(range_,), findings=(), skipped=()))
    assert "\nrange  490 us\n" in shown


def test_a_line_that_is_not_at_hand_says_so(analysis: Analysis) -> None:
    finding = replace(UNCOALESCED, location=Location("gone.cu", 3, 3), confidence="medium")
    shown = render(replace(analysis, findings=(finding,)))
    assert "--> gone.cu:3  (source not at hand, medium confidence)" in shown
    assert f"::: {SOURCE_FILE}:24: 73 % of the samples" in shown


def test_a_changed_line_says_so(analysis: Analysis) -> None:
    stale = replace(UNCOALESCED, location=Location(SOURCE_FILE, 22, 22, state="stale"))
    assert "(this line has changed since" in render(replace(analysis, findings=(stale,)))


def test_no_kernel(analysis: Analysis) -> None:
    nothing = replace(analysis, kernels=(), findings=(), skipped=(), lines=())
    assert "Next      no kernel to explain" in render(nothing)


def test_problems_of_an_input_are_told_with_what_to_do(analysis: Analysis) -> None:
    broken = InputSummary("x.ncu-rep", "ncu-rep", "", (Problem("cut off at byte 9", "copy again"),))
    shown = render(replace(analysis, inputs=(broken,)))
    assert "note: cut off at byte 9\n        copy again\n" in shown


def test_of_many_kernels_the_longest_are_explained(analysis: Analysis) -> None:
    many = tuple(
        kernel(f"k{i}", duration_ns=1000.0 * (i % 7 + 1), share_pct=1.0) for i in range(40)
    )
    shown = render(replace(analysis, kernels=many, findings=(), skipped=()))
    assert "and 15 more kernels of 15 % of the time" in shown
    assert shown.count("Bound by L2") == 10
    assert "k6 " in shown


def test_launches_of_one_kernel_are_one_row(analysis: Analysis) -> None:
    folded = replace(analysis, kernels=(kernel("k", launches=105),), findings=(), skipped=())
    shown = render(folded)
    assert "105 launches of 490 us" in shown
    assert "51.5 ms measured" in shown


@pytest.mark.parametrize("options", [TextOptions(), TextOptions(lines=True, vendor=True)])
def test_hostile_text_is_written_out(hostile: Analysis, options: TextOptions) -> None:
    shown = render(hostile, options)
    unseen = {c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c != "\n"}
    assert not unseen
    assert "\\x1b[2J\\u202e<img" in shown


def test_the_same_analysis_gives_the_same_bytes(analysis: Analysis) -> None:
    assert render(analysis) == render(analysis)


def test_what_was_not_measured_is_no_zero(analysis: Analysis) -> None:
    bare = kernel(
        "k",
        duration_ns=None,
        share_pct=None,
        sm_pct=None,
        memory_pct=None,
        occupancy_theoretical_pct=None,
        occupancy_achieved_pct=None,
        occupancy_limiter=None,
        verdict="unknown",
        headline="",
    )
    shown = render(replace(analysis, kernels=(bare,), findings=(), skipped=()))
    assert "0 %" not in shown
    assert "What bounds this kernel was not measured" in shown
