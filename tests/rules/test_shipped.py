"""The shipped rules: valid, checked by themselves, and consistent with one another."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import jsonschema
import pytest

from gpuadvisor.estimates import MODELS
from gpuadvisor.rules import Rule, load_rules, rules_dir
from gpuadvisor.rules.outline import outline
from gpuadvisor.rules.selftest import run_tests
from gpuadvisor.rules.validate import check_document
from gpuadvisor.rules.yamlfile import load_yaml

FILES = sorted(rules_dir().glob("*/*.yaml"))


@lru_cache(maxsize=1)
def rules() -> tuple[Rule, ...]:
    ruleset = load_rules()
    return (*ruleset.rules, *ruleset.inactive)


def test_there_are_rules() -> None:
    assert len(FILES) == len(rules()) >= 20


def test_the_schema_is_a_schema() -> None:
    schema = json.loads((rules_dir() / "rule.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_valid_and_its_checks_hold(path: Path) -> None:
    rule = check_document(load_yaml(path), models=MODELS)
    assert path.parent.name == rule.family
    failures = [item for item in run_tests(rule, MODELS) if item.failure]
    assert failures == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_has_a_check_that_fires_and_one_that_does_not(path: Path) -> None:
    tests = load_yaml(path).data.get("tests", [])
    assert any(test.get("fires") for test in tests)
    assert any(not test.get("fires") for test in tests)


def test_codes_and_names_are_unique() -> None:
    assert len({rule.code for rule in rules()}) == len(rules())
    assert len({rule.name for rule in rules()}) == len(rules())


def test_titles_have_an_outline() -> None:
    for rule in rules():
        text = outline(rule.title, rule)
        assert text
        assert "{" not in text
