"""The labelled reports: what must be found is found, what must not be said is not said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuadvisor.options import AnalyzeOptions
from gpuadvisor.pipeline import analyze
from gpuadvisor.rules.load import load_rules
from tests.score.corpus import CORPUS, Tally, tally
from tests.score.scoring import score

ROOT = Path(__file__).parents[2]
EXPECTED = json.loads((ROOT / "tests/data/h200/expected.json").read_text())["reports"]


@pytest.mark.parametrize("report", sorted(EXPECTED))
def test_every_expected_finding_and_no_forbidden_warning(report: str) -> None:
    analysis = analyze([str(ROOT / report)], AnalyzeOptions())
    assert score(analysis, report, EXPECTED[report]) == []


def test_a_wrong_line_or_a_forbidden_warning_is_a_miss() -> None:
    report = "samples/transpose/transpose.ncu-rep"
    analysis = analyze([str(ROOT / report)], AnalyzeOptions())
    entry = {"kernel": "transpose_naive", "nth": 0, "forbid_warning": []}
    wrong = {**entry, "expect": [{"any_of": ["uncoalesced-global-access"],
                                  "lines": [["transpose.cu", 24]]}]}  # fmt: skip
    assert [miss.kind for miss in score(analysis, report, [wrong])] == ["missed"]
    strict = {**entry, "expect": [], "forbid_warning": ["uncoalesced-global-access"]}
    assert [miss.kind for miss in score(analysis, report, [strict])] == ["forbidden"]


@pytest.fixture(scope="module")
def corpus() -> Tally:
    return tally(CORPUS / "labels.json", CORPUS / "reports")


@pytest.mark.xdist_group("corpus")
@pytest.mark.slow
def test_the_measured_corpus(corpus: Tally) -> None:
    """Recall counts only faults that a shipped rule is about."""
    shipped = {rule.name for rule in load_rules().rules}
    expected = sum(n for rule, n in corpus.expected.items() if rule in shipped)
    found = sum(n for rule, n in corpus.found.items() if rule in shipped)
    assert expected >= 60
    assert found / expected >= 0.9
    assert corpus.precision >= 0.97


@pytest.mark.xdist_group("corpus")
@pytest.mark.slow
def test_estimates_of_the_corpus(corpus: Tally) -> None:
    """Of the pairs whose fault was found with an estimate, most measured speedups are inside
    the interval or above it: an estimate may be modest, not boastful."""
    given = [(e, m) for _, _, e, m in corpus.pairs if e is not None]
    assert len(given) >= 40
    # how well a reduction runs once its atomics are gone is not known, and its basis says so
    known = [(e, m) for rule, _, e, m in corpus.pairs if e and rule != "contended-atomic"]
    boastful = [(e, m) for e, m in known if e[1] > 2 * m]
    assert len(boastful) / len(known) <= 0.1
    assert sum(1 for e, m in given if e[0] <= m) / len(given) >= 0.9
