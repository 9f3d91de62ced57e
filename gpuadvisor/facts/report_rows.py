"""The report table: one row a report, one more for each source that changed since or is missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuadvisor.evidence import Table
from gpuadvisor.facts.kernel_columns import is_setup_kernel
from gpuadvisor.facts.model import Facts


def report_table(facts: Facts) -> Table:
    """Columns: `report` (path), `launches_total`, `setup_only`, `setup_names`; `stale_source`,
    `stale_file`, `moved_lines`, `stale_lines` with `file` and `line` of the first that changed;
    `missing_source`, with `file`, its busiest `line` and `missing_share` (of all samples)."""
    rows: list[dict[str, Any]] = []
    for report in facts.reports:
        launches = [item for item in report.launches if item.scope == "kernel"]
        setup = [item for item in launches if is_setup_kernel(item.demangled or item.name)]
        rows.append(
            {
                "report": report.path,
                "launches_total": float(len(launches)),
                "setup_only": bool(launches) and len(setup) == len(launches),
                "setup_names": ", ".join(sorted({item.name for item in setup})[:3]),
            }
        )
    rows += _stale_rows(facts) + _missing_rows(facts)
    blank = {
        "report": "",
        "launches_total": np.nan,
        "setup_only": False,
        "setup_names": "",
        "stale_source": False,
        "stale_file": "",
        "moved_lines": 0.0,
        "stale_lines": 0.0,
        "missing_source": False,
        "missing_share": np.nan,
        "file": "",
        "line": 0,
        "end_line": 0,
    }
    columns: dict[str, np.ndarray[Any, Any]] = {}
    for name, empty in blank.items():
        values = [row.get(name, empty) for row in rows]
        kind = {bool: np.bool_, str: np.str_, float: np.float64, int: np.int64}[type(empty)]
        columns[name] = np.array(values, dtype=kind)
    return Table(columns)


def _missing_rows(facts: Facts) -> list[dict[str, Any]]:
    """The user's files that lines refer to and no text was found for, busiest first."""
    table = facts.line_table
    if "file" not in table or "has_source" not in table:
        return []
    users = set(facts.kernel_table["kernel"][~facts.kernel_table["library_kernel"]].tolist())
    samples = np.nan_to_num(table["samples"]) if "samples" in table else np.zeros(len(table))
    sums: dict[str, dict[int, float]] = {}
    mine = table["not_library"] & ~table["has_source"] & (table["file"] != "")
    for row in np.flatnonzero(mine).tolist():
        if str(table["kernel"][row]) in users:
            lines = sums.setdefault(str(table["file"][row]), {})
            line = int(table["line"][row])
            lines[line] = lines.get(line, 0.0) + float(samples[row])
    total = float(samples.sum())
    found = []
    for file, lines in sorted(sums.items(), key=lambda item: (-sum(item[1].values()), item[0])):
        line = max(lines, key=lambda number: (lines[number], -number))
        share = sum(lines.values()) / total if total > 0 else np.nan
        found.append(
            {
                "missing_source": True,
                "missing_share": share,
                "file": file,
                "line": line,
                "end_line": line,
            }
        )
    return found


def _stale_rows(facts: Facts) -> list[dict[str, Any]]:
    measured: dict[int, set[int]] = {}
    table = facts.line_table
    if "file" not in table:
        return []
    for kernel, file, line in zip(
        table["kernel"].tolist(), table["file"].tolist(), table["line"].tolist(), strict=True
    ):
        source = facts.source_of(kernel, file) if file else None
        if source is not None and source.moves is not None:
            measured.setdefault(id(source), set()).add(line)
    rows = []
    for source in facts.sources.files:
        lines = measured.get(id(source))
        if not lines:
            continue
        places = {line: source.shown(line) for line in sorted(lines)}
        changed = [line for line, (_, state) in places.items() if state != "exact"]
        if not changed:
            continue
        first = places[changed[0]][0]
        rows.append(
            {
                "stale_source": True,
                "stale_file": source.file,
                "moved_lines": float(sum(state == "moved" for _, state in places.values())),
                "stale_lines": float(sum(state == "stale" for _, state in places.values())),
                "file": source.file,
                "line": first,
                "end_line": first,
            }
        )
    return rows
