"""What was read of reports, whether they are in use or were only looked at."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gpuadvisor.lsp.jobs import Failed, Job
from gpuadvisor.lsp.protocol import failed
from gpuadvisor.lsp.reports import describe, fingerprint
from gpuadvisor.lsp.snapshot import KernelRef

if TYPE_CHECKING:
    from gpuadvisor.evidence.findings import Analysis
    from gpuadvisor.lsp.reports import Fingerprint
    from gpuadvisor.lsp.session import Session

KEPT = 2
"""Analyses of reports that are not in use."""


class Library:
    """Analyses by report."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._looked_at: dict[str, tuple[Fingerprint | None, Analysis]] = {}
        self._last = ""

    async def read(self, path: str) -> Analysis:
        """The analysis of a report, read for this alone when it is not among those in use."""
        await self._session.looked()
        entry = await self._session.keeper.settled(path)
        if entry is None:
            analysis = await self._look_at(path)
        elif entry.analysis is not None:
            analysis = entry.analysis
        else:
            raise failed(f"{os.path.basename(path)}: {entry.message}")
        self._last = path
        return analysis

    def get(self, report: str) -> Analysis | None:
        """What was read of a report."""
        analysis = self._session.snapshot.analyses.get(report)
        if analysis is None and report in self._looked_at:
            analysis = self._looked_at[report][1]
        return analysis

    def find_kernel(self, wanted: str, report: str | None) -> KernelRef | None:
        """A kernel by id or name: of the report if one is named, else of the one read last, else
        of the first that has it."""
        reports = [report] if report else [self._last, *self._session.snapshot.analyses]
        for path in reports:
            analysis = self.get(path)
            for summary in analysis.kernels if analysis else ():
                if wanted in (summary.id, summary.name, summary.demangled):
                    return KernelRef(path, summary)
        return None

    async def _look_at(self, path: str) -> Analysis:
        session = self._session
        now = fingerprint(path)
        known = self._looked_at.get(path)
        if known is not None and known[0] == now:
            return known[1]
        with session.reading(path) as tell:
            answer = await session.reader.run(Job(path, session.options()), tell)
        if isinstance(answer, Failed):
            raise failed(describe(path, answer))
        self._looked_at[path] = (now, answer.analysis)
        while len(self._looked_at) > KEPT:
            del self._looked_at[next(iter(self._looked_at))]
        analysis: Analysis = answer.analysis
        return analysis
