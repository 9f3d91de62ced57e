"""Where the documentation of a rule is."""

from __future__ import annotations

RULES_PAGE = "https://github.com/gpuadvisor/gpuadvisor/blob/main/rules/README.md"


def rule_url(code: str) -> str:
    """The address of a rule's explanation."""
    return f"{RULES_PAGE}#{code.lower()}"
