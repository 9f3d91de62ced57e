"""A bounded walk over source folders: file names to paths, without the folders nobody edits."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass
from pathlib import Path

MAX_ENTRIES = 100_000
MAX_DEPTH = 24

_SKIPPED = frozenset(
    {
        ".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv", "venv", ".tox",
        ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".cache", "site-packages", ".eggs",
        "build", "_build", "dist", "CMakeFiles", ".vscode-test", ".idea", ".ccache",
    }
)  # fmt: skip
_MARKERS = frozenset({"pyvenv.cfg", "CMakeCache.txt"})
"""A folder that holds one of these was generated, whatever it is called."""


@dataclass(frozen=True)
class FileIndex:
    """The files under one root by case-folded name; `truncated` when the walk hit its limit."""

    root: Path
    by_name: dict[str, list[str]]
    truncated: bool


def index_files(root: Path, max_entries: int = MAX_ENTRIES) -> FileIndex:
    """Every regular file under `root` by name, breadth first so that a cut-off walk loses the
    deepest files. Symbolic links are neither followed nor listed; unreadable folders are passed
    over. The order of paths under a name is that of the walk, which is sorted."""
    by_name: dict[str, list[str]] = {}
    queue: deque[tuple[str, int]] = deque([(str(root), 0)])
    seen = 0
    while queue:
        folder, depth = queue.popleft()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            continue
        if depth and any(entry.name in _MARKERS for entry in entries):
            continue
        for entry in entries:
            seen += 1
            if seen > max_entries:
                return FileIndex(root, by_name, truncated=True)
            try:
                if entry.is_dir(follow_symlinks=False):
                    if depth < MAX_DEPTH and not _skipped(entry.name):
                        queue.append((entry.path, depth + 1))
                elif entry.is_file(follow_symlinks=False):
                    by_name.setdefault(entry.name.casefold(), []).append(entry.path)
            except OSError:
                continue
    return FileIndex(root, by_name, truncated=False)


def _skipped(name: str) -> bool:
    return name in _SKIPPED or name.startswith("cmake-build-")
