"""Rule files from folders to the set of rules that a run applies."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from gpuadvisor.rules.build import build_rule
from gpuadvisor.rules.errors import RuleError
from gpuadvisor.rules.model import Rule
from gpuadvisor.rules.paths import rules_dir
from gpuadvisor.rules.yamlfile import Document, key_path, load_yaml

MAX_FILES = 1000


@dataclass(frozen=True)
class RuleSet:
    """The rules of a run, in order of their code.

    `inactive` are those that the selection leaves out. `digest` changes with anything that may
    change a finding: a rule's text, a threshold, the selection. `notices` are to be told to the
    user, such as a pack's rule that replaces a shipped one.
    """

    rules: tuple[Rule, ...]
    inactive: tuple[Rule, ...]
    digest: str
    notices: tuple[str, ...] = ()

    def find(self, token: str) -> Rule | None:
        """The rule of that name or code, active or not."""
        wanted = token.strip()
        for rule in (*self.rules, *self.inactive):
            if wanted == rule.name or wanted.upper() == rule.code:
                return rule
        return None


def load_rules(
    packs: Sequence[Path | str] = (),
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    thresholds: Mapping[str, float] | None = None,
    shipped: Path | None = None,
) -> RuleSet:
    """Reads the shipped rules and those of `packs`, and applies selection and thresholds.

    select, ignore: names, codes, beginnings of codes ("GA1") or families; an empty `select` is
        every stable rule. Preview and deprecated rules need their name or full code in `select`.
    thresholds: values by "rule.threshold", where a code may stand for the rule's name.
    shipped: another folder in the place of the shipped rules.

    RuleError for a file, a selection or a threshold that cannot be used.
    """
    entries = dict(_shipped(shipped or rules_dir()))
    notices: list[str] = []
    for pack in packs:
        for rule, digest in _pack(Path(pack)):
            _add(entries, rule, digest, notices)
    rules = sorted((rule for rule, _ in entries.values()), key=lambda rule: rule.code)
    rules = _override(rules, thresholds or {})
    active = _select(rules, select, ignore)
    names = {rule.name for rule in active}
    inactive = tuple(rule for rule in rules if rule.name not in names)
    texts = {rule.name: digest for rule, digest in entries.values()}
    return RuleSet(active, inactive, _digest(active, texts), tuple(notices))


def rule_files(folder: Path) -> list[Path]:
    """The rule files of a folder and of the folders in it, sorted."""
    if not folder.is_dir():
        raise RuleError("not a folder of rules", path=str(folder))
    found = [
        path
        for pattern in ("*.yaml", "*.yml", "*/*.yaml", "*/*.yml")
        for path in folder.glob(pattern)
        # a pipe or device would block or never end
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    if len(found) > MAX_FILES:
        raise RuleError(f"more than {MAX_FILES} YAML files", path=str(folder))
    return sorted(found)


def read_rule(path: Path) -> tuple[Document, Rule]:
    """One file of a pack, checked in full."""
    from gpuadvisor.rules.validate import check_document

    document = load_yaml(path)
    return document, check_document(document)


def rule_error(rule: Rule, keys: Sequence[str | int], reason: str) -> RuleError:
    """An error of a loaded rule at one of its keys; the file is read again for the position."""
    try:
        return load_yaml(Path(rule.path)).error(keys, reason)
    except RuleError:
        return RuleError(reason, path=rule.path or rule.name, key=key_path(keys))


def _shipped(folder: Path) -> Iterator[tuple[str, tuple[Rule, str]]]:
    for path in sorted(folder.glob("*/*.yaml")):
        stat = path.stat()
        rule, digest = _shipped_rule(path, stat.st_mtime_ns, stat.st_size)
        yield rule.name, (rule, digest)


@lru_cache(maxsize=512)
def _shipped_rule(path: Path, modified_ns: int, size: int) -> tuple[Rule, str]:
    """Kept for the process: the server loads the rules again whenever a setting changes."""
    document = load_yaml(path)
    try:
        rule = build_rule(document.data, str(path))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        # the shipped rules are checked by the project's tests, so say no more than where
        raise RuleError(f"does not fit the schema ({error!r})", path=str(path)) from None
    return rule, _text_digest(path)


def _pack(folder: Path) -> Iterator[tuple[Rule, str]]:
    files = rule_files(folder)
    if not files:
        raise RuleError("no rule files (*.yaml) in this folder", path=str(folder))
    for path in files:
        _, rule = read_rule(path)
        yield rule, _text_digest(path)


def _text_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _add(entries: dict[str, tuple[Rule, str]], rule: Rule, digest: str, notices: list[str]) -> None:
    if rule.overrides:
        if rule.overrides not in entries:
            reason = f"there is no rule {rule.overrides!r} to override"
            raise RuleError(reason, path=rule.path, key="overrides")
        replaced = entries.pop(rule.overrides)[0]
        notices.append(f"{rule.path}: {rule.name} replaces the rule {replaced.name}")
    for other, _ in entries.values():
        if other.name == rule.name or other.code == rule.code:
            what = "name" if other.name == rule.name else "code"
            reason = (
                f"the {what} is taken by {other.path}; "
                f"write `overrides: {other.name}` to replace that rule"
            )
            raise RuleError(reason, path=rule.path, key=what)
    entries[rule.name] = (rule, digest)


def _override(rules: Sequence[Rule], values: Mapping[str, float]) -> list[Rule]:
    """The rules with thresholds replaced; RuleError for one that is not there."""
    changed = {rule.name: dict(rule.thresholds) for rule in rules}
    by_code = {rule.code: rule.name for rule in rules}
    for key, value in values.items():
        token, _, name = key.rpartition(".")
        rule = by_code.get(token.upper(), token)
        if rule not in changed:
            hint = _closest(token, [*changed, *by_code])
            raise RuleError(f"there is no rule {token!r} (threshold {key!r}){hint}")
        if name not in changed[rule]:
            known = ", ".join(changed[rule]) or "none"
            raise RuleError(f"the rule {rule!r} has no threshold {name!r}; it has {known}")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise RuleError(f"threshold {key!r}: {value!r} is not a number")
        if not abs(value) <= 1e18:
            raise RuleError(f"threshold {key!r}: {value!r} is out of range")
        changed[rule][name] = replace(changed[rule][name], value=float(value))
    return [replace(rule, thresholds=changed[rule.name]) for rule in rules]


def _select(
    rules: Sequence[Rule], select: Sequence[str], ignore: Sequence[str]
) -> tuple[Rule, ...]:
    for token in (*select, *ignore):
        if not any(_matches(rule, token) for rule in rules):
            pool = [name for rule in rules for name in (rule.name, rule.code, rule.family)]
            hint = _closest(token, pool)
            raise RuleError(f"{token!r} is no rule, code, beginning of a code or family{hint}")
    return tuple(
        rule
        for rule in rules
        if _selected(rule, select) and not any(_matches(rule, token) for token in ignore)
    )


def _selected(rule: Rule, select: Sequence[str]) -> bool:
    if any(token == rule.name or token.upper() == rule.code for token in select):
        return True
    if rule.status != "stable":
        return False
    return not select or any(_matches(rule, token) for token in select)


def _matches(rule: Rule, token: str) -> bool:
    if token in (rule.name, rule.family):
        return True
    # a beginning of a code has its letters in full, so that "G" selects nothing by accident
    letters = rule.code.rstrip("0123456789")
    return token.upper().startswith(letters) and rule.code.startswith(token.upper())


def _closest(token: str, pool: Sequence[str]) -> str:
    close = get_close_matches(token, pool, 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _digest(rules: Sequence[Rule], texts: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    for rule in rules:
        values = ",".join(f"{name}={item.value!r}" for name, item in rule.thresholds.items())
        digest.update(f"{rule.code} {rule.name} {texts[rule.name]} {values}\n".encode())
    return digest.hexdigest()
