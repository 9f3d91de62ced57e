"""The paths that reports name: of another machine, perhaps of another system."""

from __future__ import annotations

import re

_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")


def is_windows_path(path: str) -> bool:
    """Whether a path was written by Windows: a drive, a UNC name, or backslashes only."""
    return bool(_DRIVE.match(path)) or path.startswith("\\\\") or ("\\" in path and "/" not in path)


def components(path: str) -> tuple[str, ...]:
    """The parts of a report's path without root, drive, `.`; `..` takes back the part before it
    and is dropped where nothing is before it, so no result ever climbs."""
    if is_windows_path(path):
        path = path.replace("\\", "/")
        path = re.sub(r"^//[?.]/", "", path)
        path = re.sub(r"^[A-Za-z]:", "", path)
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return tuple(parts)


def common_suffix(left: tuple[str, ...], right: tuple[str, ...], fold_case: bool) -> int:
    """How many trailing parts two paths share."""
    count = 0
    for one, other in zip(reversed(left), reversed(right), strict=False):
        if one != other and not (fold_case and one.casefold() == other.casefold()):
            break
        count += 1
    return count


def strip_prefix(path: str, prefix: str) -> tuple[str, ...] | None:
    """The parts of `path` after `prefix`, None when it does not start with it. The match is on
    whole parts; letter case is ignored where either is a Windows path."""
    fold = is_windows_path(path) or is_windows_path(prefix)
    parts, start = components(path), components(prefix)
    if len(start) > len(parts) or _rooted(path) != _rooted(prefix):
        return None
    for one, other in zip(parts, start, strict=False):
        if one != other and not (fold and one.casefold() == other.casefold()):
            return None
    if _drive(path) != _drive(prefix):
        return None
    return parts[len(start) :]


def _rooted(path: str) -> bool:
    return path.startswith(("/", "\\")) or bool(_DRIVE.match(path)) or bool(_drive(path))


def _drive(path: str) -> str:
    match = re.match(r"^(?:[\\/]{2}[?.][\\/])?([A-Za-z]):", path)
    return match.group(1).upper() if match else ""
