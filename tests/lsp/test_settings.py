"""Settings from whatever shape a client sends."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from gpuadvisor.lsp.settings import SCHEMA, Settings, expand_path, read_settings, schema


def test_the_defaults_of_the_schema_are_those_of_the_class() -> None:
    assert read_settings(None) == (Settings(), ())
    assert read_settings({}) == (Settings(), ())


def test_every_default_fits_its_own_type() -> None:
    defaults = {name: entry["default"] for name, entry in schema().items()}
    assert read_settings(defaults) == (Settings(), ())


def test_the_schema_is_a_schema() -> None:
    from jsonschema import Draft202012Validator

    content = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(content)
    assert all(entry.get("markdownDescription") for entry in content["properties"].values())


@pytest.mark.parametrize(
    "raw",
    [
        {"heat": {"scope": "file"}},
        {"gpuadvisor": {"heat": {"scope": "file"}}},
        {"settings": {"heat": {"scope": "file"}}},
        {"settings": {"gpuadvisor": {"heat.scope": "file"}}},
        {"gpuadvisor.heat.scope": "file"},
        {"heat.scope": "file", "unknown": {"a": 1}, "heat": None},
    ],
)
def test_shapes(raw: object) -> None:
    settings, problems = read_settings(raw)
    assert settings.heat_scope == "file"
    assert problems == ()


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (5, "The settings of gpuadvisor must be an object, not 5."),
        ({"gpuadvisor": "x"}, 'The settings of gpuadvisor must be an object, not "x".'),
        (
            {"reports": "a"},
            'Setting gpuadvisor.reports must be a list, not "a"; using the default [].',
        ),
        (
            {"reports": ["a", 1]},
            "Setting gpuadvisor.reports has an entry 2 that must be text, not 1; "
            "using the default [].",
        ),
        (
            {"thresholds": {"a.b": True}},
            "Setting gpuadvisor.thresholds has an entry a.b that must be a number, not true; "
            "using the default {}.",
        ),
        (
            {"heat": 3},
            "Setting gpuadvisor.heat.enabled is part of gpuadvisor.heat, which must be an "
            "object, not 3; using the default true.",
        ),
        (
            {"codeLens": {"enabled": 1}},
            "Setting gpuadvisor.codeLens.enabled must be true or false, not 1; "
            "using the default true.",
        ),
    ],
)
def test_a_wrong_value_is_named_and_its_default_kept(raw: object, problem: str) -> None:
    settings, problems = read_settings(raw)
    assert problems == (problem,)
    assert settings == Settings()


def test_a_wrong_value_does_not_spoil_others() -> None:
    raw: dict[str, Any] = {"reports": 1, "select": ["GA1"], "thresholds": {"r.t": 2}}
    settings, problems = read_settings(raw)
    assert len(problems) == 1
    assert settings.select == ("GA1",)
    assert settings.thresholds == {"r.t": 2.0}


def test_a_long_value_is_cut_in_the_message() -> None:
    _, (problem,) = read_settings({"reports": "x" * 1000})
    assert len(problem) < 200


def test_paths() -> None:
    folders = ["/home/me/one", "/home/me/two"]
    assert expand_path("a.ncu-rep", folders) == "/home/me/one/a.ncu-rep"
    assert expand_path("${workspaceFolder}/../b", folders) == "/home/me/b"
    assert expand_path("${workspaceFolder:two}/c", folders) == "/home/me/two/c"
    assert expand_path("/abs", folders) == "/abs"
    assert expand_path("~/x", folders) == os.path.join(os.path.expanduser("~"), "x")
    assert expand_path("x", []) == os.path.join(os.getcwd(), "x")
