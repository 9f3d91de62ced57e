"""What the profiler's own rules said (`--vendor`), beside our findings and marked as theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuadvisor.evidence import VendorRule
from gpuadvisor.render.layout import BLANK, Line, line, wrap


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
        text = " ".join(" ".join(message.split()) for message in rule.messages)
        yield from wrap(f"{rule.name or rule.identifier}{gain}: {text}", width, line("  "), hang=4)
