"""The text view: kernels, what is wrong with each, what could not be judged, what to do next."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpuadvisor.evidence.findings import Analysis, Finding, KernelSummary
from gpuadvisor.render import skips, units, wording
from gpuadvisor.render.escape import visible
from gpuadvisor.render.finding_text import Said, finding_lines
from gpuadvisor.render.kernel_table import kernel_table
from gpuadvisor.render.layout import BLANK, Line, cells, fit_middle, indented, line, plain, wrap
from gpuadvisor.render.line_table import line_table
from gpuadvisor.render.names import display_names
from gpuadvisor.render.vendor_text import vendor_lines

WIDTH = 100
KERNELS_IN_FULL = 10
KERNELS_IN_TABLE = 25
LABEL = 10


@dataclass(frozen=True)
class TextOptions:
    """width: columns of prose and tables (source lines are never cut). bars: draw percentages
    as bars. base: paths below this folder are shown relative to it; empty leaves all as they
    are. lines, vendor: also show the line table and the vendor's rules."""

    width: int = WIDTH
    bars: bool = False
    base: str = ""
    lines: bool = False
    vendor: bool = False

    def show_path(self, path: str) -> str:
        """A path as shown."""
        prefix = self.base.rstrip(os.sep) + os.sep
        return path[len(prefix) :] if self.base and path.startswith(prefix) else path


def render(analysis: Analysis, options: TextOptions | None = None) -> str:
    """The whole view without styles, lines ending in a newline."""
    return "".join(f"{plain(spans)}\n" for spans in document(analysis, options or TextOptions()))


def document(analysis: Analysis, options: TextOptions) -> Iterator[Line]:
    """The view as styled lines."""
    names = display_names(analysis.kernels)
    yield from _inputs(analysis, options)
    table, full = _chosen(analysis.kernels)
    if table:
        yield BLANK
        yield from indented(kernel_table(table, names, bars=options.bars), 2)
        if len(table) < len(analysis.kernels):
            yield BLANK
            yield from _left_out(analysis.kernels, table)
    said: Said = {}
    whole = [f for f in analysis.findings if f.kernel is None]
    yield from _findings(whole, None, analysis, options, said)
    for kernel in full:
        yield BLANK
        yield from _kernel(kernel, names[kernel.id], analysis, options, said)
    if 0 < len(full) < len(table):
        yield BLANK
        yield from wrap(
            f"The {len(full)} kernels that took the most time are explained here; "
            "--kernel REGEX or --top N choose others, --format json holds all.",
            options.width,
        )
    yield from _skipped(analysis, options)
    yield from _next(analysis, names, options)


def _inputs(analysis: Analysis, options: TextOptions) -> Iterator[Line]:
    for item in analysis.inputs:
        if item.kind == wording.UNREADABLE:
            continue  # the command line has said so on stderr
        kernels = [k for k in analysis.kernels if k.input == item.path]
        devices = ", ".join(dict.fromkeys(k.device for k in kernels if k.device))
        total = [k.duration_ns * k.launches for k in kernels if k.duration_ns is not None]
        facts = [units.plural(len(kernels), "kernel"), devices]
        if total:
            facts.append(f"{units.duration(sum(total))} measured")
        yield line(
            (visible(options.show_path(item.path)), "path"),
            visible(": " + ", ".join(fact for fact in facts if fact)),
        )
        for problem in item.problems:
            yield from wrap(problem.message, options.width, line("  ", ("note: ", "label")))
            if problem.hint:
                yield from wrap(problem.hint, options.width, line(" " * 8))


def _chosen(
    kernels: Sequence[KernelSummary],
) -> tuple[list[KernelSummary], list[KernelSummary]]:
    """Those in the table and those explained, both in launch order: of many, the longest."""

    def longest(count: int) -> list[KernelSummary]:
        if len(kernels) <= count:
            return list(kernels)
        order = sorted(
            range(len(kernels)),
            key=lambda i: -(kernels[i].duration_ns or 0.0) * kernels[i].launches,
        )
        return [kernels[i] for i in sorted(order[:count])]

    return longest(KERNELS_IN_TABLE), longest(KERNELS_IN_FULL)


def _left_out(kernels: Sequence[KernelSummary], table: Sequence[KernelSummary]) -> Iterator[Line]:
    shown = {kernel.id for kernel in table}
    rest = [kernel for kernel in kernels if kernel.id not in shown]
    share = sum(kernel.share_pct or 0.0 for kernel in rest)
    yield line(
        (
            f"  and {units.plural(len(rest), 'more kernel')} of {units.percent(share)} of the time",
            "dim",
        )
    )


def _kernel(
    kernel: KernelSummary, name: str, analysis: Analysis, options: TextOptions, said: Said
) -> Iterator[Line]:
    facts = wording.facts(kernel)
    name = fit_middle(name, options.width)
    if cells(name) + cells(facts) + 2 <= options.width:
        yield line((name, "title"), (f"  {facts}", "dim"))
    else:
        yield line((name, "title"))
        yield line((f"  {facts}", "dim"))
    yield from wrap(wording.headline(kernel), options.width, line("  "))
    mine = [f for f in analysis.findings if f.kernel == kernel.id]
    yield from _findings(mine, kernel, analysis, options, said)
    if options.lines:
        records = [r for r in analysis.lines if r.kernel == kernel.id]
        yield from indented(line_table(records, analysis.sources, options.show_path), 2)
    if options.vendor:
        yield from indented(vendor_lines(kernel.vendor_rules, options.width - 2), 2)


def _findings(
    findings: Sequence[Finding],
    kernel: KernelSummary | None,
    analysis: Analysis,
    options: TextOptions,
    said: Said,
) -> Iterator[Line]:
    by = 0 if kernel is None else 2
    for finding in findings:
        yield BLANK
        lines = finding_lines(
            finding, kernel, analysis.sources, options.width - by, options.show_path, said
        )
        yield from indented(lines, by)


def _skipped(analysis: Analysis, options: TextOptions) -> Iterator[Line]:
    groups = skips.grouped(analysis)
    if not groups:
        return
    rules = len({skip.rule for skip in analysis.skipped})
    yield BLANK
    yield line(("Not judged", "label"), f"  {units.plural(rules, 'rule')}")
    for group in groups:
        where = f" (in {', '.join(group.kernels)})" if group.kernels else ""
        text = f"{', '.join(group.rules)}{where}: {'; '.join(group.reasons)}"
        yield from wrap(text, options.width, line("  "), hang=4)
    for command in skips.commands(analysis):
        # On a line of its own and never broken: it is there to be copied.
        yield line("  ", (f"$ {visible(command)}", "good"))


def _next(analysis: Analysis, names: dict[str, str], options: TextOptions) -> Iterator[Line]:
    yield BLANK
    head = line((f"{'Next':<{LABEL}}", "label"))
    step = wording.next_step(analysis)
    if step is None:
        text, command = skips.without_a_fault(analysis)
        yield from wrap(text, options.width, head)
        if command:
            yield line(" " * LABEL, (f"$ {visible(command)}", "good"))
        return
    kernel = next((k for k in analysis.kernels if k.id == step.kernel), None)
    where = [names[kernel.id]] if kernel else []
    if step.location is not None:
        where.append(f"{options.show_path(step.location.file)}:{step.location.line}")
    text = f"{', '.join(where)}: {wording.first_sentence(step.fix or step.title)}"
    gain = wording.gain_in_time(step, kernel)
    yield from wrap(f"{text}\n{wording.sentence(gain)}", options.width, head)
