"""What the rules say of a source alone: hints, also while it is being typed.

`analyse_source` takes what it found out about the text before the last edit, so that only the
functions which the edit touched are analysed and judged again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from gpuadvisor.evidence import Problem
from gpuadvisor.evidence.findings import Finding
from gpuadvisor.facts.source_places import source_locators
from gpuadvisor.facts.source_table import source_table
from gpuadvisor.rules.engine import forms, judge, rows_that_fire
from gpuadvisor.rules.expressions import ExpressionError, parse_expression
from gpuadvisor.rules.load import RuleSet, load_rules
from gpuadvisor.rules.model import SEVERITIES, Context, Rule
from gpuadvisor.rules.rank import Candidate, rank
from gpuadvisor.source.opening import parse_source
from gpuadvisor.source.python_source import PythonSource
from gpuadvisor.source.source_rows import RowBlock, SourceRow, cuda_rows, python_rows
from gpuadvisor.source.syntax import CudaSource

if TYPE_CHECKING:
    from gpuadvisor.options import AnalyzeOptions

Source = CudaSource | PythonSource
Fired = tuple[int, ...]
"""Numbers of the rows of a block on which some rule fires."""


@dataclass(frozen=True)
class Hint:
    """A finding of a source, with the kernels of the file that run its line (for a launch: the
    kernel that is launched, and the threads of its block where they are known)."""

    finding: Finding
    kernels: tuple[str, ...]
    threads: int | None = None


@dataclass(frozen=True)
class SourceAnalysis:
    """What is said of a source. `silenced` are the findings that a comment silences. The other
    fields let the next analysis of the same file take over what did not change."""

    path: str
    hints: tuple[Hint, ...]
    silenced: tuple[Hint, ...] = ()
    problems: tuple[Problem, ...] = ()
    source: Source | None = None
    blocks: tuple[RowBlock, ...] = ()
    fired: Mapping[int, Fired] = field(default_factory=dict)
    digest: str = ""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings: the certain ones first, then by place."""
        return tuple([hint.finding for hint in self.hints])


def analyse_source(
    path: str,
    text: str,
    previous: SourceAnalysis | None = None,
    options: AnalyzeOptions | None = None,
    *,
    rules: RuleSet | None = None,
    source: Source | None = None,
) -> SourceAnalysis:
    """The findings of a CUDA or Triton source.

    previous: the analysis of an earlier text of the same file. rules: the rules to apply; those
    of `options` (packs, selection, thresholds) by default. source: the text as parsed already.
    Whatever the text is, there is an answer; RuleError only for rules that cannot be used.
    """
    rules = rules or rules_of(options)
    try:
        if source is None:
            before = previous.source if previous is not None else None
            source = parse_source(path, text, before)
        blocks = tuple(_rows(source, previous))
    except Exception as error:
        what = f"not understood ({type(error).__name__}: {error})"
        return SourceAnalysis(path, (), problems=(Problem(what, "please report this"),))
    same = previous if previous is not None and previous.digest == rules.digest else None
    fired = _fired(path, blocks, rules, same)
    hints = _hints(path, source, blocks, fired, rules)
    shown: list[Hint] = []
    silenced: list[Hint] = []
    for hint in hints:
        place = hint.finding.location
        assert place is not None
        comment = source.suppressions.find(
            place.line, hint.finding.rule, hint.finding.code, end_line=place.end_line
        )
        (shown if comment is None else silenced).append(hint)
    return SourceAnalysis(
        path, tuple(shown), tuple(silenced), (), source, blocks, fired, rules.digest
    )


def rules_of(options: AnalyzeOptions | None) -> RuleSet:
    """The rules that some options ask for."""
    if options is None:
        return load_rules()
    return load_rules(
        options.rule_dirs,
        select=options.select,
        ignore=options.ignore,
        thresholds=options.thresholds,
    )


