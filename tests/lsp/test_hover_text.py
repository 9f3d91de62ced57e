"""What a hover says."""

from __future__ import annotations

from gpuadvisor.evidence.findings import Consequence, Estimate
from gpuadvisor.lsp.features.code_lens import title
from gpuadvisor.lsp.features.hover import line_text
from tests.lsp.made import FILE, TEXT, analysis, finding, kernel, record, view


def rows(text: str) -> dict[str, list[str]]:
    """The cells of a table by their row's label."""
    found = {}
    for line in text.split("\n"):
        if line.startswith("| "):
            label, *cells = (cell.strip() for cell in line.strip("|").split(" | "))
            found[label] = cells
    return found


def test_the_table() -> None:
    full = record(
        stalls={"long_scoreboard": 60, "selected": 20, "wait": 10, "misc": 1},
        sectors_global=8e6,
        sectors_global_ideal=1e6,
        wavefronts_shared=64.0,
        wavefronts_shared_ideal=64.0,
        sectors_local=5.0,
        instructions=1234.0,
        threads_per_instruction=16.5,
    )
    table = rows(line_text(view(analysis(findings=(), lines=(full,))), 3, True))
    assert table["samples"][0] == "**90 %** (90)"
    assert table["stall: long scoreboard"][0] == "66 %"
    assert table["stall: wait"][0] == "11 %"
    assert "stall: selected" not in table
    assert "stall: miscellaneous" not in table
    assert table["L2 sectors"][0] == "8 M, **8 x** ideal"
    assert table["shared wavefronts"][0] == "64 (ideal)"
    assert table["local memory sectors"][0] == "5"
    assert table["threads per instruction"][0] == "16.5 of 32"
    assert table["instructions"][0] == "1,234"


def test_what_was_not_measured_is_not_there() -> None:
    bare = record(samples=None, samples_pct=None, threads_per_instruction=32.0)
    table = rows(line_text(view(analysis(findings=(), lines=(bare,))), 3, True))
    assert set(table) == {"this line", "threads per instruction"}
    nothing = record(samples=None, samples_pct=None)
    assert line_text(view(analysis(findings=(), lines=(nothing,))), 3, True) == ""


def test_few_samples_are_called_few() -> None:
    few = record(samples=9, samples_pct=90.0)
    assert "(9) (few)" in line_text(view(analysis(findings=(), lines=(few,))), 3, True)


def test_a_column_a_kernel() -> None:
    kernels = tuple(kernel(f"k{at}", f"name{at}") for at in range(6))
    lines = tuple(record(kernel=f"k{at}", samples=100 - at) for at in range(6))
    text = line_text(view(analysis(kernels=kernels, findings=(), lines=lines)), 3, True)
    assert rows(text)["this line"][:4] == ["`name0`", "`name1`", "`name2`", "`name3`"]
    assert "and 2 kernels more" in text


def test_whose_samples_they_are() -> None:
    lines = (
        record(3, 10),
        record(5, 80, stalls={"drain": 80}, drains=((FILE, 3, 79), (FILE, 4, 1))),
    )
    made = view(analysis(findings=(), lines=lines))
    brace = line_text(made, 5, True)
    assert (
        "**79 of the 80 samples here are not this line's own**: warps wait for the stores of "
        "line 3, `x[threadIdx.x * 32] = 1.0f;` to drain. Look there." in brace
    )
    assert "line 4" not in brace
    assert (
        "**79 more samples (79 % of the kernel's) are this line's** but show on line 5, `}`"
        in line_text(made, 3, True)
    )


def test_whose_samples_in_an_edited_text() -> None:
    lines = (record(3, 10), record(5, 80, stalls={"barrier": 80}, drains=((FILE, 3, 79),)))
    text = TEXT.replace("    x[threadIdx.x * 32] = 1.0f;\n", "")
    brace = line_text(view(analysis(findings=(), lines=lines), text), 4, True)
    assert "wait at the barrier of a line that is gone (it was line 3)" in brace


def test_the_finding_below_the_table() -> None:
    made = finding(
        estimate=Estimate((1.5, 2.0), "less traffic"),
        consequences=(Consequence("GA401", "memory-latency-bound", "warps wait"),),
    )
    text = line_text(view(analysis(findings=(made,))), 3, True)
    table, _, below = text.partition("**Uncoalesced**")
    assert "| samples |" in table
    assert "rules/README.md#ga101) warning in `one`" in below
    assert "**Why**: because" in below
    assert "**Fix**: do otherwise" in below
    assert "**Gain**: 1.5 to 2 times faster (1 us now, then 500 to 667 ns)" in below
    assert "less traffic" in below
    assert "Goes with it: warps wait (GA401)" in below
    assert "| samples |" not in line_text(view(analysis(findings=(made,))), 3, False)


def test_no_more_than_three_findings() -> None:
    many = tuple(finding(rule=f"r{at}", title=f"T{at}") for at in range(5))
    text = line_text(view(analysis(findings=many)), 3, True)
    assert text.count("**Why**") == 3
    assert "and 2 more findings" in text


def test_text_of_a_report_is_no_markup() -> None:
    bad = "<img src=x> [a](http://x) | `code` **b** $(icon) \x1b[0m"
    made = analysis(
        kernels=(kernel(name="one|`x`<b>", demangled="d"),),
        findings=(finding(title=bad, message=bad, why=bad, fix=bad),),
    )
    text = line_text(view(made), 3, True)
    assert "<img" not in text
    assert "](http://x)" not in text
    assert "\x1b" not in text
    header = next(line for line in text.split("\n") if line.startswith("| this line"))
    assert header.replace("\\|", "").count("|") == 4


def test_a_lens() -> None:
    hint = finding(severity="hint", title="Suspicion", weight=1.0)
    fault = finding(estimate=Estimate((1.5, 2.0), ""))
    made = view(analysis(findings=(hint, fault)))
    (one,) = made.evidence.kernels
    assert title(made, one) == "1 us · memory bound · Uncoalesced (line 3), 1.5 to 2 times faster"


def test_a_lens_without_time_or_finding() -> None:
    summary = kernel(duration_ns=None, verdict="unknown", line_info="none", launches=3)
    made = view(analysis(kernels=(summary,), findings=()))
    (one,) = made.evidence.kernels
    assert title(made, one) == (
        "3 launches of not timed · unknown · no line information (build with -lineinfo)"
    )


def test_a_lens_draws_no_icons() -> None:
    made = view(analysis(findings=(finding(title="$(bug) \x07"),)))
    text = title(made, made.evidence.kernels[0])
    assert "$(" not in text
    assert "\x07" not in text
