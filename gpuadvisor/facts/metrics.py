"""The metric catalogue `rules/metrics.yaml`: canonical names over the report's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from gpuadvisor.evidence import Scalar


@dataclass(frozen=True)
class Metric:
    """One canonical metric. `names` are alternatives, each a tuple of report names joined by
    `how` ("one", "sum": all present, "max": any present)."""

    name: str
    unit: str
    kind: str
    section: str
    about: str
    names: tuple[tuple[str, tuple[str, ...]], ...]

    def read(self, metrics: Mapping[str, Scalar]) -> float | None:
        """The value in a launch's metrics, None when no alternative is there."""
        for how, names in self.names:
            values = [value for name in names if (value := number(metrics.get(name))) is not None]
            if how == "max":
                if values:
                    return max(values)
            elif len(values) == len(names):
                return sum(values)
        return None


@dataclass(frozen=True)
class Catalogue:
    """All canonical metrics, by scope. `stalls` maps a stall reason to its report suffixes."""

    kernel: Mapping[str, Metric]
    instruction: Mapping[str, Metric]
    stalls: Mapping[str, tuple[str, ...]]
    stall_prefixes: tuple[str, ...]
    stall_ratio: str

    def stall_names(self, reason: str) -> list[str]:
        """The report names under which the samples of a stall reason may stand."""
        return [p + s for p in self.stall_prefixes for s in self.stalls[reason]]

    def sections(self, names: Iterable[str]) -> list[str]:
        """The sections that collect these canonical metrics, in catalogue order."""
        wanted = set(names)
        found: dict[str, None] = {}
        for metric in (*self.kernel.values(), *self.instruction.values()):
            if metric.name in wanted:
                found[metric.section] = None
        return list(found)


def number(value: Scalar | None) -> float | None:
    """A finite-or-not number of a scalar metric; None for text and for what is absent."""
    return float(value) if isinstance(value, (int, float)) else None


def _metric(name: str, entry: Mapping[str, Any]) -> Metric:
    names: list[tuple[str, tuple[str, ...]]] = []
    for item in entry["names"]:
        if isinstance(item, str):
            names.append(("one", (item,)))
        else:
            ((how, parts),) = item.items()
            names.append((how, tuple(parts)))
    return Metric(
        name, entry["unit"], entry["kind"], entry["section"], entry["about"], tuple(names)
    )


@lru_cache(maxsize=2)
def load_catalogue(path: Path) -> Catalogue:
    """Read the catalogue; it ships with the package, so an error in it is a bug and raises."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
    stalls = data["stalls"]
    return Catalogue(
        {name: _metric(name, entry) for name, entry in data["kernel"].items()},
        {name: _metric(name, entry) for name, entry in data["instruction"].items()},
        {reason: tuple(suffixes) for reason, suffixes in stalls["reasons"].items()},
        tuple(stalls["prefixes"]),
        stalls["ratio"],
    )