def _rows(source: Source, previous: SourceAnalysis | None) -> list[RowBlock]:
    if isinstance(source, PythonSource):
        return python_rows(source)
    known = {id(one.key): one for one in previous.blocks} if previous is not None else {}
    return cuda_rows(source, known)


def _fired(
    path: str, blocks: Sequence[RowBlock], rules: RuleSet, previous: SourceAnalysis | None
) -> dict[int, Fired]:
    """For each block, by the identity of its rows, the rows on which some rule fires."""
    known = previous.fired if previous is not None else {}
    kept = {id(one.rows) for one in previous.blocks} if previous is not None else set()
    found: dict[int, Fired] = {}
    fresh: list[RowBlock] = []
    for block in blocks:
        key = id(block.rows)
        if key in kept and key in known:
            found[key] = known[key]
        elif block.rows:
            fresh.append(block)
    if not fresh:
        return found
    rows = [(block, row) for block in fresh for row in block.rows]
    chosen = source_rules(rules)
    fires = rows_that_fire(chosen, source_table(path, rows, _read_by(chosen)))
    at = 0
    for block in fresh:
        mine = fires[at : at + len(block.rows)]
        at += len(block.rows)
        found[id(block.rows)] = tuple(np.flatnonzero(mine).tolist())
    return found


def source_rules(rules: RuleSet) -> tuple[Rule, ...]:
    """What the active rules say of sources alone."""
    return tuple([form for rule in rules.rules for form in forms(rule) if form.scope == "source"])


def _read_by(rules: Sequence[Rule]) -> frozenset[str]:
    """The names that the conditions of some rules read."""
    texts = tuple(text for rule in rules for text in (*rule.when, *rule.let.values()))
    return _names(texts)


@lru_cache(maxsize=8)
def _names(texts: tuple[str, ...]) -> frozenset[str]:
    found: set[str] = set()
    for text in texts:
        try:
            found.update(parse_expression(text).names)
        except ExpressionError:
            continue  # said where the rule is evaluated
    return frozenset(found)


def _hints(
    path: str,
    source: Source,
    blocks: Sequence[RowBlock],
    fired: Mapping[int, Fired],
    rules: RuleSet,
) -> list[Hint]:
    rows: list[tuple[RowBlock, SourceRow]] = []
    for block in blocks:
        rows += [(block, block.rows[at]) for at in fired.get(id(block.rows), ())]
    if not rows:
        return []
    index = source.index

    def line_text(_: str, line: int) -> str:
        return index.line_bytes(line).decode("utf-8", errors="replace")

    context = Context(locators=source_locators(path, source, rows), source_text=line_text)
    candidates, _ = judge(rules, {"source": source_table(path, rows)}, context)
    limits = {rule.name: rule.limit for rule in source_rules(rules)}
    counts: dict[tuple[str, str, int], int] = {}
    chosen: list[Candidate] = []
    for one in sorted(candidates, key=lambda one: _place(one.finding)):
        block = rows[one.row][0]
        key = (one.finding.rule, block.name, block.start)
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= limits.get(one.finding.rule, 3):
            chosen.append(one)
    row_of = {_identity(one.finding): one.row for one in chosen}
    findings = rank(chosen, len(chosen), line_text)
    hints = []
    for finding in findings:
        block, row = rows[row_of[_identity(finding)]]
        kernels, threads = block.kernels, None
        if row.host is not None and row.host.kind == "launch":
            kernels, threads = (row.host.name,), row.host.threads
        hints.append(Hint(replace(finding, kernel=None), kernels, threads))
    return sorted(hints, key=lambda hint: _place(hint.finding))


def _identity(finding: Finding) -> tuple[object, ...]:
    return (finding.rule, finding.location, finding.message)


def _place(finding: Finding) -> tuple[object, ...]:
    place = finding.location
    where = (place.line, place.column or 0) if place is not None else (0, 0)
    return (SEVERITIES.index(finding.severity), *where, finding.code, finding.message)
