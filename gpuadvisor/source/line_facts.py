"""What each source line accesses and computes, as columns that rules can name.

Everything here is read off the text: None (a missing column value) means that it is not known,
never that it is absent, but for counts and flags, which count what is written on the line.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuadvisor.evidence import Table
from gpuadvisor.source.function_facts import FunctionFacts, LineFacts, Record, function_facts
from gpuadvisor.source.records import FunctionRecords

if TYPE_CHECKING:
    from gpuadvisor.source.outline import RawFunction
    from gpuadvisor.source.syntax import CudaSource

__all__ = ["LineFactIndex", "LineFacts", "facts_table"]
PREFIX = "src_"


class LineFactIndex:
    """The facts of a file by line. Functions that kernels of the file call are judged as those
    call them; otherwise by themselves, with arguments unknown. `functions` are all device
    functions with their facts, in file order."""

    def __init__(self, source: CudaSource) -> None:
        self.source = source
        analysed = source.analysed()
        called: dict[str, list[FunctionRecords]] = {}
        callers: dict[str, list[FunctionRecords]] = {}
        for _, records in analysed:
            _collect_called(records, records, called, callers)
        data, line_of = source.parsed.data, source.index.line_of
        entries: list[tuple[int, int, FunctionFacts]] = []
        self.functions: list[tuple[RawFunction, FunctionFacts]] = []
        for raw, records in analysed:
            views = called.get(raw.name, []) if raw.kind != "kernel" else []
            facts = function_facts(
                raw.name, records, views or [records], callers.get(raw.name, []),
                data[raw.start : raw.end],
            )  # fmt: skip
            self.functions.append((raw, facts))
            low = line_of(raw.start)
            entries.append((low, low + len(facts.index) - 1, facts))
        entries.sort(key=lambda entry: entry[:2])
        self._entries = entries
        self._starts = [low for low, _, _ in entries]

    def at(self, line: int) -> LineFacts:
        """The facts of a line, or of the statement that it is part of."""
        found = self._find(line)
        if found is None:
            return LineFacts()
        low, facts = found
        number = line - low + 1
        if number not in facts.lines:
            first, last = self.source.statement_at(line)
            return _placed(facts.statement(first - low + 1, last - low + 1, number), low)
        return _placed(facts.at(number), low)

    def lines(self) -> list[int]:
        """The lines on which something was found, in order."""
        found: set[int] = set()
        for low, _, facts in self._entries:
            found.update(low + number - 1 for number in facts.lines)
        return sorted(found)

    def records(self, line: int) -> list[Record]:
        """The records that start on a line."""
        found = self._find(line)
        return list(found[1].lines.get(line - found[0] + 1, ())) if found else []

    def _find(self, line: int) -> tuple[int, FunctionFacts] | None:
        at = bisect_right(self._starts, line) - 1
        while at >= 0:
            low, high, facts = self._entries[at]
            if low <= line <= high:
                return low, facts
            # Only a function in a class in a function is nested: look one further up.
            if at == 0 or self._entries[at - 1][1] < line:
                return None
            at -= 1
        return None


def _placed(facts: LineFacts, low: int) -> LineFacts:
    """Facts with line numbers of the file; `low` is the line the function starts on."""
    moved = {
        name: value + low - 1
        for name in ("shared_line", "local_line", "guard_line")
        if (value := getattr(facts, name)) is not None
    }
    return dataclasses.replace(facts, **moved) if moved else facts


def _collect_called(
    records: FunctionRecords,
    top: FunctionRecords,
    called: dict[str, list[FunctionRecords]],
    callers: dict[str, list[FunctionRecords]],
) -> None:
    for name, contexts in records.inlined.items():
        for inner in contexts:
            called.setdefault(name, []).append(inner)
            callers.setdefault(name, []).append(top)
            _collect_called(inner, top, called, callers)


def facts_table(facts: Iterable[LineFacts | None]) -> Table:
    """Facts as columns, one row for each (None: a line without known source, all missing).
    Numbers are float64 with NaN, text is object with "", flags are bool."""
    rows = list(facts)
    empty = LineFacts()
    columns: dict[str, np.ndarray[Any, np.dtype[Any]]] = {}
    for field in dataclasses.fields(LineFacts):
        kind = str(field.type)
        values = [getattr(row or empty, field.name) for row in rows]
        if kind == "str":
            column = np.array(values, dtype=object)
        elif kind == "bool":
            column = np.array(values, dtype=bool)
        else:
            numbers = [
                np.nan if value is None or rows[at] is None else float(value)
                for at, value in enumerate(values)
            ]
            column = np.array(numbers, dtype=np.float64)
        columns[PREFIX + field.name] = column
    return Table(columns)
