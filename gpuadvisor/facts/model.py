"""All facts of an analysis: the kernel table, the line table, the sources behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuadvisor.evidence import Problem, ProfileReport, Table
from gpuadvisor.facts.arithmetic import arithmetic_columns
from gpuadvisor.facts.code import code_of
from gpuadvisor.facts.inlined import inline_columns
from gpuadvisor.facts.instructions import measured
from gpuadvisor.facts.kernel_columns import kernel_columns
from gpuadvisor.facts.kernels import Kernel, kernel_table
from gpuadvisor.facts.lines import KernelLines, kernel_lines, line_table
from gpuadvisor.facts.loops import loop_columns
from gpuadvisor.facts.metrics import Catalogue
from gpuadvisor.facts.places import place_of
from gpuadvisor.facts.source_columns import source_columns
from gpuadvisor.facts.sources import SourceFile, Sources
from gpuadvisor.facts.splits import split_columns
from gpuadvisor.options import AnalyzeOptions
from gpuadvisor.source.model import Function


@dataclass(frozen=True)
class Facts:
    """What the rules judge, and what the summary needs beside it.

    kernels, kernel_table: one entry or row a kernel, in launch order. line_table: rows of all
    kernels. lines: KernelLines by kernel id (kernels with per-instruction data only).
    problems: by report path, what of it could not be used.
    """

    kernels: tuple[Kernel, ...]
    kernel_table: Table
    line_table: Table
    lines: Mapping[str, KernelLines]
    sources: Sources
    reports: tuple[ProfileReport, ...]
    problems: Mapping[str, tuple[Problem, ...]]

    def source_of(self, kernel: str, path: str) -> SourceFile | None:
        """The source file that a kernel's report means by a path, None for an empty path."""
        return _source_of(self.kernels, self.sources, kernel, path)

    def problems_of(self, path: str) -> tuple[Problem, ...]:
        """What of a report could not be used, found while its facts were made."""
        return self.problems.get(path, ())


def build_facts(
    kernels: Sequence[Kernel],
    reports: Sequence[ProfileReport],
    catalogue: Catalogue,
    options: AnalyzeOptions,
) -> Facts:
    """Read every kernel's instructions, put them on lines, join the source."""
    sources = Sources(reports, options)
    lines: dict[str, KernelLines] = {}
    problems: dict[str, list[Problem]] = {}
    for index, kernel in enumerate(kernels):
        if options.progress is not None:
            options.progress(f"reading {kernel.launch.name}", index / max(len(kernels), 1))
        found = _lines_of(kernel, catalogue, sources, problems)
        if found is not None:
            lines[kernel.id] = found
    table = line_table([(kernel.id, lines[kernel.id]) for kernel in kernels if kernel.id in lines])
    if len(table):
        extra = source_columns(
            table["kernel"].tolist(),
            table["file"].tolist(),
            table["line"].tolist(),
            lambda kernel, path: _source_of(kernels, sources, kernel, path),
        )
        table = table.with_columns(extra)
        table = table.with_columns(_gathers_without_source(table))
    rows = kernel_table(kernels, catalogue)
    rows = rows.with_columns(kernel_columns(kernels, rows, lines, table))
    rows = rows.with_columns({"bound_text": _bounds(kernels, sources, lines)})
    for source in sources.files:
        if source.problems and reports:
            problems.setdefault(reports[0].path, []).extend(source.problems)
    notes = {path: tuple(dict.fromkeys(items)) for path, items in problems.items()}
    return Facts(tuple(kernels), rows, table, lines, sources, tuple(reports), notes)


def _gathers_without_source(table: Table) -> dict[str, np.ndarray[Any, Any]]:
    """Where no source says whether an index was loaded, the code does."""
    if "gather_wasted_share" not in table:
        return {}
    coded = ~table["has_source"] & (table["gather_wasted_share"] >= 0.5)
    return {
        "gather_access": table["gather_access"] | coded,
        "index_text": np.where(coded, "loaded addresses", table["index_text"]),
    }


def _lines_of(
    kernel: Kernel, catalogue: Catalogue, sources: Sources, problems: dict[str, list[Problem]]
) -> KernelLines | None:
    from gpuadvisor.readers.lines import read_instructions

    launch = kernel.launch
    if launch.scope != "kernel":
        return None
    table, notes = read_instructions(launch)
    damage = [note for note in notes if "damaged" in note.message]
    problems.setdefault(kernel.input, []).extend(damage)
    if table is None:
        return None

    def statement(path: str, line: int) -> tuple[int, int]:
        source = _file(kernel, sources, path)
        return source.statement(line) if source is not None else (line, line)

    numbers = measured(table, catalogue)
    weight = numbers.metrics.get("inst")
    code = code_of(table, np.nan_to_num(weight) if weight is not None else np.zeros(len(table)))
    found = kernel_lines(table, numbers, code, place_of, statement)
    extra = loop_columns(table, numbers, code, found.places)
    extra |= inline_columns(table, numbers, found.places)
    extra |= split_columns(table, numbers, code, found.places)
    extra |= arithmetic_columns(table, numbers, code, found.places)
    return KernelLines(found.places, {**found.columns, **extra}, found.led_back, numbers)


def _bounds(
    kernels: Sequence[Kernel], sources: Sources, lines: Mapping[str, KernelLines]
) -> np.ndarray[Any, Any]:
    """The launch bounds of each kernel as the end of a sentence, empty where none are known."""
    texts = []
    for kernel in kernels:
        text = ""
        found = find_kernel(kernel, sources, lines.get(kernel.id))
        if found is not None and found[2].launch_bounds:
            numbers = ", ".join("?" if n is None else str(n) for n in found[2].launch_bounds)
            text = f" under __launch_bounds__({numbers})"
        texts.append(text)
    return np.array(texts, np.str_)


def find_kernel(
    kernel: Kernel, sources: Sources, lines: KernelLines | None
) -> tuple[SourceFile, str, Function] | None:
    """(source, report path, definition) of a kernel in the sources its report names."""
    program = kernel.launch.program
    paths = list(program.sources) if program is not None else []
    if lines is not None:
        paths += [path for path in lines.places.files if path not in paths]
    for path in dict.fromkeys(paths):
        source = _file(kernel, sources, path)
        if source is None or source.syntax is None:
            continue
        for function in source.syntax.kernels:
            if function.name == kernel.launch.name:
                return source, path, function
    return None


def _file(kernel: Kernel, sources: Sources, path: str) -> SourceFile | None:
    if not path:
        return None
    program = kernel.launch.program
    return sources.get(path, program.sources.get(path) if program is not None else None)


def _source_of(
    kernels: Sequence[Kernel], sources: Sources, kernel: str, path: str
) -> SourceFile | None:
    index = int(kernel[1:])
    return _file(kernels[index], sources, path)
