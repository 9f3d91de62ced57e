"""Findings as Markdown, to paste into an issue or a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuadvisor.evidence.findings import Analysis, Finding, KernelSummary
from gpuadvisor.render import skips, units, wording
from gpuadvisor.render.escape import markdown as md
from gpuadvisor.render.escape import markdown_block as block
from gpuadvisor.render.escape import markdown_code as code
from gpuadvisor.render.escape import visible
from gpuadvisor.render.excerpt import excerpt, near
from gpuadvisor.render.layout import plain
from gpuadvisor.render.line_table import line_table
from gpuadvisor.render.names import display_names
from gpuadvisor.render.text import TextOptions
from gpuadvisor.render.vendor_text import plain_message


def render(analysis: Analysis, options: TextOptions | None = None) -> str:
    """The document; of `options` only `base`, `lines` and `vendor` matter."""
    lines = _document(analysis, options or TextOptions())
    return "\n".join(visible(text) for text in lines).rstrip() + "\n"


def _document(analysis: Analysis, options: TextOptions) -> Iterator[str]:
    names = display_names(analysis.kernels)
    yield from _inputs(analysis, options)
    if analysis.kernels:
        yield from _table(analysis.kernels, names)
    for finding in analysis.findings:
        if finding.kernel is None:
            yield from _finding(finding, None, analysis, options)
    for kernel in analysis.kernels:
        mine = [f for f in analysis.findings if f.kernel == kernel.id]
        yield f"## {code(names[kernel.id])}"
        yield ""
        yield md(wording.headline(kernel))
        yield ""
        for finding in mine:
            yield from _finding(finding, kernel, analysis, options)
        if options.lines:
            yield from _lines(kernel, analysis, options)
        if options.vendor:
            yield from _vendor(kernel)
    yield from _skipped(analysis)
    yield from _next(analysis, names, options)


def _inputs(analysis: Analysis, options: TextOptions) -> Iterator[str]:
    for item in analysis.inputs:
        yield f"- {code(options.show_path(item.path))} ({md(item.kind)})"
        for problem in item.problems:
            hint = f" ({md(problem.hint)})" if problem.hint else ""
            yield f"  - {md(problem.message)}{hint}"
    yield ""


def _table(kernels: Sequence[KernelSummary], names: dict[str, str]) -> Iterator[str]:
    yield (
        "| kernel | launches | time | share | verdict | compute | memory | occupancy | limited by |"
    )
    yield "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | --- |"
    for kernel in kernels:
        row = [
            code(names[kernel.id], in_table=True),
            str(kernel.launches),
            units.duration(kernel.duration_ns),
            units.percent(kernel.share_pct),
            kernel.verdict,
            units.percent(kernel.sm_pct),
            units.percent(kernel.memory_pct),
            wording.occupancy(kernel),
            md(wording.limiter(kernel)),
        ]
        yield f"| {' | '.join(row)} |"
    yield ""


def _finding(
    finding: Finding, kernel: KernelSummary | None, analysis: Analysis, options: TextOptions
) -> Iterator[str]:
    yield f"### {finding.severity} {finding.code} {finding.rule}"
    yield ""
    where = ""
    if finding.location is not None:
        place = f"{options.show_path(finding.location.file)}:{finding.location.line}"
        note = wording.STATES.get(finding.location.state, "")
        where = f"{code(place)}{f' ({note})' if note else ''}: "
    yield f"{where}{md(finding.message)}"
    yield ""
    shown = []
    if finding.location is not None:
        rows = excerpt(analysis.sources, finding.location, finding.related)
        if rows:
            shown = near(finding.location, finding.related)
            gutter = max(len(str(row.number or "")) for row in rows)
            text: list[str] = []
            for row in rows:
                text.append(f"{row.number or '':>{gutter}}  {row.text}".rstrip())
                if row.marks:
                    text.append(f"{'':>{gutter}}  {row.marks} {visible(row.label)}".rstrip())
            yield from block(text, "cuda")
            yield ""
    for related in finding.related:
        if related not in shown:
            place = f"{options.show_path(related.file)}:{related.line}"
            yield f"- {code(place)}: {md(related.message)}"
    for item in finding.evidence:
        what, value, threshold = wording.measured(item)
        yield f"- measured: {code(what)} {md(value)}{f' ({md(threshold)})' if threshold else ''}"
    for label, prose in (("why", finding.why), ("fix", finding.fix)):
        if prose:
            yield f"- **{label}**: {md(' '.join(prose.split()))}"
    if finding.estimate is not None:
        gain = wording.gain_in_time(finding, kernel)
        yield f"- **gain**: {md(f'{gain}: {finding.estimate.basis}')}"
    for gone in finding.consequences:
        yield f"- symptom: {md(gone.message)} ({gone.code} {gone.rule})"
    yield ""


def _lines(kernel: KernelSummary, analysis: Analysis, options: TextOptions) -> Iterator[str]:
    records = [r for r in analysis.lines if r.kernel == kernel.id]
    text = [plain(spans) for spans in line_table(records, analysis.sources, options.show_path)]
    if text:
        yield from block([row for row in text if row])
        yield ""


def _vendor(kernel: KernelSummary) -> Iterator[str]:
    for rule in kernel.vendor_rules:
        for message in rule.messages:
            yield f"- the profiler's {code(rule.identifier)}: {md(plain_message(message))}"
    yield ""


def _skipped(analysis: Analysis) -> Iterator[str]:
    groups = skips.grouped(analysis)
    if not groups:
        return
    yield "## Not judged"
    yield ""
    for group in groups:
        kernels = ", ".join(code(name) for name in group.kernels)
        where = f" (in {kernels})" if kernels else ""
        yield f"- {', '.join(group.rules)}{where}: {md('; '.join(group.reasons))}"
    yield ""
    commands = skips.commands(analysis)
    if commands:
        yield from block([visible(command) for command in commands], "sh")
        yield ""


def _next(analysis: Analysis, names: dict[str, str], options: TextOptions) -> Iterator[str]:
    step = wording.next_step(analysis)
    if step is None:
        advice, command = skips.without_a_fault(analysis)
        yield f"**Next**: {md(advice)}"
        if command:
            yield ""
            yield from block([visible(command)], "sh")
        return
    kernel = next((k for k in analysis.kernels if k.id == step.kernel), None)
    where = [code(names[kernel.id])] if kernel else []
    if step.location is not None:
        where.append(code(f"{options.show_path(step.location.file)}:{step.location.line}"))
    gain = wording.gain_in_time(step, kernel)
    text = wording.first_sentence(step.fix or step.title)
    yield f"**Next**: {', '.join(where)}: {md(text)}{f' {md(gain)}.' if gain else ''}"
