"""The explanation of a rule as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuadvisor.render.escape import markdown, markdown_code

if TYPE_CHECKING:
    from gpuadvisor.rules.model import Rule


def rule_markdown(rule: Rule) -> str:
    """What a rule sees, why that costs, what to do, when it is wrong, and what can be tuned."""
    return "\n\n".join(_parts(rule)) + "\n"


def _parts(rule: Rule) -> Iterator[str]:
    levels = " or ".join(dict.fromkeys(level.level for level in rule.severity))
    yield f"# {markdown(rule.code)} {markdown(rule.name)}"
    yield f"**{_prose(rule.title, rule)}** ({markdown(rule.family)}, {markdown(levels)})"
    for heading, text in (
        ("What it is", rule.explain.what),
        ("Why it costs", rule.explain.why),
        ("What to do", rule.explain.fix),
        ("When this is wrong", rule.explain.wrong_when),
    ):
        if text:
            yield f"## {heading}"
            yield _prose(text, rule)
    if rule.fixes:
        yield "## Fixes"
        yield "\n".join(
            f"- {_prose(fix.title, rule)} ({markdown(fix.applicability)})" for fix in rule.fixes
        )
    if rule.thresholds:
        yield "## Thresholds"
        yield "Set them in `gpuadvisor.thresholds`."
        yield "\n".join(
            f"- {markdown_code(f'{rule.name}.{name}')}: {markdown(f'{item.value:g} {item.unit}')}, "
            f"{markdown(item.about)}"
            for name, item in rule.thresholds.items()
        )
    if rule.references:
        yield "## References"
        yield "\n".join(
            f"- [{markdown(item.title)}]({item.url})"
            if item.url.startswith("https://")
            else f"- {markdown(item.title)}: {markdown_code(item.url)}"
            for item in rule.references
        )


def _prose(text: str, rule: Rule) -> str:
    """A template with its thresholds filled in and its other fields named."""
    from gpuadvisor.rules.templates import figures, parse_template

    def named(expression: str) -> str:
        threshold = rule.thresholds.get(expression)
        return figures(threshold.value) if threshold else f"<{expression}>"

    filled = parse_template(text).outline(lambda item: named(item.text.strip()))
    return markdown(" ".join(filled.split()))
