"""From files to an `Analysis`: read, put measurements on lines, judge, summarise."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace

from gpuadvisor.evidence import Problem, ProfileReport, UnreadableInput
from gpuadvisor.evidence.findings import Analysis, InputSummary
from gpuadvisor.facts.kernels import Kernel, fold_launches
from gpuadvisor.options import AnalyzeOptions

UNREADABLE = "unreadable"
"""`InputSummary.kind` of a file of which nothing could be used."""


def analyze(paths: Sequence[str], options: AnalyzeOptions | None = None) -> Analysis:
    """Everything the rules say about some reports.

    A file that cannot be read becomes an input of kind UNREADABLE with the reason as its
    problem; the others are analysed. RuleError for rules, selections or thresholds that cannot
    be used.
    """
    from gpuadvisor.facts.metrics import load_catalogue
    from gpuadvisor.facts.model import build_facts
    from gpuadvisor.readers import open_evidence
    from gpuadvisor.rules.load import load_rules
    from gpuadvisor.rules.paths import rules_dir
    from gpuadvisor.summary import summarise

    options = options or AnalyzeOptions()
    rules = load_rules(
        options.rule_dirs,
        select=options.select,
        ignore=options.ignore,
        thresholds=options.thresholds,
    )
    catalogue = load_catalogue(rules_dir() / "metrics.yaml")
    inputs: list[InputSummary] = []
    reports: list[ProfileReport] = []
    kernels: list[Kernel] = []
    for path in paths:
        _tell(options, f"reading {os.path.basename(path)}", None)
        try:
            report = open_evidence(path)
        except UnreadableInput as error:
            problem = Problem(error.reason, error.hint)
            inputs.append(InputSummary(path, UNREADABLE, "", (problem,)))
            continue
        reports.append(report)
        found = fold_launches(report.launches, path, catalogue)
        kernels += _wanted(found, options)
        inputs.append(InputSummary(path, report.kind, report.sha256, ()))
    kernels = _top(kernels, options, catalogue.kernel["duration_ns"].read)
    kernels = [replace(kernel, id=f"k{index}") for index, kernel in enumerate(kernels)]
    facts = build_facts(kernels, reports, catalogue, options)
    analysis = summarise(facts, rules, catalogue, options)
    notes = {report.path: facts.problems_of(report.path) for report in reports}
    # read last: problems of a report grow while its lists are decoded
    damage = {report.path: tuple(report.problems) for report in reports}
    inputs = [
        replace(
            item,
            problems=(*item.problems, *damage.get(item.path, ()), *notes.get(item.path, ())),
        )
        for item in inputs
    ]
    devices = {device.name + str(device.cc): device for r in reports for device in r.devices}
    return replace(analysis, inputs=tuple(inputs), devices=tuple(devices.values()))


def _tell(options: AnalyzeOptions, text: str, done: float | None) -> None:
    if options.progress is not None:
        options.progress(text, done)


def _wanted(kernels: Sequence[Kernel], options: AnalyzeOptions) -> list[Kernel]:
    if options.kernel_regex is None:
        return list(kernels)
    pattern = re.compile(options.kernel_regex)
    return [
        kernel
        for kernel in kernels
        if pattern.search(kernel.launch.name) or pattern.search(kernel.launch.demangled)
    ]


def _top(kernels: list[Kernel], options: AnalyzeOptions, duration: object) -> list[Kernel]:
    """The `top` kernels by total time, in launch order."""
    if options.top is None or options.top >= len(kernels):
        return kernels
    assert callable(duration)

    def total(kernel: Kernel) -> float:
        return sum(duration(launch.metrics) or 0.0 for launch in kernel.launches)

    order = sorted(range(len(kernels)), key=lambda index: (-total(kernels[index]), index))
    return [kernels[index] for index in sorted(order[: options.top])]
