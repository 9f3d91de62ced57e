"""From tables to findings: what fires, where it stands, what it weighs, what is skipped."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gpuadvisor.evidence import Table
from gpuadvisor.evidence.findings import Estimate, Finding, Location, Related, Skipped
from gpuadvisor.rules import Context, Rule, RuleError, RuleSet, evaluate

Maker = Callable[..., Rule]
Row = Mapping[str, Any]


def table(rows: Sequence[Row]) -> Table:
    return Table({name: np.array([row[name] for row in rows]) for name in rows[0]})


def judge(
    *rules: Rule, context: Context | None = None, **tables: Sequence[Row]
) -> tuple[list[Finding], list[Skipped]]:
    named = {scope: table(rows) for scope, rows in tables.items()}
    return evaluate(RuleSet(rules, (), ""), named, context)


def line(number: int, samples: float, **more: Any) -> Row:
    return {"kernel": "k0", "file": "src/a.cu", "line": number, "samples": samples, **more}


KERNELS: list[Row] = [{"kernel": "k0", "name": "add", "dram_pct": 50.0, "cc": 90.0}]


def test_a_finding_holds_what_the_rule_says(make_rule: Maker) -> None:
    rule = make_rule(
        title="Hot {'indeed' if samples > 50 else 'a bit'}",
        thresholds={"least": {"value": 10, "about": "Samples."}},
        let={"part": "share(samples)"},
        when="samples >= least",
        weight="part",
        confidence=[{"level": "high", "when": "part > 0.8"}, {"level": "low"}],
        explain={"what": "w", "why": "{samples:d} of them", "fix": "{part:%}", "wrong_when": "n"},
        evidence=[
            {"metric": "samples", "value": "samples", "unit": "sample", "threshold": "least"},
            {"metric": "kernel", "value": "name"},
            {"metric": "absent", "value": "nowhere"},
        ],
        fixes=[
            {"id": "cool", "title": "Cool line {line}", "applicability": "safe"},
            {"id": "never", "title": "x", "applicability": "unsafe", "when": "samples > 1000"},
        ],
    )
    findings, skipped = judge(rule, kernel=KERNELS, line=[line(4, 75), line(9, 25), line(12, 5)])
    assert not skipped
    first, second = findings
    assert (first.code, first.rule, first.kernel) == ("XX001", "hot-thing", "k0")
    assert first.location == Location("src/a.cu", 4, 4)
    assert first.title == "Hot indeed"
    assert first.message == "75 samples"
    assert (first.why, first.fix) == ("75 of them", "71 %")
    assert [(item.metric, item.value, item.unit, item.threshold) for item in first.evidence] == [
        ("samples", 75.0, "sample", 10.0),
        ("kernel", "add", "", None),
    ]
    assert [(fix.id, fix.title) for fix in first.fixes] == [("cool", "Cool line 4")]
    assert first.confidence == "low"
    assert first.weight == pytest.approx(75 / 105)
    assert second.title == "Hot a bit"


def test_the_location_is_that_of_the_row(make_rule: Maker) -> None:
    rows = [line(4, 9, end_line=6, column=3, end_column=8, state="moved")]
    finding = judge(make_rule(), line=rows)[0][0]
    assert finding.location == Location("src/a.cu", 4, 6, 3, 8, "moved")
    nowhere = judge(make_rule(), line=[{**line(4, 9), "file": ""}])[0][0]
    assert nowhere.location is None


def test_lines_that_touch_are_one_finding(make_rule: Maker) -> None:
    rows = [line(7, 10), line(5, 20), line(6, 30), line(9, 25), line(20, 5), line(8, 0)]
    findings, _ = judge(make_rule(weight="share(samples)"), kernel=KERNELS, line=rows)
    assert [finding.location.line for finding in findings if finding.location] == [6, 9, 20]
    assert findings[0].related == (
        Related("src/a.cu", 5, "20 samples"),
        Related("src/a.cu", 7, "10 samples"),
    )
    apart, _ = judge(make_rule(weight="share(samples)", merge=False), kernel=KERNELS, line=rows)
    assert [finding.location.line for finding in apart if finding.location] == [6, 9, 5]


def test_a_statement_of_several_lines_touches_the_one_after_it(make_rule: Maker) -> None:
    rows = [line(5, 20, end_line=8), line(9, 10, end_line=9), line(11, 1, end_line=11)]
    findings, _ = judge(make_rule(weight="share(samples)"), kernel=KERNELS, line=rows)
    assert [len(finding.related) for finding in findings] == [1, 0]


def test_rows_without_a_place_stay_apart(make_rule: Maker) -> None:
    rows = [line(1, 3), {**line(1, 2), "line": np.nan}, {**line(1, 2), "line": np.nan, "file": ""}]
    findings, _ = judge(make_rule(), kernel=KERNELS, line=rows)
    assert [item.location.line if item.location else None for item in findings] == [None, None, 1]


def test_the_limit_is_a_kernel(make_rule: Maker) -> None:
    rows = [line(10 * i, 100 - i) for i in range(1, 9)]
    rows += [{**row, "kernel": "k1"} for row in rows[:2]]
    kernels = [*KERNELS, {**KERNELS[0], "kernel": "k1"}]
    findings, _ = judge(make_rule(limit=4), kernel=kernels, line=rows)
    assert [finding.kernel for finding in findings].count("k0") == 4
    assert [finding.kernel for finding in findings].count("k1") == 2


def test_a_warning_is_worth_something(make_rule: Maker) -> None:
    def severity(**changes: Any) -> str:
        return judge(make_rule(**changes), kernel=KERNELS, line=[line(3, 9)])[0][0].severity

    assert severity() == "warning"
    assert severity(weight="0.06") == "warning"
    assert severity(weight="0.04") == "info"
    assert severity(estimate={"speedup": ["1.1", "1.2"], "basis": "b"}) == "warning"
    assert severity(estimate={"speedup": ["1.01", "1.02"], "basis": "b"}) == "info"
    assert severity(estimate={"speedup": ["nowhere", "2"], "basis": "b"}) == "info"
    assert severity(severity="hint", weight="0.9") == "hint"


def test_severity_is_the_first_level_that_holds(make_rule: Maker) -> None:
    levels = [{"level": "hint", "when": "samples > 50"}, {"level": "info", "when": "samples > 20"}]
    rule = make_rule(severity=[*levels, {"level": "warning"}])
    rows = [line(1, 60), line(10, 30), line(20, 10), line(30, 0)]
    findings, _ = judge(rule, line=rows)
    by_line = {item.location.line: item.severity for item in findings if item.location}
    assert by_line == {1: "hint", 10: "info", 20: "warning"}


def test_an_estimate_by_expressions(make_rule: Maker) -> None:
    rule = make_rule(estimate={"speedup": ["samples", "0.5"], "basis": "{samples} of them"})
    finding = judge(rule, kernel=KERNELS, line=[line(3, 4)])[0][0]
    assert finding.estimate == Estimate((1.0, 4.0), "4 of them")
    assert finding.weight == 0.5


def test_an_estimate_by_a_model(make_rule: Maker) -> None:
    asked: list[tuple[float, str, float, dict[str, Any]]] = []

    def model(columns: Any, row: int, inputs: Mapping[str, float | str]) -> Estimate | None:
        assert columns.get("nowhere") is None
        assert "nowhere" not in set(columns)
        asked.append(
            (
                float(columns["samples"][row]),
                str(columns["name"][row]),
                float(columns["kernel_dram_pct"][row]),
                dict(inputs),
            )
        )
        return Estimate((1.5, 2.0), "x") if columns["samples"][row] > 5 else None

    rule = make_rule(
        estimate={"model": "m", "inputs": {"half": "samples / 2", "ok": "samples > 5", "t": "'x'"}}
    )
    context = Context(models={"m": model})
    rows = [line(1, 0), line(10, 4), line(20, 8)]
    findings, _ = judge(rule, context=context, kernel=KERNELS, line=rows)
    assert asked == [
        (4.0, "add", 50.0, {"half": 2.0, "ok": 0.0, "t": "x"}),
        (8.0, "add", 50.0, {"half": 4.0, "ok": 1.0, "t": "x"}),
    ]
    assert [(round(item.weight, 3), item.severity) for item in findings] == [
        (0.423, "warning"),
        (0, "info"),
    ]
    with pytest.raises(RuleError, match="no model 'm'"):
        judge(rule, kernel=KERNELS, line=rows)


def test_kernel_rules_stand_where_they_are_told(make_rule: Maker) -> None:
    rows = [line(4, 10, waste=1.0), line(8, 90, waste=0.0), line(9, 5, waste=7.0)]

    def place(**changes: Any) -> Location | None:
        rule = make_rule(scope="kernel", when="dram_pct > 1", message="m", **changes)
        located = {"head": lambda columns, row: Location("h.cu", int(columns["cc"][row]), 90)}
        context = Context(locators=located)
        return judge(rule, context=context, kernel=KERNELS, line=rows)[0][0].location

    assert place() is None
    assert place(locate="none") is None
    assert place(locate="hottest") == Location("src/a.cu", 8, 8)
    assert place(locate={"most": "waste"}) == Location("src/a.cu", 9, 9)
    assert place(locate={"most": "waste * 0"}) is None
    assert place(locate="head") == Location("h.cu", 90, 90)
    with pytest.raises(RuleError, match="no locator 'nowhere'"):
        place(locate="nowhere")


def test_a_locator_may_add_related_places(make_rule: Maker) -> None:
    also = Related("a.cu", 30, "the drain")

    def drain(columns: Any, row: int) -> tuple[Location, tuple[Related, ...]]:
        at = int(columns["line"][row])
        return Location("a.cu", at, at), (also,)

    context = Context(locators={"drain": drain})
    rows = [line(3, 9), line(4, 5)]
    finding = judge(make_rule(locate="drain"), context=context, line=rows)[0][0]
    assert finding.related == (also, Related("a.cu", 4, "5 samples"))


def test_rules_of_other_scopes_have_no_kernel(make_rule: Maker) -> None:
    rule = make_rule(scope="device", when="ecc > 0", message="{ecc:d} errors")
    findings, skipped = judge(rule, kernel=KERNELS, device=[{"ecc": 3.0}, {"ecc": 0.0}])
    assert [(item.kernel, item.message) for item in findings] == [(None, "3 errors")]
    assert judge(rule, kernel=KERNELS) == ([], [])
    needy = make_rule(scope="device", when="ecc > 0", message="m", needs={"columns": ["temp"]})
    findings, skipped = judge(needy, device=[{"ecc": 3.0}])
    assert (findings, skipped) == ([], [Skipped("hot-thing", None, "not measured: temp")])


def test_a_rule_whose_values_do_not_fit_names_its_key(make_rule: Maker) -> None:
    rule = make_rule(when=["samples > 0", "file > 3"])
    with pytest.raises(RuleError) as caught:
        judge(rule, line=[line(1, 2)])
    assert caught.value.key == "when[1]"
    assert caught.value.path == "hot-thing.yaml"


class TestNeeds:
    def test_what_no_kernel_has_is_told_once(self, make_rule: Maker) -> None:
        needs = {"columns": ["samples", "sectors"], "sections": ["SourceCounters"]}
        rule = make_rule(needs={**needs, "metrics": ["smsp__x.sum", "smsp__y.sum"]})
        context = Context(
            command="./transpose 4096", sections=lambda columns: [f"S{len(list(columns))}"]
        )
        findings, skipped = judge(rule, context=context, kernel=KERNELS, line=[line(1, 2)])
        assert findings == []
        assert skipped == [
            Skipped(
                "hot-thing",
                None,
                "not measured: sectors",
                "ncu --section S1 --section SourceCounters --metrics smsp__x.sum,smsp__y.sum "
                "-o report ./transpose 4096",
            )
        ]

    def test_what_one_kernel_lacks_is_told_of_it(self, make_rule: Maker) -> None:
        kernels = [
            {**KERNELS[0], "kernel": name, "name": plain}
            for name, plain in (("k0", "add"), ("k1", "mul"), ("k2", "operator()"), ("k3", "x"))
        ]
        rows = [
            line(1, 5.0, sectors=np.nan),
            line(2, 6.0, sectors=7.0),
            {**line(3, 7.0, sectors=np.nan), "kernel": "k1"},
            {**line(9, 9.0, sectors=np.nan), "kernel": "k2"},
            {**line(9, 9.0, sectors=1.0), "kernel": "k3"},
        ]
        rule = make_rule(needs={"columns": ["sectors"], "sections": ["S"]})
        findings, skipped = judge(rule, kernel=kernels, line=rows)
        assert {item.kernel for item in findings} == {"k0", "k3"}
        assert [(item.kernel, item.collect) for item in skipped] == [
            ("k1", "ncu --section S -k mul -o report ./app"),
            ("k2", r"ncu --section S -k 'regex:^operator\(\)$' -o report ./app"),
        ]

    def test_a_rule_may_not_apply(self, make_rule: Maker) -> None:
        kernels = [
            {**KERNELS[0], "kernel": name, "shared": shared}
            for name, shared in (("k0", 0.0), ("k1", 8.0), ("k2", np.nan), ("k3", 8.0))
        ]
        rows = [
            {**line(1, 5.0, waves=waves), "kernel": name}
            for name, waves in (("k0", np.nan), ("k1", np.nan), ("k2", 3.0), ("k3", 4.0))
        ]
        needs = {"columns": ["waves"]}
        for applies in ("shared > 0", "lines_max(samples) > 1 and kernel_shared > 0"):
            rule = make_rule(applies=applies, needs=needs)
            findings, skipped = judge(rule, kernel=kernels, line=rows)
            assert {item.kernel for item in findings} == {"k2", "k3"}
            assert [item.kernel for item in skipped] == ["k1"]
        kernel_rule = make_rule(scope="kernel", applies="shared > 0", when="True", message="m")
        assert [item.kernel for item in judge(kernel_rule, kernel=kernels)[0]] == ["k1", "k2", "k3"]
        device = make_rule(scope="device", applies="ecc > 1", when="True", message="{ecc}")
        found = judge(device, kernel=KERNELS, device=[{"ecc": 1.0}, {"ecc": 2.0}])[0]
        assert [item.message for item in found] == ["2"]

    def test_a_name_from_a_report_is_quoted(self, make_rule: Maker) -> None:
        kernels = [
            {**KERNELS[0], "name": "x; rm -rf ~", "l2": np.nan},
            {**KERNELS[0], "kernel": "k1", "l2": 1.0},
        ]
        rule = make_rule(
            scope="kernel", when="l2 > 0", message="m", needs={"columns": ["l2"], "sections": ["S"]}
        )
        _, skipped = judge(rule, kernel=kernels)
        assert (
            skipped[0].collect == r"ncu --section S -k 'regex:^x;\ rm\ \-rf\ \~$' -o report ./app"
        )

    def test_a_column_of_the_kernel_can_be_needed_on_lines(self, make_rule: Maker) -> None:
        rule = make_rule(needs={"columns": ["samples", "kernel_l2"]})
        kernels = [{**KERNELS[0], "l2": np.nan}, {**KERNELS[0], "kernel": "k1", "l2": 5.0}]
        rows = [line(1, 2.0), {**line(1, 2.0), "kernel": "k1"}]
        findings, skipped = judge(rule, kernel=kernels, line=rows)
        assert [item.kernel for item in findings] == ["k1"]
        assert [(item.kernel, item.reason) for item in skipped] == [
            ("k0", "not measured: kernel_l2")
        ]

    @pytest.mark.parametrize(
        ("wanted", "cc", "reason"),
        [
            (">=9.0", 90.0, ""),
            (">=8.0,<9.0", 86.0, ""),
            (">=8.0,<9.0", 90.0, "for compute capability >= 8.0 and < 9.0; here it is 9.0"),
            (">=10.0", 90.0, "for compute capability >= 10.0; here it is 9.0"),
            ("<=7.5", np.nan, "for compute capability <= 7.5; here it is unknown"),
        ],
    )
    def test_compute_capability(
        self, make_rule: Maker, wanted: str, cc: float, reason: str
    ) -> None:
        rule = make_rule(scope="kernel", when="True", message="m", needs={"cc": wanted})
        findings, skipped = judge(rule, kernel=[{**KERNELS[0], "cc": cc}])
        assert bool(findings) == (not reason)
        assert [item.reason for item in skipped] == ([reason] if reason else [])

    def test_line_information_and_source(self, make_rule: Maker) -> None:
        rule = make_rule(needs={"line_info": True, "sections": ["SourceCounters"]})
        kernels = [{**KERNELS[0], "has_line_info": False}]
        findings, skipped = judge(rule, kernel=kernels, line=[line(1, 2)])
        assert findings == []
        assert skipped[0].reason == "no line information (built without -lineinfo)"
        assert skipped[0].collect == (
            "nvcc -lineinfo ... && ncu --section SourceCounters --import-source yes -o report ./app"
        )
        source = make_rule(needs={"source": True})
        kernels = [{**KERNELS[0], "has_source": False}]
        assert judge(source, kernel=kernels, line=[line(1, 2)])[1][0].reason == (
            "the source is not at hand"
        )

    def test_without_a_line_table_line_rules_say_so(self, make_rule: Maker) -> None:
        rule = make_rule(needs={"columns": ["samples"], "sections": ["S"]})
        findings, skipped = judge(rule, kernel=KERNELS)
        assert findings == []
        assert [item.reason for item in skipped] == ["not measured: samples"]

    def test_lines_of_an_unknown_kernel_are_not_judged(self, make_rule: Maker) -> None:
        rule = make_rule(needs={"columns": ["samples"]})
        rows = [line(1, 2.0), {**line(5, 2.0), "kernel": "gone"}]
        findings, _ = judge(rule, kernel=KERNELS, line=rows)
        assert [item.kernel for item in findings] == ["k0"]


def test_the_same_input_in_another_order_of_rules_gives_the_same(make_rule: Maker) -> None:
    rules = [
        make_rule(code=f"XX{i:03}", name=f"rule-{i}", weight=f"share(samples) / {i}", limit=9)
        for i in range(1, 9)
    ]
    rows = [line(10 * i, 5 + i % 3) for i in range(1, 20)]
    wanted, _ = judge(*rules, kernel=KERNELS, line=rows)
    mixed = list(rules)
    random.Random(1).shuffle(mixed)
    assert judge(*mixed, kernel=KERNELS, line=rows)[0] == wanted
    assert len({item.fingerprint for item in wanted}) == len(wanted)


def test_empty_tables_say_nothing(make_rule: Maker) -> None:
    none = Table({"kernel": np.empty(0, dtype=np.str_), "samples": np.empty(0)})
    rule = make_rule(needs={"columns": ["samples"]})
    kernel_rule = replace(rule, name="other", scope="kernel")
    tables = {"kernel": none, "line": none, "device": none}
    assert evaluate(RuleSet((rule, kernel_rule), (), ""), tables) == ([], [])
    assert evaluate(RuleSet((rule,), (), ""), {}) == ([], [])
