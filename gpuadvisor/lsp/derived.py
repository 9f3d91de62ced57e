"""What is found out about an analysed text when it is first asked for, and then kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gpuadvisor.lsp.heads import Head, find_heads

if TYPE_CHECKING:
    from gpuadvisor.lsp.snapshot import FileEvidence, Found


class Derived:
    """Of one file of one snapshot: where its kernels are declared, and which lines the fixes of
    its findings would change."""

    def __init__(self, evidence: FileEvidence, text: Sequence[str], python: bool) -> None:
        """text: the analysed lines, or today's where those are not known."""
        self._evidence = evidence
        self._text = text
        self._python = python
        self._heads: Mapping[str, Head] | None = None
        self._fix_lines: dict[int, frozenset[int]] = {}

    @property
    def heads(self) -> Mapping[str, Head]:
        """The heads of the file's kernels by their plain name."""
        if self._heads is None:
            names = {kernel.summary.name for kernel in self._evidence.kernels}
            self._heads = find_heads(self._text, names, self._python)
        return self._heads

    def fix_lines(self, found: Found) -> frozenset[int]:
        """The analysed lines that the edits of a finding's fixes would change. Once one of them
        was edited, the fix may have been made."""
        key = id(found)
        if key not in self._fix_lines:
            self._fix_lines[key] = self._find_fix_lines(found)
        return self._fix_lines[key]

    def _find_fix_lines(self, found: Found) -> frozenset[int]:
        location = found.finding.location
        offers = [fix for fix in found.finding.fixes if fix.applicability != "display-only"]
        if location is None or not offers or self._python:
            return frozenset()
        from gpuadvisor.fixes import edits_for

        text = "\n".join(self._text)
        return frozenset(
            line
            for offer in offers
            for edit in edits_for(offer.id, text, location)
            for line in range(edit.line, edit.end_line + 1)
        )
