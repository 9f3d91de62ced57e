"""Checks a rule file in full: its schema, its expressions, its texts, its names.

The shipped rules are checked by the project's tests, not on each start; packs always are.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from gpuadvisor.rules.build import build_rule, expression, static_data
from gpuadvisor.rules.errors import RuleError
from gpuadvisor.rules.expressions import (
    FUNCTIONS,
    GROUP_FUNCTIONS,
    LINE_FUNCTIONS,
    Expression,
    ExpressionError,
    parse_expression,
)
from gpuadvisor.rules.model import Rule
from gpuadvisor.rules.paths import rules_dir
from gpuadvisor.rules.templates import parse_template
from gpuadvisor.rules.yamlfile import Document

Keys = tuple[str | int, ...]


@lru_cache(maxsize=1)
def _validator() -> Any:
    import jsonschema

    schema = json.loads((rules_dir() / "rule.schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def check_document(
    document: Document,
    *,
    columns: Mapping[str, Collection[str]] | None = None,
    models: Collection[str] | None = None,
    locators: Collection[str] | None = None,
) -> Rule:
    """The rule of a document, or the first RuleError (see `Document.error`) in it.

    `columns` holds the columns of each table that this version makes, by scope; names of
    expressions are held against them where they are given. `models` and `locators` likewise.
    """
    _check_schema(document)
    data = document.data
    stem = Path(document.path).stem
    if stem != data["name"]:
        raise document.error(("name",), f"the file is called {stem!r}, the rule {data['name']!r}")
    _check_texts(document, columns)
    _check_references(document, models, locators)
    if "static" in data:
        _check_static(document, columns, models)
    return build_rule(data, document.path)


class _Block:
    """A block of a document that reads like a document of its own; errors stand in the whole."""

    def __init__(self, document: Document, key: str, data: Mapping[str, Any]) -> None:
        self.path, self.data = document.path, data
        self._document, self._key = document, key

    def error(self, keys: Keys, reason: str) -> RuleError:
        own = self._document.data[self._key]
        inside = keys[1:] if keys[:1] == ("explain",) else keys
        return self._document.error(
            (self._key, *inside) if inside and inside[0] in own else keys, reason
        )


def _check_static(
    document: Document,
    columns: Mapping[str, Collection[str]] | None,
    models: Collection[str] | None,
) -> None:
    """What a rule says of sources alone is held against the same demands."""
    data = document.data
    if data["scope"] == "source":
        raise document.error(("static",), "a rule of scope source has no `static`")
    for key, text in (("title", data["title"]), ("fix", data["explain"]["fix"])):
        if "{" in text and key not in data["static"]:
            reason = f"it needs a `{key}` of its own: the rule's names what is measured"
            raise document.error(("static",), reason)
    block = _Block(document, "static", static_data(data))
    _check_texts(block, columns)
    _check_references(block, models, None)


def _check_texts(
    document: Document | _Block, columns: Mapping[str, Collection[str]] | None
) -> None:
    data = document.data
    _check_levels(document, "severity")
    _check_levels(document, "confidence")
    names = _Names(document, columns)
    for keys, text in _expressions(data):
        names.check(keys, _parsed(document, keys, text))
    for keys, text in _templates(data):
        try:
            template = parse_template(text)
        except ExpressionError as error:
            raise document.error(keys, str(error)) from None
        for item in template.expressions:
            names.check(keys, item)


def _check_schema(document: Document) -> None:
    from jsonschema.exceptions import best_match

    # a huge wrong value would otherwise be quoted in full
    error = best_match(_validator().iter_errors(document.data))
    if error is None:
        return
    keys: Keys = tuple(error.absolute_path)
    reason = _shortened(error.message)
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        allowed = error.schema.get("properties", {})
        unknown = next((key for key in error.instance if key not in allowed), "")
        close = get_close_matches(unknown, allowed, 1)
        hint = f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(allowed)}"
        keys, reason = (*keys, unknown), "unknown key" + hint
    elif error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        reason = f"missing: {', '.join(missing)}"
    elif error.validator in ("pattern", "propertyNames"):
        reason = f"{_shortened(repr(error.instance))} is not spelt as this key wants it"
    raise document.error(keys, reason)


def _shortened(text: str) -> str:
    return text if len(text) <= 160 else text[:157] + "..."


def _parsed(document: Document | _Block, keys: Keys, text: str) -> Expression:
    try:
        return parse_expression(text)
    except ExpressionError as error:
        raise document.error(keys, str(error)) from None


def _check_levels(document: Document | _Block, key: str) -> None:
    levels = document.data[key]
    if isinstance(levels, str):
        return
    for index, level in enumerate(levels):
        last = index == len(levels) - 1
        if last == ("when" in level):
            reason = "the last level has no `when`" if last else "only the last level has no `when`"
            raise document.error((key, index), reason)


class _Names:
    """Which names an expression may read."""

    def __init__(
        self, document: Document | _Block, columns: Mapping[str, Collection[str]] | None
    ) -> None:
        self.document = document
        data = document.data
        self.scope: str = data["scope"]
        self.columns = columns
        self.lets = list(data.get("let", {}))
        self.thresholds = list(data.get("thresholds", {}))
        for key, names in (("let", self.lets), ("thresholds", self.thresholds)):
            for name in names:
                if name in FUNCTIONS:
                    raise document.error((key, name), f"{name!r} is the name of a function")
        for name in self.lets:
            if name in self.thresholds:
                raise document.error(("let", name), f"{name!r} is a threshold too")
        needed = data.get("needs", {}).get("columns", ())
        for index, name in enumerate(needed):
            if not self._is_column(name, within_lines=False):
                reason = f"there is no column {name!r}" + self._suggestion(name)
                raise document.error(("needs", "columns", index), reason)

    def check(self, keys: Keys, item: Expression) -> None:
        """RuleError for a name that is not there yet (`let` is in order) or not at all."""
        later = self.lets[self.lets.index(str(keys[1])) :] if keys[0] == "let" else []
        for name in item.names:
            if name in later:
                raise self.document.error(keys, f"{name!r} is defined at or after this place")
            if name in self.thresholds or (name in self.lets and keys[0] != "applies"):
                continue
            within_lines = bool(item.functions & LINE_FUNCTIONS) or keys[:2] == ("locate", "most")
            within_lines = within_lines or (keys[0] == "let" and self.scope == "kernel")
            if keys[0] == "applies" and name in self.lets:
                raise self.document.error(keys, "`applies` comes before `let`")
            if not self._is_column(name, within_lines=within_lines):
                reason = f"there is no column, threshold or let {name!r}" + self._suggestion(name)
                raise self.document.error(keys, reason)
        grouped = item.functions & GROUP_FUNCTIONS
        if grouped and self.scope == "source":
            functions = ", ".join(sorted(grouped))
            reason = f"{functions}: a row of a source speaks for itself alone"
            raise self.document.error(keys, reason)
        if item.functions & LINE_FUNCTIONS and self.scope != "kernel" and keys[0] != "applies":
            functions = ", ".join(sorted(item.functions & LINE_FUNCTIONS))
            raise self.document.error(keys, f"{functions} needs a rule of scope kernel")

    def _is_column(self, name: str, *, within_lines: bool) -> bool:
        if self.columns is None:
            return True
        own = set(self.columns.get(self.scope, ()))
        if within_lines:
            own |= set(self.columns.get("line", ()))
        kernel = self.columns.get("kernel", ())
        plain = name[len("kernel_") :] if name.startswith("kernel_") else name
        return name in own or name in kernel or plain in kernel

    def _suggestion(self, name: str) -> str:
        if self.columns is None:
            return ""
        pool = [*self.lets, *self.thresholds]
        pool += [*self.columns.get(self.scope, ()), *self.columns.get("kernel", ())]
        close = get_close_matches(name, pool, 1)
        return f"; did you mean {close[0]!r}?" if close else ""


def _check_references(
    document: Document | _Block, models: Collection[str] | None, locators: Collection[str] | None
) -> None:
    data = document.data
    for index, item in enumerate(data.get("evidence", ())):
        if "threshold" in item and item["threshold"] not in data.get("thresholds", {}):
            reason = f"there is no threshold {item['threshold']!r}"
            raise document.error(("evidence", index, "threshold"), reason)
    estimate = data.get("estimate", {})
    if models is not None and "model" in estimate and estimate["model"] not in models:
        reason = f"there is no model {estimate['model']!r}; there are {', '.join(sorted(models))}"
        raise document.error(("estimate", "model"), reason)
    locate = data.get("locate")
    if isinstance(locate, dict) and data["scope"] != "kernel":
        raise document.error(("locate",), "`most` needs a rule of scope kernel")
    built_in = ("line", "none", "hottest")
    if isinstance(locate, str) and locators is not None and locate not in (*built_in, *locators):
        known = ", ".join([*built_in, *sorted(locators)])
        raise document.error(("locate",), f"there is no locator {locate!r}; there are {known}")
    for index, test in enumerate(data.get("tests", ())):
        if ("row" in test) == ("rows" in test):
            raise document.error(("tests", index), "a test has either `row` or `rows`")
        for name in test.get("thresholds", {}):
            if name not in data.get("thresholds", {}):
                raise document.error(("tests", index), f"there is no threshold {name!r}")


def _expressions(data: Mapping[str, Any]) -> Iterator[tuple[Keys, str]]:
    for name, text in data.get("let", {}).items():
        yield ("let", name), expression(text)
    if "applies" in data:
        yield ("applies",), expression(data["applies"])
    when = data["when"]
    if isinstance(when, list):
        for index, text in enumerate(when):
            yield ("when", index), expression(text)
    else:
        yield ("when",), expression(when)
    if "weight" in data:
        yield ("weight",), expression(data["weight"])
    if "refuted" in data:
        yield ("refuted",), expression(data["refuted"])
    locate = data.get("locate")
    if isinstance(locate, dict):
        yield ("locate", "most"), expression(locate["most"])
    estimate = data.get("estimate", {})
    for name, text in estimate.get("inputs", {}).items():
        yield ("estimate", "inputs", name), expression(text)
    for index, text in enumerate(estimate.get("speedup", ())):
        yield ("estimate", "speedup", index), expression(text)
    for index, item in enumerate(data.get("evidence", ())):
        yield ("evidence", index, "value"), expression(item["value"])
    lists: Sequence[str] = ("severity", "confidence", "folds", "fixes")
    for key in lists:
        entries = data.get(key, ())
        for index, item in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(item, dict) and "when" in item:
                yield (key, index, "when"), expression(item["when"])


def _templates(data: Mapping[str, Any]) -> Iterator[tuple[Keys, str]]:
    yield ("title",), data["title"]
    yield ("message",), data["message"]
    yield ("explain", "why"), data["explain"]["why"]
    yield ("explain", "fix"), data["explain"]["fix"]
    if "basis" in data.get("estimate", {}):
        yield ("estimate", "basis"), data["estimate"]["basis"]
    for index, item in enumerate(data.get("fixes", ())):
        yield ("fixes", index, "title"), item["title"]
