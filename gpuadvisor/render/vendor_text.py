"""What the profiler's own rules said (`--vendor`), beside our findings and marked as theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gpuadvisor.evidence import VendorRule
from gpuadvisor.render.layout import BLANK, Line, line, wrap

_LINK = re.compile(r"@(?:section|url|table|chart):([^@:]*):([^@]*)@")


def plain_message(text: str) -> str:
    """A message without its links: `@section:Name:text@` and `@url:text:address@` become text."""

    def shown(link: re.Match[str]) -> str:
        return link[1] if link[0].startswith("@url") else link[2]

    return " ".join(_LINK.sub(shown, text).split())


def vendor_lines(rules: Sequence[VendorRule], width: int) -> Iterator[Line]:
    """One paragraph a rule that said something."""
    said = [rule for rule in rules if rule.messages]
    if not said:
        return
    yield BLANK
    yield line(("the profiler's own rules", "label"))
    for rule in said:
        gain = ""
        if rule.speedup_pct is not None:
            gain = (
                f" (its estimate: {rule.speedup_pct:.3g} %, {rule.speedup_kind or 'unspecified'})"
            )
        text = " ".join(map(plain_message, rule.messages))
        yield from wrap(f"{rule.name or rule.identifier}{gain}: {text}", width, line("  "), hang=4)
