"""An open document as the reports see it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuadvisor.evidence.findings import Location, Related
from gpuadvisor.lsp.features.diagnostics import MAX_A_LINE, report_diagnostics
from tests.lsp.made import FILE, PAD, TEXT, analysis, finding, kernel, record, snapshot, view


def test_an_untouched_document_shows_the_finding_as_it_is() -> None:
    (placed,) = view().placed
    assert (placed.line, placed.column, placed.end_column, placed.state) == (3, 4, 23, "exact")


def test_line_ends_and_blanks_behind_lines_are_no_edit() -> None:
    text = TEXT.replace("\n", "  \r\n")
    (placed,) = view(text=text).placed
    assert (placed.line, placed.state) == (3, "exact")
    assert not view(text=text).edited


def test_an_edited_related_line_makes_a_finding_stale() -> None:
    made = analysis(findings=(finding(related=(Related(FILE, 2, "declared here"),)),))
    (placed,) = view(made, TEXT.replace("tile[32][32]", "tile[32][64]")).placed
    assert placed.state == "stale"
    (placed,) = view(made, TEXT.replace("x[0] = 2", "x[0] = 3")).placed
    assert placed.state == "exact"


def test_an_edit_where_the_fix_would_edit_makes_a_finding_stale() -> None:
    there = Location(FILE, 4, 4, None, None, "exact")
    made = analysis(findings=(finding(4, location=there, fixes=(PAD,)),))
    (placed,) = view(made, TEXT.replace("tile[32][32]", "tile[32][32 + 1]")).placed
    assert placed.state == "stale"
    without = analysis(findings=(finding(4, location=there),))
    (placed,) = view(without, TEXT.replace("tile[32][32]", "tile[32][32 + 1]")).placed
    assert placed.state == "exact"


def test_a_finding_that_was_stale_stays_so() -> None:
    there = Location(FILE, 3, 3, 5, 24, "stale")
    (placed,) = view(analysis(findings=(finding(location=there),))).placed
    assert placed.state == "stale"


def test_a_finding_without_columns_covers_the_content_of_its_lines() -> None:
    there = Location(FILE, 3, 4, None, None, "exact")
    (placed,) = view(analysis(findings=(finding(location=there),))).placed
    assert (placed.line, placed.end_line) == (3, 4)
    assert (placed.column, placed.end_column) == (4, len("    y[0] = tile[threadIdx.x][0];"))


def test_columns_beyond_the_line_do_not_turn_a_range_around() -> None:
    there = Location(FILE, 3, 3, 24, 5, "exact")
    (placed,) = view(analysis(findings=(finding(location=there),))).placed
    assert placed.column < placed.end_column


def test_a_finding_of_a_kernel_stands_at_its_name() -> None:
    (placed,) = view(analysis(findings=(finding(location=None),))).placed
    assert (placed.line, placed.column, placed.end_column) == (1, 16, 19)


def test_a_comment_silences_what_it_names() -> None:
    for comment, left in (("ignore[GA101]", 0), ("ignore[GA999]", 1), ("ignore", 0)):
        text = TEXT.replace("= 1.0f;", f"= 1.0f; // gpuadvisor: {comment}")
        # the comment edits the line, so that what is left of the finding is a memory
        assert len(view(text=text).placed) == left
        above = TEXT.replace("    x[thr", f"    // gpuadvisor: {comment}\n    x[thr")
        assert len(view(text=above).placed) == left


def test_at_most_five_a_line_the_gravest_first() -> None:
    many = [finding(rule=f"rule-{at}", severity="info", weight=at / 10) for at in range(7)]
    many.append(finding(rule="grave", severity="warning"))
    diagnostics = report_diagnostics(view(analysis(findings=tuple(many))))
    assert len(diagnostics) == MAX_A_LINE
    rules = [item.data["rule"] for item in diagnostics if isinstance(item.data, dict)]
    assert rules == ["grave", "rule-6", "rule-5", "rule-4", "rule-3"]


def test_launches_of_one_kernel_say_it_once() -> None:
    kernels = (kernel(), kernel("k1", "one", grid=(2, 1, 1)))
    findings = (finding(), finding(kernel="k1"))
    assert len(report_diagnostics(view(analysis(kernels=kernels, findings=findings)))) == 1


def test_text_of_a_report_is_written_out() -> None:
    made = analysis(findings=(finding(message="a\x1b[31m\u202eb", title="x\ny"),))
    (diagnostic,) = report_diagnostics(view(made))
    assert diagnostic.message.startswith("x\\ny: a\\x1b[31m\\u202eb")


def test_measurements_follow_their_lines() -> None:
    moved = view(text="// new\n" + TEXT)
    items, state = moved.measured(4)
    assert state == "moved"
    assert [item.record.line for item in items] == [3]
    assert moved.measured(1) == ((), "missing")


def test_a_statement_of_several_lines_is_measured_on_each() -> None:
    made = analysis(lines=(record(3, end_line=4),))
    assert view(made).measured(3)[0] == view(made).measured(4)[0]
    assert [line for line, _, _ in view(made).shares] == [3]


def test_shares_of_file_and_kernel() -> None:
    lines = (
        record(3, 75),
        record(4, 25),
        record(7, 300, kernel="k1", samples_pct=100.0),
    )
    shares = view(analysis(lines=lines)).shares
    assert shares == ((3, 75 / 400, 0.75), (4, 25 / 400, 0.25), (7, 300 / 400, 1.0))


def test_coverage_counts_lost_and_edited_lines() -> None:
    lines = (record(3), record(4), record(0, end_line=0, state="stale"), record(7, state="stale"))
    made = analysis(lines=lines)
    assert view(made).coverage == (2, 4, 2)
    assert view(made, TEXT.replace("y[0] =", "y[1] =")).coverage == (1, 4, 3)


def test_the_kernel_at_a_line() -> None:
    made = view()
    at = made.kernel_at(3)
    assert at is not None
    assert at.summary.name == "one"
    assert view(text="\n" * 5 + TEXT).kernel_at(1) is None


def test_the_first_report_of_a_kernel_speaks_for_it() -> None:
    old = analysis(findings=(finding(message="old"),))
    new = analysis(kernels=(kernel(),), findings=(finding(message="new"),))
    shot = snapshot(new, old)
    (evidence,) = shot.files.values()
    assert [item.finding.message for item in evidence.found] == ["new"]
    assert {item.kernel.report for items in evidence.measured.values() for item in items} == {
        "/made/0.ncu-rep"
    }
    assert shot.kernels == 3


def test_reports_that_knew_another_text_are_brought_to_one() -> None:
    earlier = analysis(kernels=(kernel("k0", "two"),), findings=(), lines=(record(7),))
    later = analysis(
        kernels=(kernel(),),
        sources={FILE: "// added since\n" + TEXT},
        findings=(finding(4),),
        lines=(record(4),),
    )
    (evidence,) = snapshot(later, earlier).files.values()
    assert sorted(evidence.measured) == [4, 8]


def test_a_path_of_a_report_is_not_looked_up() -> None:
    made = analysis(
        sources={}, lines=(record(file="//host/share/x.cu"), record(file="relative.cu"))
    )
    assert set(snapshot(made).files) == {"//host/share/x.cu", "relative.cu", FILE}
    assert snapshot(made).known == frozenset()


@pytest.mark.parametrize("text", ["", "\n", "}", "x" * 10_000, "\x00"])
def test_any_text_will_do(text: str) -> None:
    made = view(text=text)
    assert all(item.line >= 1 for item in made.placed)
    assert report_diagnostics(made) is not None
    assert made.kernel_lines == ()
    assert made.measured(1) is not None


def test_kernels_without_lines_are_homeless() -> None:
    made = analysis(lines=(), findings=(finding(location=None),))
    shot = snapshot(made)
    assert set(shot.homeless) == {"one", "two"}
    assert [item.finding.rule for item in shot.homeless_found] == ["uncoalesced-global-access"]
    assert snapshot(replace(made, lines=(record(),))).homeless.keys() == {"two"}
