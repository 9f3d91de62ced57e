"""Facts judged and told: findings, kernel summaries with verdicts, line records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gpuadvisor.estimates import MODELS
from gpuadvisor.evidence import Table
from gpuadvisor.evidence.findings import (
    Analysis,
    Finding,
    KernelSummary,
    LineInfo,
    LineRecord,
    State,
)
from gpuadvisor.facts.locators import locators
from gpuadvisor.facts.metrics import Catalogue
from gpuadvisor.facts.model import Facts
from gpuadvisor.facts.report_rows import report_table
from gpuadvisor.facts.roofline import roofline
from gpuadvisor.facts.verdict import headline, verdict_of
from gpuadvisor.options import AnalyzeOptions
from gpuadvisor.rules.engine import evaluate
from gpuadvisor.rules.load import RuleSet
from gpuadvisor.rules.model import Context


def summarise(
    facts: Facts, rules: RuleSet, catalogue: Catalogue, options: AnalyzeOptions
) -> Analysis:
    """The analysis of some facts; inputs and devices are filled in by the caller."""
    context = Context(
        models=MODELS,
        locators=locators(facts),
        source_text=lambda file, line: _source_text(facts, file, line),
        sections=catalogue.sections,
    )
    if options.max_warnings is not None:
        context = replace(context, max_warnings=options.max_warnings)
    if options.min_gain is not None:
        context = replace(context, min_gain=options.min_gain)
    tables = {
        "kernel": facts.kernel_table,
        "line": facts.line_table,
        "report": report_table(facts),
    }
    findings, skipped = evaluate(rules, tables, context)
    kernels = _kernels(facts, findings, options)
    points, peaks = roofline(facts.kernel_table)
    return Analysis(
        rules_digest=rules.digest,
        inputs=(),
        devices=(),
        kernels=kernels,
        findings=tuple(findings),
        skipped=tuple(skipped),
        lines=_lines(facts) if options.lines else (),
        sources={
            source.file: source.resolved.text
            for source in facts.sources.files
            if source.resolved.text is not None
        },
        roofline=points,
        peaks=peaks,
    )


def _source_text(facts: Facts, file: str, line: int) -> str | None:
    for source in facts.sources.files:
        if source.file == file and source.resolved.text is not None:
            lines = source.resolved.text.splitlines()
            return lines[line - 1] if 0 < line <= len(lines) else None
    return None


def _number(row: Mapping[str, Any], name: str) -> float | None:
    value = row.get(name)
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def _kernels(
    facts: Facts, findings: Sequence[Finding], options: AnalyzeOptions
) -> tuple[KernelSummary, ...]:
    rows = list(facts.kernel_table.rows())
    totals = [(_number(row, "duration_ns") or 0.0) * row["launches"] for row in rows]
    whole = sum(totals)
    summaries = []
    for kernel, row, total in zip(facts.kernels, rows, totals, strict=True):
        launch = kernel.launch
        verdict = verdict_of(row)
        mine = [finding for finding in findings if finding.kernel == kernel.id]
        summaries.append(
            KernelSummary(
                id=kernel.id,
                name=launch.name,
                demangled=launch.demangled,
                input=kernel.input,
                launches=len(kernel.launches),
                grid=launch.grid,
                block=launch.block,
                device=launch.device.name if launch.device else "",
                duration_ns=_number(row, "duration_ns"),
                share_pct=100 * total / whole if whole > 0 else None,
                verdict=verdict,
                headline=headline(verdict, row, mine),
                sm_pct=_number(row, "sm_pct"),
                memory_pct=_number(row, "memory_pct"),
                dram_pct=_number(row, "dram_pct"),
                occupancy_theoretical_pct=_number(row, "occupancy_theoretical_pct"),
                occupancy_achieved_pct=_number(row, "occupancy_achieved_pct"),
                occupancy_limiter=row["limiter"] or None,
                line_info=_line_info(facts, kernel.id),
                vendor_rules=tuple(launch.vendor_rules) if options.vendor else (),
            )
        )
    return tuple(summaries)


def _line_info(facts: Facts, kernel: str) -> LineInfo:
    lines = facts.lines.get(kernel)
    if lines is None or not any(lines.places.files):
        return "none"
    return "partial" if (lines.places.of < 0).any() else "full"


_COLUMNS = {
    "sectors_global": "sectors_global",
    "sectors_global_ideal": "sectors_global_ideal",
    "wavefronts_shared": "wavefronts_shared",
    "wavefronts_shared_ideal": "wavefronts_shared_ideal",
    "sectors_local": "sectors_local",
    "instructions": "inst",
    "threads_per_instruction": "threads_per_instruction",
}


def _lines(facts: Facts) -> tuple[LineRecord, ...]:
    """One record a measured line of each kernel, in kernel and line order."""
    return tuple(
        record
        for kernel, rows in _rows_by_kernel(facts.line_table).items()
        for record in _kernel_records(facts, kernel, rows)
    )


def _rows_by_kernel(table: Table) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in table.rows():
        found.setdefault(row["kernel"], []).append(row)
    return found


def _kernel_records(facts: Facts, kernel: str, rows: Sequence[dict[str, Any]]) -> list[LineRecord]:
    lines = facts.lines[kernel]
    total = float(lines.measured.samples.sum())
    shown: list[tuple[str, int, int, State]] = []
    for row in rows:
        source = facts.source_of(kernel, row["file"])
        if source is None:
            shown.append((row["file"], row["line"], row["end_line"], "missing"))
        else:
            line, state = source.shown(row["line"])
            end = line + row["end_line"] - row["line"] if line else 0
            shown.append((source.file, line, end, state))
    records = []
    for index, row in enumerate(rows):
        if not row["file"]:
            continue
        samples = row.get("samples")
        found = float(samples) if lines.measured.sampled and samples is not None else None
        drains = sorted(
            (
                (*shown[target][:2], round(amount))
                for (start, target), amount in lines.led_back.items()
                if start == index and round(amount) > 0
            ),
            key=lambda item: (-item[2], item[0], item[1]),
        )
        stalls = {
            name[len("samples_") :]: int(value)
            for name, value in row.items()
            if name.startswith("samples_") and value == value and value > 0
        }
        file, line, end, state = shown[index]
        records.append(
            LineRecord(
                kernel=kernel,
                file=file,
                line=line,
                end_line=end,
                samples=int(found) if found is not None else None,
                samples_pct=100 * found / total if found is not None and total > 0 else None,
                stalls=dict(sorted(stalls.items(), key=lambda item: (-item[1], item[0]))),
                drains=tuple(drains),
                state=state,
                **{name: _number(row, column) for name, column in _COLUMNS.items()},
            )
        )
    return records
