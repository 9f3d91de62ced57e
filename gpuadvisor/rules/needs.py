"""What a rule needs and a report lacks: who is skipped, why, and the command that collects it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gpuadvisor.evidence.findings import Skipped
from gpuadvisor.rules.columns import Bools, Truth, View, known
from gpuadvisor.rules.model import Context, Rule

_SIGNS = {
    ">=": np.greater_equal,
    ">": np.greater,
    "<=": np.less_equal,
    "<": np.less,
    "==": np.equal,
}
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*\Z")


@dataclass(frozen=True)
class Lack:
    """Why one kernel (or a whole table) cannot be judged by a rule."""

    columns: tuple[str, ...] = ()
    cc: str = ""
    line_info: bool = False
    source: bool = False

    def __bool__(self) -> bool:
        return bool(self.columns or self.cc or self.line_info or self.source)

    @property
    def reason(self) -> str:
        """The sentence of the skip."""
        if self.cc:
            return self.cc
        parts = []
        if self.columns:
            parts.append("not measured: " + ", ".join(self.columns))
        if self.line_info:
            parts.append("no line information (built without -lineinfo)")
        if self.source:
            parts.append("the source is not at hand")
        return "; ".join(parts)


def judge_needs(
    rule: Rule, view: View, context: Context, applies: Bools | None = None
) -> tuple[Bools, list[Skipped]]:
    """Which rows of the view can be judged (bool[rows]), and what is skipped.

    `applies`: of which kernels the rule speaks (bool[kernels], or bool[rows] for a table that
    has none); None is all.
    """
    if rule.scope != "kernel" and (rule.scope != "line" or view.kernels is None):
        judged, skipped = _whole_table(rule, view, context)
        return judged if applies is None else judged & applies, skipped
    kernels = view.kernels or view
    lacks = [
        Lack(tuple(columns), cc, line_info, source)
        for columns, cc, line_info, source in zip(
            _missing_columns(rule, view, kernels.length),
            _wrong_cc(rule, kernels),
            _absent(kernels, "has_line_info", rule.needs.line_info),
            _absent(kernels, "has_source", rule.needs.source),
            strict=True,
        )
    ]
    judged = np.array([not lack for lack in lacks], dtype=np.bool_)
    if applies is None:
        applies = np.ones(kernels.length, dtype=np.bool_)
    skipped = _skips(rule, kernels, lacks, applies, context)
    judged &= applies
    if view is kernels:
        return judged, skipped
    # rows of a kernel that is not in the kernel table cannot be judged on anything of it
    return np.append(judged, False)[view.kernel_row], skipped


def collect(
    sections: Iterable[str],
    metrics: Iterable[str],
    *,
    kernel: str = "",
    source: bool = False,
    command: str = "./app",
) -> str:
    """The ncu command line that collects sections and metrics of the kernel with that (plain)
    name, of all kernels without one. Names are quoted for a shell: they come from a report."""
    words = ["ncu"]
    for section in dict.fromkeys(sections):
        words += ["--section", section]
    names = list(dict.fromkeys(metrics))
    if names:
        words += ["--metrics", ",".join(names)]
    if source:
        words += ["--import-source", "yes"]
    if kernel:
        exact = _PLAIN_NAME.match(kernel)
        words += ["-k", kernel if exact else f"regex:^{re.escape(kernel)}$"]
    return " ".join([shlex.join([*words, "-o", "report"]), command])


def _whole_table(rule: Rule, view: View, context: Context) -> tuple[Bools, list[Skipped]]:
    missing = []
    for name in rule.needs.columns:
        value = view.column(name)
        if value is None or (view.length and not known(value).any()):
            missing.append(name)
    if not missing:
        return np.ones(view.length, dtype=np.bool_), []
    lack = Lack(tuple(missing))
    skip = Skipped(rule.name, None, lack.reason, _command(rule, lack, "", context))
    return np.zeros(view.length, dtype=np.bool_), [skip] if view.length else []


def _missing_columns(rule: Rule, view: View, kernels: int) -> list[list[str]]:
    """For each kernel the needed columns that are unknown on it (for lines: on all of them)."""
    missing: list[list[str]] = [[] for _ in range(kernels)]
    for name in rule.needs.columns:
        for row in np.flatnonzero(~view.known_of_kernels(name)).tolist():
            missing[row].append(name)
    return missing


def _wrong_cc(rule: Rule, kernels: View) -> list[str]:
    reasons = [""] * kernels.length
    if not rule.needs.cc:
        return reasons
    column = kernels.raw("cc")
    if column is None:
        return ["the compute capability is unknown"] * kernels.length
    fits = np.ones(kernels.length, dtype=np.bool_)
    for sign, value in rule.needs.cc:
        fits &= _SIGNS[sign](column, value)
    wanted = " and ".join(f"{sign} {value / 10:.1f}" for sign, value in rule.needs.cc)
    for row in np.flatnonzero(~fits).tolist():
        cc = column[row]
        has = "is unknown" if np.isnan(cc) else f"is {cc / 10:.1f}"
        reasons[row] = f"for compute capability {wanted}; here it {has}"
    return reasons


def _absent(kernels: View, name: str, needed: bool) -> list[bool]:
    value = kernels.column(name) if needed else None
    if not isinstance(value, Truth):
        return [False] * kernels.length
    return [not there for there in value.true.tolist()]


def _skips(
    rule: Rule, kernels: View, lacks: Sequence[Lack], applies: Bools, context: Context
) -> list[Skipped]:
    """One entry for all kernels where they lack the same, else one a kernel."""
    rows = [row for row in np.flatnonzero(applies).tolist() if lacks[row]]
    if not rows:
        return []
    lack = lacks[rows[0]]
    if len(rows) == kernels.length and all(lacks[row] == lack for row in rows):
        return [Skipped(rule.name, None, lack.reason, _command(rule, lack, "", context))]
    ids, names = kernels.raw("kernel"), kernels.raw("name")
    skips = []
    for row in rows:
        name = str(names[row]) if names is not None else ""
        kernel = str(ids[row]) if ids is not None else None
        command = _command(rule, lacks[row], name, context)
        skips.append(Skipped(rule.name, kernel, lacks[row].reason, command))
    return skips


def _command(rule: Rule, lack: Lack, kernel: str, context: Context) -> str:
    if lack.cc:
        return ""
    sections = [*context.sections(lack.columns), *rule.needs.sections]
    if lack.line_info:
        sections.append("SourceCounters")
    command = ""
    if sections or rule.needs.metrics:
        command = collect(
            sections,
            rule.needs.metrics,
            kernel=kernel,
            source=rule.needs.source or rule.needs.line_info,
            command=context.command,
        )
    if lack.line_info:
        command = f"nvcc -lineinfo ... && {command}"
    return command
