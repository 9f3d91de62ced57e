"""`gpuadvisor.explainKernel` and `gpuadvisor.explainRule`: explanations as Markdown."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpuadvisor.lsp.commands import arguments as read
from gpuadvisor.lsp.documents import canonical

if TYPE_CHECKING:
    from gpuadvisor.evidence.findings import Analysis
    from gpuadvisor.lsp.session import Session


async def explain_kernel(session: Session, arguments: Sequence[Any]) -> dict[str, str] | None:
    """Of a kernel given by id or name, with its report where it is known, or of the kernel at
    `{uri, line}`: verdict, numbers, findings."""
    if read.member(arguments, "uri"):
        uri, line = read.place(arguments)
        view = session.view(uri)
        kernel = view.kernel_at(line) if view else None
    else:
        report = read.member(arguments, "report")
        wanted = read.text(arguments, "kernel", "id", "name")
        kernel = session.library.find_kernel(wanted, canonical(report) if report else None)
    if kernel is None:
        return None
    analysis = session.library.get(kernel.report)
    if analysis is None:
        return None
    base = session.folders[0] if session.folders else os.path.dirname(kernel.report)
    return {"markdown": kernel_page(analysis, kernel.summary.id, base)}


def kernel_page(analysis: Analysis, kernel_id: str, base: str) -> str:
    """The page of one kernel; paths are shown from `base` on."""
    from gpuadvisor.render import markdown
    from gpuadvisor.render.escape import markdown_code
    from gpuadvisor.render.text import TextOptions

    one = replace(
        analysis,
        kernels=tuple(item for item in analysis.kernels if item.id == kernel_id),
        findings=tuple(item for item in analysis.findings if item.kernel == kernel_id),
        skipped=tuple(item for item in analysis.skipped if item.kernel == kernel_id),
        lines=(),
    )
    name = one.kernels[0].name
    body = markdown.render(one, TextOptions(base=base))
    return f"# {markdown_code(name)}\n\n{body}"


async def explain_rule(session: Session, arguments: Sequence[Any]) -> dict[str, str] | None:
    """Of a rule given by name or code."""
    wanted = read.text(arguments, "rule", "code", "name")
    packs = session.rule_directories()
    text = await asyncio.to_thread(rule_page, wanted, packs)
    return {"markdown": text} if text else None


def rule_page(wanted: str, packs: Sequence[str]) -> str:
    """The page of a rule, empty when there is no such rule. Rules of packs that cannot be
    loaded leave the shipped ones."""
    from gpuadvisor.lsp.rule_markdown import rule_markdown
    from gpuadvisor.rules.errors import RuleError
    from gpuadvisor.rules.load import load_rules

    try:
        rules = load_rules(packs)
    except RuleError:
        rules = load_rules()
    rule = rules.find(wanted)
    return rule_markdown(rule) if rule else ""
