"""Finding reports in the workspace, within bounds."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

ENDINGS = (".ncu-rep", ".ncu-repz")
MAX_ENTRIES = 100_000
MAX_DEPTH = 12
MAX_REPORTS = 24
"""Of more, the newest are taken; others can be named in the settings."""

_SKIPPED = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", "site-packages", ".venv", ".cache"}
)


@dataclass(frozen=True)
class Discovery:
    """The reports found, newest first, how many more there are, and whether folders were left
    out because there are too many."""

    reports: tuple[str, ...]
    more: int = 0
    truncated: bool = False


def is_report(path: str) -> bool:
    """Whether a path has the ending of a report."""
    return path.lower().endswith(ENDINGS)


def discover(folders: Iterable[str]) -> Discovery:
    """The reports under workspace folders. Links are not followed, so that nothing outside the
    workspace is read; breadth first, so that what is cut off is what lies deepest."""
    found: dict[str, int] = {}
    queue: deque[tuple[str, int]] = deque((folder, 0) for folder in dict.fromkeys(folders))
    seen = 0
    while queue:
        folder, depth = queue.popleft()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            continue
        seen += len(entries)
        if seen > MAX_ENTRIES:
            return _newest(found, truncated=True)
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    if depth < MAX_DEPTH and entry.name not in _SKIPPED:
                        queue.append((entry.path, depth + 1))
                elif is_report(entry.name) and entry.is_file(follow_symlinks=False):
                    found[entry.path] = entry.stat(follow_symlinks=False).st_mtime_ns
            except OSError:
                continue
    return _newest(found, truncated=False)


def in_folder(folder: str) -> list[str]:
    """The reports right in a folder, by name."""
    try:
        return sorted(
            entry.path for entry in os.scandir(folder) if is_report(entry.name) and entry.is_file()
        )
    except OSError:
        return []


def _newest(found: dict[str, int], truncated: bool) -> Discovery:
    ordered = sorted(found, key=lambda path: (-found[path], path))
    return Discovery(tuple(ordered[:MAX_REPORTS]), max(len(ordered) - MAX_REPORTS, 0), truncated)
