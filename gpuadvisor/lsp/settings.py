"""The settings of the editor: read from whatever shape a client sends, checked by the one schema.

A value of the wrong type keeps its default and yields one message that names the setting, what
was given and what is expected.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

PREFIX = "gpuadvisor."
SCHEMA = Path(__file__).with_name("settings.schema.json")

_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "array": (list, tuple),
    "object": Mapping,
    "number": (int, float),
}
_NOUNS = {
    "string": "text",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "number": "a number",
}


@dataclass(frozen=True)
class Settings:
    """What the editor asked for. Paths may still hold `~` and `${workspaceFolder}`."""

    reports: tuple[str, ...] = ()
    discover_reports: bool = True
    path_mappings: tuple[tuple[str, str], ...] = ()
    source_dirs: tuple[str, ...] = ()
    rule_directories: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    heat_enabled: bool = True
    heat_scope: str = "kernel"
    show_profile_data: bool = True
    code_lens: bool = True
    inlay_hints: bool = False

    def analysis_key(self) -> tuple[object, ...]:
        """What of the settings changes the result of an analysis."""
        return (
            self.path_mappings,
            self.source_dirs,
            self.rule_directories,
            self.select,
            self.ignore,
            tuple(sorted(self.thresholds.items())),
        )


@lru_cache(maxsize=1)
def schema() -> Mapping[str, Any]:
    """The properties of the schema by full name."""
    properties: Mapping[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))["properties"]
    return properties


def read_settings(raw: object) -> tuple[Settings, tuple[str, ...]]:
    """Settings from a client's object (nested or with dotted names, with or without the
    `gpuadvisor` level) and one message for each value that cannot be used."""
    values: dict[str, Any] = {name: entry["default"] for name, entry in schema().items()}
    problems: list[str] = []
    raw = _unwrapped(raw)
    if raw is not None and not isinstance(raw, Mapping):
        problems.append(f"The settings of gpuadvisor must be an object, not {_shown(raw)}.")
    elif raw is not None:
        for name, value in _flat(PREFIX, raw):
            entry = schema().get(name)
            if entry is None or value is None:
                continue
            wrong = _mismatch(value, entry)
            if wrong:
                problems.append(
                    f"Setting {name} {wrong}; using the default {json.dumps(entry['default'])}."
                )
            else:
                values[name] = value
    return _settings(values), tuple(problems)


def _settings(values: Mapping[str, Any]) -> Settings:
    def get(name: str) -> Any:
        return values[PREFIX + name]

    return Settings(
        reports=tuple(get("reports")),
        discover_reports=get("discoverReports"),
        path_mappings=tuple(get("pathMappings").items()),
        source_dirs=tuple(get("sourceDirs")),
        rule_directories=tuple(get("rules.directories")),
        select=tuple(get("select")),
        ignore=tuple(get("ignore")),
        thresholds={key: float(value) for key, value in get("thresholds").items()},
        heat_enabled=get("heat.enabled"),
        heat_scope=get("heat.scope"),
        show_profile_data=get("profileData.show"),
        code_lens=get("codeLens.enabled"),
        inlay_hints=get("inlayHints.enabled"),
    )


def _unwrapped(raw: object) -> object:
    """What lies under the levels that clients put around settings."""
    for wrapper in ("settings", "gpuadvisor"):
        if isinstance(raw, Mapping) and raw.get(wrapper) is not None:
            raw = raw[wrapper]
    return raw


def _flat(prefix: str, raw: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    """(full name, value) of all settings in an object whose names begin with `prefix`."""
    known = schema()
    for key, value in raw.items():
        name = str(key) if str(key).startswith(PREFIX) else f"{prefix}{key}"
        group = [other for other in known if other.startswith(name + ".")]
        if name in known or not group:
            yield name, value
        elif isinstance(value, Mapping):
            yield from _flat(name + ".", value)
        elif value is not None:
            yield group[0], _WrongGroup(value, name)


@dataclass(frozen=True)
class _WrongGroup:
    """A value where a group of settings was expected, such as `"heat": true`."""

    value: object
    name: str


def _mismatch(value: object, entry: Mapping[str, Any]) -> str:
    """What is wrong with a value, empty when nothing is."""
    if isinstance(value, _WrongGroup):
        return f"is part of {value.name}, which must be an object, not {_shown(value.value)}"
    kind = entry["type"]
    if not isinstance(value, _KINDS[kind]) or (kind == "number" and isinstance(value, bool)):
        return f"must be {_NOUNS[kind]}, not {_shown(value)}"
    if "enum" in entry and value not in entry["enum"]:
        allowed = " or ".join(json.dumps(choice) for choice in entry["enum"])
        return f"must be {allowed}, not {_shown(value)}"
    items = entry.get("items") or entry.get("additionalProperties")
    if isinstance(items, Mapping):
        parts: Iterable[tuple[object, object]] = ()
        if isinstance(value, Mapping):
            parts = value.items()
        elif isinstance(value, (list, tuple)):
            parts = enumerate(value, 1)
        for key, part in parts:
            wrong = _mismatch(part, items)
            if wrong:
                return f"has an entry {key} that {wrong}"
    return ""


def _shown(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def expand_path(path: str, folders: Sequence[str]) -> str:
    """An absolute path from a setting: `${workspaceFolder}` (the first folder that exists),
    `~`, and relative paths from the first folder."""
    base = folders[0] if folders else os.getcwd()
    for index, folder in enumerate(folders):
        path = path.replace("${workspaceFolder:" + os.path.basename(folder) + "}", folder)
        if index == 0:
            path = path.replace("${workspaceFolder}", folder)
    return os.path.normpath(os.path.join(base, os.path.expanduser(path)))
