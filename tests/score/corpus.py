"""Runs the rules over labelled corpora and counts: found, missed, false warnings, estimates."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpuadvisor.evidence.findings import Analysis
from gpuadvisor.options import AnalyzeOptions
from gpuadvisor.pipeline import analyze
from tests.score.scoring import Miss, score

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
SOURCES = (str(CORPUS.parent.parent / "rules"), str(CORPUS / "src"))


@dataclass
class Tally:
    """Counts over a corpus. expected, found: expectations by rule; warnings: by rule;
    false: forbidden warnings by rule. pairs: (rule, before, estimate or None, measured)."""

    expected: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    misses: list[Miss] = field(default_factory=list)
    pairs: list[tuple[str, str, tuple[float, float] | None, float]] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """Share of the expectations that were met."""
        return sum(self.found.values()) / max(sum(self.expected.values()), 1)

    @property
    def precision(self) -> float:
        """Share of the warnings that were not forbidden."""
        return 1 - sum(self.false.values()) / max(sum(self.warnings.values()), 1)

    @property
    def inside(self) -> float:
        """Share of the measured speedups inside the estimated interval; pairs without an
        estimate count as outside."""
        hits = sum(1 for _, _, e, m in self.pairs if e is not None and e[0] <= m <= e[1])
        return hits / max(len(self.pairs), 1)


def labelled(labels: Path, reports: Path) -> Iterator[tuple[str, Path, list[Mapping[str, Any]]]]:
    """(name, path, labels) of each report of a label file."""
    data = json.loads(labels.read_text(encoding="utf-8"))
    for name, entries in data["reports"].items():
        yield name, reports / name, entries


def tally(labels: Path, reports: Path) -> Tally:
    """Score every report of a label file."""
    result = Tally()
    analyses: dict[str, Analysis] = {}
    for name, path, entries in labelled(labels, reports):
        analysis = analyses[name] = analyze([str(path)], AnalyzeOptions(source_dirs=SOURCES))
        misses = score(analysis, name, entries)
        result.misses += misses
        for entry in entries:
            for expected in entry["expect"]:
                result.expected[expected["any_of"][0]] += 1
        missed = Counter(miss.rule.split("|")[0] for miss in misses if miss.kind == "missed")
        for entry in entries:
            for expected in entry["expect"]:
                rule = expected["any_of"][0]
                if missed[rule]:
                    missed[rule] -= 1
                else:
                    result.found[rule] += 1
        result.warnings.update(f.rule for f in analysis.findings if f.severity == "warning")
        result.false.update(miss.rule for miss in misses if miss.kind == "forbidden")
    data = json.loads(labels.read_text(encoding="utf-8"))
    for pair in data.get("pairs", ()):
        before = pair["before"]
        estimate = _estimate(analyses[before["report"]], before["kernel"], pair["rule"])
        result.pairs.append((pair["rule"], before["kernel"], estimate, pair["speedup"]))
    return result


def _estimate(analysis: Analysis, kernel: str, rule: str) -> tuple[float, float] | None:
    ids = {item.id for item in analysis.kernels if item.name == kernel}
    for finding in analysis.findings:
        if finding.kernel in ids and finding.rule == rule and finding.estimate is not None:
            return finding.estimate.speedup
    return None
