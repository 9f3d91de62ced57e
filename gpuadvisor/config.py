"""A project's own settings: `gpuadvisor.toml`, or `[tool.gpuadvisor]` in `pyproject.toml`.

    select = ["GA1", "memory"]            # only these rules
    ignore = ["narrow-global-access"]     # none of these
    rules = ["tools/gpu-rules"]           # folders with more rules
    source-dirs = ["src"]
    [path-mappings]                       # folder as a report names it = folder here
    "/build/project" = "."
    [thresholds]
    uncoalesced-global-access.excess = 2.0

`max-warnings` and `min-gain` say how many findings a kernel stay warnings and what share of its
time each must be worth. The nearest file at or above the working folder counts; paths in it are
relative to its folder.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from gpuadvisor.evidence import UnreadableInput

OWN_FILE = "gpuadvisor.toml"
SHARED_FILE = "pyproject.toml"
KEYS = (
    "select",
    "ignore",
    "rules",
    "source-dirs",
    "path-mappings",
    "thresholds",
    "max-warnings",
    "min-gain",
)


@dataclass(frozen=True)
class Config:
    """The settings of a file; `path` is empty where there is none. Folders are absolute."""

    path: str = ""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    source_dirs: tuple[str, ...] = ()
    path_mappings: tuple[tuple[str, str], ...] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    max_warnings: int | None = None
    min_gain: float | None = None


def find_config(start: Path) -> Config:
    """The settings in force in a folder. UnreadableInput for a file that cannot be used."""
    for folder in (start, *start.parents):
        if (folder / OWN_FILE).is_file():
            return _config(folder / OWN_FILE, _load(folder / OWN_FILE, _read(folder / OWN_FILE)))
        shared = folder / SHARED_FILE
        if shared.is_file():
            text = _read(shared)
            # Most have no such table: no need to parse those, nor to complain about them.
            if "tool.gpuadvisor" in text:
                table = _load(shared, text).get("tool", {}).get("gpuadvisor")
                if table is not None:
                    return _config(shared, table)
    return Config()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UnreadableInput(str(path), f"cannot read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UnreadableInput(str(path), "not UTF-8 text", "save it as UTF-8") from None


def _load(path: Path, text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableInput(str(path), f"not TOML: {error}") from None


def _config(path: Path, table: Any) -> Config:
    if not isinstance(table, dict):
        raise UnreadableInput(str(path), "tool.gpuadvisor must be a table")
    for key in table:
        if key not in KEYS:
            near = get_close_matches(key, KEYS, 1)
            hint = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(KEYS)}"
            raise UnreadableInput(str(path), f"unknown key {key!r}", hint)
    return Config(
        path=str(path),
        select=_texts(path, table, "select"),
        ignore=_texts(path, table, "ignore"),
        rules=_folders(path, table, "rules"),
        source_dirs=_folders(path, table, "source-dirs"),
        path_mappings=_mappings(path, table.get("path-mappings", {})),
        thresholds=dict(_numbers(path, table.get("thresholds", {}), "thresholds")),
        max_warnings=_whole(path, table, "max-warnings"),
        min_gain=_share(path, table, "min-gain"),
    )


def _texts(path: Path, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UnreadableInput(str(path), f"{key} must be a list of strings")
    return tuple(value)


def _folders(path: Path, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    folders = tuple(str(path.parent / item) for item in _texts(path, table, key))
    for folder in folders:
        if not Path(folder).is_dir():
            raise UnreadableInput(str(path), f"{key}: no such folder: {folder}")
    return folders


def _whole(path: Path, table: Mapping[str, Any], key: str) -> int | None:
    value = table.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise UnreadableInput(str(path), f"{key} must be a whole number, 0 or more")


def _share(path: Path, table: Mapping[str, Any], key: str) -> float | None:
    value = table.get(key)
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise UnreadableInput(str(path), f"{key} must be a share between 0 and 1")


def _mappings(path: Path, value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise UnreadableInput(
            str(path), "path-mappings must be a table of strings", 'write "/there" = "here"'
        )
    return tuple((before, str(path.parent / after)) for before, after in value.items())


def _numbers(path: Path, value: Any, key: str) -> list[tuple[str, float]]:
    """`rule.name` and value of each threshold, whether its dot is quoted or nests a table."""
    if isinstance(value, dict):
        pairs: list[tuple[str, float]] = []
        for name, item in value.items():
            pairs += _numbers(path, item, name if key == "thresholds" else f"{key}.{name}")
        return pairs
    if isinstance(value, bool) or not isinstance(value, (int, float)) or key == "thresholds":
        raise UnreadableInput(
            str(path), f"threshold {key} must be a number", "write rule-name.threshold = 2.0"
        )
    return [(key, float(value))]
