"""All rules on one Markdown page, `rules/README.md`: what diagnostics link to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpuadvisor.render.escape import markdown, markdown_code
from gpuadvisor.rules.model import Rule
from gpuadvisor.rules.outline import outline
from gpuadvisor.rules.templates import figures

_INTRO = """\
# The rules

Written by `make docs` from the YAML files beside it; [FORMAT.md](FORMAT.md) says how a rule is
written. `gpuadvisor rules show NAME` prints one of these pages, and a diagnostic in the editor
links to it.

A *warning* is a measured fault whose removal is worth 5 % of the kernel's time or more; an *info*
is true, with little to gain or no edit to make. In the texts `N` stands for a number of the
finding and `<name>` for a measured value."""

_MARK = re.compile(r"^\s*//\s*ruleid(\[[^\]]*\])?:")


def rules_page(rules: Sequence[Rule], folder: Path) -> str:
    """The page for rules that stand in `folder`, in the order of their codes."""
    ordered = sorted(rules, key=lambda rule: rule.code)
    parts = [_INTRO, _index(ordered)]
    for rule in ordered:
        parts += _section(rule, folder)
    return "\n\n".join(parts) + "\n"


def _index(rules: Sequence[Rule]) -> str:
    rows = ["| code | name | family | level | what it sees |", "|---|---|---|---|---|"]
    for rule in rules:
        levels = " or ".join(dict.fromkeys(level.level for level in rule.severity))
        link = f"[{rule.code}](#{rule.code.lower()})"
        title = markdown(outline(rule.title, rule))
        rows.append(f"| {link} | {rule.name} | {rule.family} | {levels} | {title} |")
    return "\n".join(rows)


def _section(rule: Rule, folder: Path) -> Iterator[str]:
    # an explicit anchor: the heading's own would be made of its whole text
    yield f'<a id="{rule.code.lower()}"></a>\n\n## {rule.code} {rule.name}'
    status = "" if rule.status == "stable" else f" Status: {rule.status}."
    yield f"**{markdown(outline(rule.title, rule))}.**{status}"
    yield markdown(outline(rule.explain.what, rule))
    for heading, text in (
        ("Why", rule.explain.why),
        ("What to do", rule.explain.fix),
        ("When this is wrong", rule.explain.wrong_when),
    ):
        yield f"*{heading}.* {markdown(outline(text, rule))}"
    yield from _sample(rule, folder)
    if rule.evidence:
        names = "; ".join(markdown(item.metric) for item in rule.evidence)
        yield f"*Measured.* {names}."
    if rule.thresholds:
        yield "\n".join(
            f"- {markdown_code(f'{rule.name}.{name}')} = {figures(item.value)}"
            f"{'' if item.unit in ('', 'ratio') else ' ' + markdown(item.unit)}: "
            f"{markdown(item.about)}"
            for name, item in rule.thresholds.items()
        )
    if rule.references:
        links = ", ".join(f"[{markdown(item.title)}]({item.url})" for item in rule.references)
        yield f"*More.* {links}."


def _sample(rule: Rule, folder: Path) -> Iterator[str]:
    """The marked lines of the sample, and links to it and its repaired twin."""
    path = folder / rule.family / f"{rule.name}.cu"
    fixed = path.with_suffix(".fixed.cu")
    if not path.is_file():
        return
    lines = path.read_text(encoding="utf-8").splitlines()
    marked = [
        lines[index + 1].strip()
        for index, line in enumerate(lines[:-1])
        if _MARK.match(line) and not _MARK.match(lines[index + 1])
    ]
    where = f"[{path.name}]({rule.family}/{path.name})"
    after = f", repaired in [{fixed.name}]({rule.family}/{fixed.name})" if fixed.is_file() else ""
    yield f"*Sample.* {where}{after}{':' if marked else '.'}"
    if marked:
        yield "```cuda\n" + "\n".join(dict.fromkeys(marked[:4])) + "\n```"
