"""Every word that a hover may need is explained."""

from __future__ import annotations

from gpuadvisor.evidence.findings import Verdict
from gpuadvisor.facts.metrics import load_catalogue
from gpuadvisor.lsp.glossary import glossary
from gpuadvisor.rules.paths import rules_dir


def test_every_stall_reason_is_explained() -> None:
    reasons = set(load_catalogue(rules_dir() / "metrics.yaml").stalls)
    assert set(glossary().stalls) == reasons


def test_every_verdict_is_explained() -> None:
    assert set(glossary().verdicts) == set(Verdict.__args__)  # type: ignore[attr-defined]


def test_entries_are_sentences_for_a_table_cell() -> None:
    for kind in (glossary().stalls, glossary().terms, glossary().verdicts):
        for key, entry in kind.items():
            assert entry.title, key
            assert entry.meaning[0].islower() or entry.meaning[0].isdigit(), key
            assert not entry.meaning.endswith("."), key
            assert "|" not in entry.meaning, key
            assert entry.advice.endswith("."), key


def test_an_unknown_reason_explains_itself_by_name() -> None:
    assert glossary().stall("some_new_reason").title == "some new reason"
