"""What stall reasons and terms mean, from `rules/glossary.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Entry:
    """One word: its name for people, a sentence on what it is, a sentence on what to do."""

    title: str
    meaning: str
    advice: str


@dataclass(frozen=True)
class Glossary:
    """The entries by kind and key."""

    stalls: Mapping[str, Entry]
    terms: Mapping[str, Entry]
    verdicts: Mapping[str, Entry]

    def stall(self, reason: str) -> Entry:
        """A stall reason; one that is not known explains itself by its name alone."""
        return self.stalls.get(reason) or Entry(reason.replace("_", " "), "", "")


@lru_cache(maxsize=1)
def glossary() -> Glossary:
    """The glossary that ships with the rules."""
    import yaml

    from gpuadvisor.rules.paths import rules_dir

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = (rules_dir() / "glossary.yaml").read_text(encoding="utf-8")
    data = yaml.load(text, Loader=loader)
    kinds = {
        kind: {key: Entry(**entry) for key, entry in data[kind].items()}
        for kind in ("stalls", "terms", "verdicts")
    }
    return Glossary(**kinds)
