"""Order, folding, the cap on warnings, fingerprints."""

from __future__ import annotations

from dataclasses import replace

from gpuadvisor.evidence.findings import Finding, Location
from gpuadvisor.rules.model import Fold
from gpuadvisor.rules.rank import Candidate, rank

BASE = Finding(
    code="XX001",
    rule="one",
    severity="warning",
    confidence="high",
    kernel="k0",
    location=Location("src/a.cu", 5, 5),
    title="t",
    message="m",
    why="",
    fix="",
)


def candidate(
    rule: str, weight: float, *folds: Fold, order: int = 0, share: float = 1.0, **changes: object
) -> Candidate:
    finding = replace(
        BASE, rule=rule, code=f"C-{rule}", weight=weight, kernel=f"k{order}", message=rule
    )
    return Candidate(replace(finding, **changes), order, share, f"kernel{order}", folds)  # type: ignore[arg-type]


def ranked(*candidates: Candidate, most: int = 5) -> list[Finding]:
    return rank(candidates, most, lambda file, line: None)


def names(findings: list[Finding]) -> list[str]:
    return [finding.rule for finding in findings]


def test_by_what_is_saved_over_all_kernels() -> None:
    findings = ranked(
        candidate("large-part-of-a-small-kernel", 0.9, order=1, share=0.1),
        candidate("small-part-of-a-large-kernel", 0.3, share=0.9),
        candidate("nothing", 0.0),
    )
    assert names(findings) == [
        "small-part-of-a-large-kernel",
        "large-part-of-a-small-kernel",
        "nothing",
    ]


def test_ties_go_by_severity_kernel_code_and_place() -> None:
    here = [
        candidate("a", 0.5, severity="hint"),
        candidate("b", 0.5, order=1),
        candidate("c", 0.5, location=Location("b.cu", 1, 1)),
        candidate("c", 0.5, location=Location("a.cu", 9, 9)),
        candidate("c", 0.5, location=None),
        candidate("d", 0.5, severity="info"),
    ]
    findings = ranked(*here)
    assert [(item.rule, item.location.file if item.location else "") for item in findings] == [
        ("c", ""),
        ("c", "a.cu"),
        ("c", "b.cu"),
        ("b", "src/a.cu"),
        ("d", "src/a.cu"),
        ("a", "src/a.cu"),
    ]
    assert ranked(*reversed(here)) == findings


def test_a_symptom_goes_under_its_cause_even_if_it_weighs_more() -> None:
    findings = ranked(
        candidate("symptom", 0.9),
        candidate("cause", 0.5, Fold("symptom")),
        candidate("symptom", 0.4, order=1),
    )
    assert names(findings) == ["cause", "symptom"]
    assert [(item.code, item.rule) for item in findings[0].consequences] == [
        ("C-symptom", "symptom")
    ]
    assert findings[1].kernel == "k1"


def test_chains_end_under_the_first_cause() -> None:
    findings = ranked(
        candidate("end", 0.2),
        candidate("middle", 0.9, Fold("end")),
        candidate("root", 0.1, Fold("middle")),
    )
    assert names(findings) == ["root"]
    assert [item.rule for item in findings[0].consequences] == ["middle", "end"]


def test_of_two_that_name_each_other_the_first_stays() -> None:
    one, two = candidate("one", 0.5, Fold("two")), candidate("two", 0.6, Fold("one"))
    assert names(ranked(one, two)) == ["two"]
    self_folding = candidate("one", 0.5, Fold("one"))
    assert names(ranked(self_folding)) == ["one"]


def test_a_lesser_finding_takes_no_graver_one() -> None:
    findings = ranked(
        candidate("symptom", 0.5), candidate("cause", 0.4, Fold("symptom"), severity="info")
    )
    assert names(findings) == ["symptom", "cause"]


def test_folds_at_the_line_need_the_same_line() -> None:
    fold = Fold("symptom", at="line")
    cause = candidate("cause", 0.5, fold, location=Location("src/a.cu", 4, 6))
    assert names(ranked(cause, candidate("symptom", 0.4))) == ["cause"]
    cause = candidate("cause", 0.5, fold, location=Location("src/a.cu", 6, 6))
    assert names(ranked(cause, candidate("symptom", 0.4))) == ["cause", "symptom"]
    cause = candidate("cause", 0.5, fold, location=Location("src/b.cu", 4, 6))
    assert names(ranked(cause, candidate("symptom", 0.4))) == ["cause", "symptom"]
    assert names(ranked(cause, candidate("symptom", 0.4, location=None))) == ["cause", "symptom"]


def test_equal_consequences_are_told_once() -> None:
    cause = candidate("cause", 0.5, Fold("symptom"))
    findings = ranked(cause, candidate("symptom", 0.4), candidate("symptom", 0.3))
    assert len(findings[0].consequences) == 1


def test_warnings_beyond_the_cap_become_info() -> None:
    findings = ranked(
        *(candidate(f"r{i}", 0.9 - i / 10) for i in range(4)),
        candidate("other-kernel", 0.01, order=1),
        most=2,
    )
    assert [item.severity for item in findings] == ["warning", "warning", "info", "info", "warning"]


class TestFingerprints:
    @staticmethod
    def prints(*candidates: Candidate, text: dict[int, str] | None = None) -> dict[str, str]:
        lines = text or {}
        found = rank(candidates, 5, lambda file, line: lines.get(line))
        return {item.message: item.fingerprint for item in found}

    def test_they_survive_edits_above(self) -> None:
        before = self.prints(candidate("a", 0.5), text={5: "  x[i] = y[i];"})
        moved = candidate("a", 0.2, location=Location("/other/a.cu", 50, 50))
        after = self.prints(moved, text={50: "x[i]  =  y[i];"})
        assert before == after

    def test_they_differ_by_rule_kernel_file_and_text(self) -> None:
        variants = [
            candidate("a", 0.5),
            candidate("b", 0.5),
            candidate("a", 0.5, order=1, message="kernel"),
            candidate("a", 0.5, location=Location("b.cu", 5, 5), message="file"),
            candidate("a", 0.5, location=Location("src/a.cu", 6, 6), message="text"),
            candidate("a", 0.5, location=None, message="no place"),
        ]
        prints = self.prints(*variants, text={5: "x", 6: "y"})
        assert len(set(prints.values())) == len(variants)

    def test_equal_lines_are_numbered_by_place(self) -> None:
        low = candidate("a", 0.1, location=Location("a.cu", 3, 3), message="first")
        high = candidate("a", 0.9, location=Location("a.cu", 7, 7), message="second")
        one = self.prints(low, high, text={3: "x", 7: "x"})
        assert len(set(one.values())) == 2
        alone = self.prints(low, text={3: "x"})
        assert alone["first"] == one["first"]
