"""A rule to build on, and folders of rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuadvisor.rules import Rule
from gpuadvisor.rules.build import build_rule

BASE: dict[str, Any] = {
    "code": "XX001",
    "name": "hot-thing",
    "status": "stable",
    "since": "1.0",
    "title": "A hot thing",
    "family": "memory",
    "scope": "line",
    "when": "samples > 0",
    "severity": "warning",
    "confidence": "high",
    "message": "{samples} samples",
    "explain": {"what": "What.", "why": "Why.", "fix": "Fix.", "wrong_when": "Never."},
}


@pytest.fixture
def make_rule() -> Callable[..., Rule]:
    """A rule from the base with keys changed."""

    def make(**changes: Any) -> Rule:
        return build_rule({**BASE, **changes}, f"{changes.get('name', BASE['name'])}.yaml")

    return make


@pytest.fixture
def write_rule(tmp_path: Path) -> Callable[..., Path]:
    """A rule file in the folder `pack/memory`; keys changed to None are left out."""

    def write(**changes: Any) -> Path:
        data = {key: value for key, value in {**BASE, **changes}.items() if value is not None}
        path = tmp_path / "pack" / "memory" / f"{data.get('name', 'hot-thing')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
        return path

    return write
