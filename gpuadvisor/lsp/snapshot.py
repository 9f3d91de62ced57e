"""What all read reports say, by file: made once for each change of a report and never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuadvisor.evidence.findings import Analysis, Finding, KernelSummary, LineRecord, State


@dataclass(frozen=True)
class KernelRef:
    """A kernel of one of the reports."""

    report: str
    summary: KernelSummary


@dataclass(frozen=True)
class Measured:
    """The measurements of one line in one kernel."""

    kernel: KernelRef
    record: LineRecord


@dataclass(frozen=True)
class Found:
    """A finding of one of the reports; `kernel` is None for one about a whole report."""

    report: str
    finding: Finding
    kernel: KernelRef | None


@dataclass(frozen=True)
class FileEvidence:
    """What the reports say about one file.

    base: the lines of the analysed text, `content_lines`; None when the text is not known and
        the open document is taken for it.
    names: the spellings of the file in the findings.
    measured: by each line of a statement, hottest kernel first.
    drains: by line, the measurements of the lines where its stores drain.
    kernels: those that have a line or a finding here, in launch order.
    """

    path: str
    base: Sequence[str] | None
    names: frozenset[str]
    measured: Mapping[int, tuple[Measured, ...]]
    drains: Mapping[int, tuple[Measured, ...]]
    found: tuple[Found, ...]
    kernels: tuple[KernelRef, ...]
    lost: int = 0
    """Measured lines in whose place nothing stands any more in the analysed text."""
    by_name: bool = False
    """Whether the kernels were taken to be those of this file for their names alone."""

    @cached_property
    def line_states(self) -> Mapping[int, State]:
        """The lines with a record of their own, and how the analysed text relates to what was
        profiled there."""
        return {
            item.record.line: item.record.state
            for items in self.measured.values()
            for item in items
        }

    @cached_property
    def differs(self) -> bool:
        """Whether the analysed text is not the profiled one."""
        return bool(self.lost) or any(
            state in ("moved", "stale") for state in self.line_states.values()
        )

    @cached_property
    def coverage(self) -> tuple[int, int, int]:
        """Measured lines in the analysed text: (unedited, all, edited)."""
        states = list(self.line_states.values())
        stale = states.count("stale") + self.lost
        matched = len(states) - states.count("stale") - states.count("missing")
        return matched, len(states) + self.lost, stale


@dataclass(frozen=True)
class Snapshot:
    """All evidence at one moment. `generation` grows with each one."""

    generation: int = 0
    analyses: Mapping[str, Analysis] = field(default_factory=dict)
    files: Mapping[str, FileEvidence] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    """The files, as findings spell them, whose text is at hand on this machine."""
    homeless: Mapping[str, tuple[KernelRef, ...]] = field(default_factory=dict)
    """Kernels of which no report says where they stand, by plain name."""
    homeless_found: tuple[Found, ...] = ()
    """Their findings."""

    @property
    def kernels(self) -> int:
        """How many kernels the reports hold."""
        return sum(len(analysis.kernels) for analysis in self.analyses.values())
