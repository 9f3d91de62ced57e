"""The sources of a set of reports: texts by report path, where they are, how lines moved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from gpuadvisor.evidence import Problem, ProfileReport
from gpuadvisor.evidence.findings import State
from gpuadvisor.options import AnalyzeOptions
from gpuadvisor.source.moved import LineMap, map_lines
from gpuadvisor.source.paths import ResolvedSource, SourceResolver

if TYPE_CHECKING:
    from gpuadvisor.source.line_facts import LineFacts
    from gpuadvisor.source.syntax import CudaSource

CUDA_ENDINGS = (".cu", ".cuh", ".h", ".hpp", ".hh", ".cpp", ".cc", ".cxx", ".inl", ".inc")


@dataclass
class SourceFile:
    """One file that a report names.

    path: as the report names it. profiled: the text that was profiled as far as it is known
    (embedded, else the file on disk), None without either. resolved: what is shown.
    """

    path: str
    profiled: str | None
    resolved: ResolvedSource
    problems: list[Problem] = field(default_factory=list)

    @property
    def file(self) -> str:
        """The path that locations show."""
        return self.resolved.file

    @cached_property
    def moves(self) -> LineMap | None:
        """Where the profiled lines are in the file on disk; None when it is the same text."""
        text = self.resolved.text
        if self.resolved.origin != "disk" or text is None or self.profiled is None:
            return None
        return None if text == self.profiled else map_lines(self.profiled, text)

    @cached_property
    def syntax(self) -> CudaSource | None:
        """The profiled text as CUDA source; None for other languages or without text."""
        if self.profiled is None or not self.path.lower().endswith(CUDA_ENDINGS):
            return None
        from gpuadvisor.source.syntax import CudaSource

        try:
            source = CudaSource.parse(self.profiled)
            # all that is asked of it later; a source can be anything, and what is said of its
            # report must not hang on it
            _ = source.facts, source.kernels, source.launches
        except Exception as error:
            what = f"{self.path} was not understood ({type(error).__name__}: {error})"
            self.problems.append(Problem(what, "please report this with the source"))
            return None
        return source

    @cached_property
    def profiled_lines(self) -> list[str]:
        """The lines of the profiled text."""
        return self.profiled.splitlines() if self.profiled is not None else []

    def facts(self, line: int) -> LineFacts | None:
        """The source facts of a profiled line, None without CUDA source."""
        return self.syntax.facts.at(line) if self.syntax is not None else None

    def statement(self, line: int) -> tuple[int, int]:
        """First and last line of the statement at a profiled line."""
        return self.syntax.statement_at(line) if self.syntax is not None else (line, line)

    def shown(self, line: int) -> tuple[int, State]:
        """(line in what is shown, state) of a profiled line."""
        if self.resolved.text is None:
            return line, "missing"
        if self.moves is None:
            return line, "exact"
        return self.moves.line(line)


class Sources:
    """The source files of all reports, resolved once each."""

    def __init__(self, reports: Iterable[ProfileReport], options: AnalyzeOptions) -> None:
        import os

        beside = [os.path.dirname(os.path.abspath(report.path)) for report in reports]
        self._resolver = SourceResolver(options.source_dirs, options.path_maps, beside)
        self._files: dict[tuple[str, str | None], SourceFile] = {}

    def get(self, path: str, embedded: str | None) -> SourceFile:
        """The file for a report path; `embedded` is the text the report holds for it."""
        key = (path, embedded)
        found = self._files.get(key)
        if found is None:
            resolved = self._resolver.resolve(path, embedded)
            profiled = embedded if embedded is not None else resolved.text
            found = self._files[key] = SourceFile(path, profiled, resolved)
        return found

    @property
    def files(self) -> list[SourceFile]:
        """All files asked for, in that order."""
        return list(self._files.values())
