"""An open document as the reports see it: findings and measurements at the lines of today.

A view is made for one revision of the text and one snapshot and answers all questions of the
features about them; nothing in it changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gpuadvisor.lsp.moves import Moves, content_lines, moves_between

if TYPE_CHECKING:
    from gpuadvisor.evidence.findings import State
    from gpuadvisor.lsp.derived import Derived
    from gpuadvisor.lsp.documents import Document
    from gpuadvisor.lsp.snapshot import FileEvidence, Found, KernelRef, Measured
    from gpuadvisor.source.suppress import Suppressions


@dataclass(frozen=True)
class Placed:
    """A finding at today's text: lines from 1, columns from 0 in characters, end exclusive.

    state: stale when a line it depends on was edited since profiling; then it is a memory, not
    a verdict. A finding whose line is gone altogether has no place and is not among them.
    """

    found: Found
    line: int
    end_line: int
    column: int
    end_column: int
    state: State


class DocumentView:
    """What the reports say about one text."""

    def __init__(
        self,
        document: Document,
        evidence: FileEvidence,
        derived: Derived,
        known: frozenset[str] = frozenset(),
    ) -> None:
        self.document = document
        self.known = known
        """Files, as findings spell them, that can be opened here."""
        self.evidence = evidence
        self.revision = document.revision
        self._derived = derived
        self._now = content_lines(document.lines)

    @cached_property
    def moves(self) -> Moves:
        """From the analysed lines to today's."""
        base = self.evidence.base
        return moves_between(self._now if base is None else base, self._now)

    @property
    def edited(self) -> bool:
        """Whether today's text differs from the analysed one."""
        return self.moves.prefix < max(self.moves.old_length, self.moves.new_length)

    @cached_property
    def python(self) -> bool:
        """Whether comments begin with `#`."""
        return is_python(self.document)

    @cached_property
    def suppressions(self) -> Suppressions:
        """The comments of today's text that silence rules."""
        from gpuadvisor.source.suppress import parse_suppressions

        return parse_suppressions(self.document.text, self.python)

    @cached_property
    def placed(self) -> tuple[Placed, ...]:
        """The findings that have a place, none that a comment silences; in the order of the
        reports and of what the findings would save."""
        result = []
        for found in self.evidence.found:
            placed = self._place(found)
            if placed is not None and not self._silenced(placed):
                result.append(placed)
        return tuple(result)

    def at_line(self, line: int) -> tuple[Placed, ...]:
        """The findings that touch a line of today (from 1)."""
        return tuple(item for item in self.placed if item.line <= line <= item.end_line)

    def measured(self, line: int) -> tuple[tuple[Measured, ...], State]:
        """The measurements of a line of today and how it relates to the measured one."""
        origin = self.moves.backward(line)
        items = self.evidence.measured.get(origin[0], ()) if origin else ()
        if origin is None or not items:
            return (), "missing"
        was = self.evidence.line_states[items[0].record.line]
        return items, "stale" if was == "stale" else origin[1]

    @cached_property
    def shares(self) -> tuple[tuple[int, float, float], ...]:
        """(line of today, share of the file's samples, share of its kernel's samples), both
        0..1, for all measured lines that are still there, in line order. A line of several
        kernels has the share of the one in which it is hottest."""
        totals: dict[tuple[str, str], float] = {}
        lines: dict[int, dict[tuple[str, str], float]] = {}
        for line, items in self.evidence.measured.items():
            for item in items:
                if item.record.line == line and item.record.samples:
                    key = (item.kernel.report, item.kernel.summary.id)
                    samples = lines.setdefault(line, {})
                    samples[key] = samples.get(key, 0) + item.record.samples
                    totals[key] = max(totals.get(key, 0), _kernel_samples(item))
        whole = sum(totals.values())
        shares = []
        for line, samples in lines.items():
            now, state = self.moves.forward(line)
            if self.evidence.line_states[line] == "stale":
                continue
            if now and state != "stale" and whole:
                local = max(count / totals[key] for key, count in samples.items())
                shares.append((now, sum(samples.values()) / whole, local))
        return tuple(sorted(shares))

    @cached_property
    def coverage(self) -> tuple[int, int, int]:
        """Measured lines of the file: (unedited, all, edited since)."""
        matched, total, stale = self.evidence.coverage
        edited = sum(
            self.moves.forward(line)[1] == "stale"
            for line, state in self.evidence.line_states.items()
            if state != "stale"
        )
        if self.evidence.base is None:
            matched = total  # the open text is all there is to go by
        return matched - edited, total, stale + edited

    @cached_property
    def kernel_lines(self) -> tuple[tuple[KernelRef, int], ...]:
        """The kernels of the file with the line (from 1) of their head in today's text."""
        found = []
        for kernel in self.evidence.kernels:
            span = self._name_span(kernel.summary.name)
            if span:
                found.append((kernel, span[0]))
        return tuple(found)

    def kernel_at(self, line: int) -> KernelRef | None:
        """The kernel with measurements at a line, else the last whose head is above it."""
        measured, _ = self.measured(line)
        if measured:
            return measured[0].kernel
        above = [(head, kernel) for kernel, head in self.kernel_lines if head <= line]
        return max(above, key=lambda pair: pair[0])[1] if above else None

    def _place(self, found: Found) -> Placed | None:
        location = found.finding.location
        if location is None:
            name = found.kernel.summary.name if found.kernel else ""
            span = self._name_span(name)
            return Placed(found, span[0], span[0], span[1], span[2], "exact") if span else None
        line, state = self.moves.forward(location.line)
        if not line:
            return None
        end, _ = self.moves.forward(location.end_line)
        end = max(end, line) if end and end - line == location.end_line - location.line else line
        if state == "stale" or location.state == "stale" or self._depends_on_edited(found):
            return Placed(found, line, line, *self.document.content_span(line - 1), "stale")
        column, end_column = self._columns(found, line, end)
        return Placed(found, line, end, column, end_column, state)

    def _name_span(self, name: str) -> tuple[int, int, int] | None:
        """Line (from 1) and columns of a kernel's name in its declaration, None without one."""
        head = self._derived.heads.get(name)
        line = self.moves.forward(head.line)[0] if head else 0
        if head is None or not line:
            return None
        column = self._now[line - 1].find(name)
        return (line, column, column + len(name)) if column >= 0 else None

    def _columns(self, found: Found, line: int, end: int) -> tuple[int, int]:
        """The finding's columns, or all of its lines' content where it names none or where the
        indentation of an otherwise equal line is another one."""
        location = found.finding.location
        first = self.document.content_span(line - 1)[0]
        last = self.document.content_span(end - 1)[1]
        if location is None or location.column is None:
            return first, last
        shift = self._indent_shift(location.line, line)
        column = location.column - 1 + shift
        if location.end_column is None:
            return max(column, first), last
        end_shift = shift if end == line else self._indent_shift(location.end_line, end)
        end_column = location.end_column - 1 + end_shift
        if end == line and location.end_line != location.line:
            end_column = last
        return (column, end_column) if (line, column) < (end, end_column) else (first, last)

    def _indent_shift(self, was: int, now: int) -> int:
        base = self.evidence.base
        if base is None or not 1 <= was <= len(base):
            return 0
        old, new = base[was - 1], self._now[now - 1]
        return (len(new) - len(new.lstrip())) - (len(old) - len(old.lstrip()))

    def _depends_on_edited(self, found: Found) -> bool:
        """Whether a line that the finding names, or the declaration that its fix would change,
        was edited: then the fault may be gone."""
        if not self.edited:
            return False
        lines = [
            related.line for related in found.finding.related if related.file in self.evidence.names
        ]
        location = found.finding.location
        if location is not None:
            lines += range(location.line, location.end_line + 1)
        lines += self._derived.fix_lines(found)
        return any(self.moves.forward(line)[1] == "stale" for line in lines)

    def _silenced(self, placed: Placed) -> bool:
        finding = placed.found.finding
        return (
            self.suppressions.find(
                placed.line, finding.rule, finding.code, end_line=placed.end_line
            )
            is not None
        )


def is_python(document: Document) -> bool:
    """Whether a document holds Python, by its language or its name."""
    return document.language_id == "python" or (document.path or document.uri).endswith(".py")


def _kernel_samples(item: Measured) -> float:
    """All samples of a line's kernel, from the line's own share of them."""
    record = item.record
    if not record.samples_pct or not record.samples:
        return record.samples or 0
    return record.samples * 100 / record.samples_pct
