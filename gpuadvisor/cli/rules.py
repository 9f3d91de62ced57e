"""`gpuadvisor rules`: list, explain, check, test and begin rules."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuadvisor.cli.run import FINDINGS, OK, USAGE, UsageError, complain

if TYPE_CHECKING:
    from gpuadvisor.render.layout import Line
    from gpuadvisor.render.text import TextOptions
    from gpuadvisor.rules import Rule, RuleSet

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")


def configure(parser: argparse.ArgumentParser) -> None:
    """One sub-verb each for what can be done with rules."""
    verbs = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    make = verbs.add_parser("list", help="all rules, by code", allow_abbrev=False)
    _pack_argument(make)
    for flag, text in (("--select", "only these rules (GA1,memory)"), ("--ignore", "not these")):
        make.add_argument(flag, action="append", default=[], metavar="RULES", help=text)
    _format_argument(make, "markdown")
    make = verbs.add_parser("show", help="what a rule says, needs and means", allow_abbrev=False)
    make.add_argument("rule", metavar="NAME|CODE")
    _pack_argument(make)
    _format_argument(make)
    make = verbs.add_parser("validate", help="check rule files in full", allow_abbrev=False)
    make.add_argument(
        "paths", nargs="*", metavar="DIR|FILE", help="folders or files (default: the shipped rules)"
    )
    make = verbs.add_parser("test", help="run the checks that rules carry", allow_abbrev=False)
    make.add_argument(
        "paths",
        nargs="*",
        metavar="DIR|FILE|NAME",
        help="folders, files or names of rules (default: the shipped rules)",
    )
    _pack_argument(make)
    make = verbs.add_parser("new", help="write a first version of a rule", allow_abbrev=False)
    make.add_argument("name", help="what the rule finds, as in uncoalesced-global-access")
    make.add_argument("--family", required=True, help="the folder it belongs to, as in memory")
    make.add_argument("--code", help="its code, as in MY001 (default: the next free MYnnn)")
    make.add_argument(
        "--dir", default="rules", metavar="DIR", help="where the families are (default: ./rules)"
    )


def run(args: argparse.Namespace) -> int:
    """The sub-verb's exit code: 1 when a check of `test` fails, 2 for what cannot be used."""
    actions = {"list": _list, "show": _show, "validate": _validate, "test": _test, "new": _new}
    return actions[args.action](args)


def _pack_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rules", action="append", default=[], metavar="DIR", help="a folder with more rules"
    )


def _format_argument(parser: argparse.ArgumentParser, *more: str) -> None:
    parser.add_argument("--format", choices=("text", "json", *more), default="text")


def _load(args: argparse.Namespace) -> RuleSet:
    """The shipped rules, those of the project's settings and of --rules, with its thresholds."""
    from gpuadvisor.config import find_config
    from gpuadvisor.rules import load_rules

    config = find_config(Path.cwd())
    ruleset = load_rules(
        [*config.rules, *args.rules],
        thresholds=config.thresholds,
        select=_tokens(getattr(args, "select", [])),
        ignore=_tokens(getattr(args, "ignore", [])),
    )
    for notice in ruleset.notices:
        complain(notice)
    return ruleset


def _tokens(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(item.strip() for value in values for item in value.split(",") if item.strip())


def _list(args: argparse.Namespace) -> int:
    ruleset = _load(args)
    if args.format == "json":
        _write_json([_summary(rule) for rule in ruleset.rules])
    elif args.format == "markdown":
        from gpuadvisor.cli.output import write_file
        from gpuadvisor.render.rule_pages import rules_page
        from gpuadvisor.rules import rules_dir

        write_file(None, rules_page(ruleset.rules, rules_dir()))
    else:
        _print(lambda shape: _table_lines(ruleset.rules, shape))
    return OK


def _summary(rule: Rule) -> dict[str, Any]:
    from gpuadvisor.rules.outline import outline

    return {
        "code": rule.code,
        "name": rule.name,
        "family": rule.family,
        "scope": rule.scope,
        "status": rule.status,
        "since": rule.since,
        "severity": [level.level for level in rule.severity],
        "title": outline(rule.title, rule),
        "tags": list(rule.tags),
        "fixes": [{"id": fix.id, "applicability": fix.applicability} for fix in rule.fixes],
    }


def _table_lines(rules: Sequence[Rule], shape: TextOptions) -> Iterator[Line]:
    from gpuadvisor.render.layout import fit, line
    from gpuadvisor.rules.outline import outline

    name_width = max((len(rule.name) for rule in rules), default=0)
    family = ""
    for rule in sorted(rules, key=lambda rule: (rule.code[:-2], rule.family, rule.code)):
        if rule.family != family:
            if family:
                yield ()
            family = rule.family
            yield line((family, "title"))
        mark = "" if rule.status == "stable" else f"  ({rule.status})"
        head = f"  {rule.code}  {rule.name:{name_width}}  "
        title = fit(outline(rule.title, rule) + mark, max(20, shape.width - len(head)))
        yield line("  ", (rule.code, "label"), head[len(rule.code) + 2 :], title)


def _show(args: argparse.Namespace) -> int:
    from difflib import get_close_matches

    ruleset = _load(args)
    rule = ruleset.find(args.rule)
    if rule is None:
        pool = [
            name for item in (*ruleset.rules, *ruleset.inactive) for name in (item.name, item.code)
        ]
        close = get_close_matches(args.rule, pool, 1)
        hint = f"did you mean {close[0]}?" if close else "`gpuadvisor rules list` lists them"
        raise UsageError(f"there is no rule {args.rule!r}", hint)
    if args.format == "json":
        _write_json(_details(rule))
    else:
        from gpuadvisor.cli.rule_page import rule_page

        _print(lambda shape: rule_page(rule, shape.width))
    return OK


def _details(rule: Rule) -> dict[str, Any]:
    from dataclasses import asdict

    from gpuadvisor.rules.outline import outline

    details = asdict(rule)
    for key in ("path", "tests"):
        del details[key]
    return {**details, "title": outline(rule.title, rule)}


def _validate(args: argparse.Namespace) -> int:
    from gpuadvisor.rules.errors import RuleError
    from gpuadvisor.rules.load import read_rule

    failed = 0
    files = _files(args.paths)
    for path in files:
        try:
            read_rule(path)
        except RuleError as error:
            failed += 1
            complain(str(error))
    if not failed:
        failed += _clashes(args.paths)
    if failed:
        return USAGE
    print(f"{_count(files, 'rule')}, all valid")
    return OK


def _clashes(paths: Sequence[str]) -> int:
    """Names and codes that a folder shares with the shipped rules."""
    from gpuadvisor.rules import RuleError, load_rules, rules_dir

    folders = [path for path in map(Path, paths) if path.is_dir()]
    try:
        load_rules([path for path in folders if path.resolve() != rules_dir().resolve()])
    except RuleError as error:
        complain(str(error))
        return 1
    return 0


def _files(paths: Sequence[str]) -> list[Path]:
    from gpuadvisor.rules import rules_dir
    from gpuadvisor.rules.load import rule_files

    if not paths:
        return sorted(rules_dir().glob("*/*.yaml"))
    files: list[Path] = []
    for text in paths:
        path = Path(text)
        if path.resolve() == rules_dir().resolve():
            found = sorted(path.glob("*/*.yaml"))
        elif path.is_dir():
            found = rule_files(path)
        elif path.is_file():
            found = [path]
        else:
            raise UsageError(f"{text}: no such file or folder")
        if not found:
            raise UsageError(f"{text}: no rule files (*.yaml) in this folder")
        files += found
    return files


def _test(args: argparse.Namespace) -> int:
    from gpuadvisor.rules.selftest import run_tests

    models = _models()
    outcomes = []
    without = []
    rules, broken = _rules_to_test(args)
    for rule in rules:
        found = run_tests(rule, models)
        outcomes += found
        if not found:
            without.append(rule.name)
    failures = [outcome for outcome in outcomes if outcome.failure]
    for outcome in failures:
        complain(f"{outcome.rule}: {outcome.test}: {outcome.failure}")
    for name in without:
        complain(f"{name}: the rule carries no checks")
    tried = f"{_count(outcomes, 'check')} of {_count(rules, 'rule')}"
    print(f"{tried}, {len(failures)} failed")
    return USAGE if broken else FINDINGS if failures else OK


def _count(items: Sequence[object], noun: str) -> str:
    return f"{len(items)} {noun}{'' if len(items) == 1 else 's'}"


def _rules_to_test(args: argparse.Namespace) -> tuple[list[Rule], int]:
    """The rules, and how many files could not be used (each was complained about)."""
    from gpuadvisor.rules import RuleError
    from gpuadvisor.rules.load import read_rule

    paths = [text for text in args.paths if Path(text).exists()]
    names = [text for text in args.paths if text not in paths]
    rules: list[Rule] = []
    broken = 0
    for path in _files(paths) if paths or not names else []:
        try:
            rules.append(read_rule(path)[1])
        except RuleError as error:
            broken += 1
            complain(str(error))
    if names or args.rules:
        ruleset = _load(args)
        for name in names:
            rule = ruleset.find(name)
            if rule is None:
                raise UsageError(f"{name}: no such file, folder or rule")
            rules.append(rule)
    return rules, broken


def _models() -> Mapping[str, Any]:
    from gpuadvisor.estimates import MODELS

    return MODELS


def _new(args: argparse.Namespace) -> int:
    from gpuadvisor.rules import load_rules
    from gpuadvisor.rules.load import read_rule
    from gpuadvisor.rules.scaffold import free_code, write_scaffold

    for what, text in (("name", args.name), ("--family", args.family)):
        if not _NAME.match(text) or len(text) > 60:
            raise UsageError(
                f"{what} {text!r}: lower-case words joined by hyphens are expected",
                "as in uncoalesced-global-access",
            )
    folder = Path(args.dir)
    ruleset = load_rules()
    taken = [*ruleset.rules, *ruleset.inactive]
    if folder.is_dir():
        taken += [read_rule(path)[1] for path in _files([args.dir]) if any(folder.iterdir())]
    code = args.code or free_code("MY", taken)
    if not re.match(r"[A-Z]{2,8}[0-9]{3,4}\Z", code):
        raise UsageError(f"--code {code!r}: letters and digits are expected, as in MY001")
    for rule in taken:
        if args.name == rule.name or code == rule.code:
            raise UsageError(f"there is a rule {rule.name} ({rule.code}) already, in {rule.path}")
    for path in write_scaffold(folder, args.family, args.name, code):
        print(path)
    complain(
        "the rule is a preview: it runs only when it is selected",
        f"gpuadvisor explain REPORT --rules {args.dir} --select {args.name}",
    )
    return OK


def _print(view: Any) -> None:
    from gpuadvisor.cli.output import print_lines
    from gpuadvisor.render.text import TextOptions

    print_lines(view, TextOptions(), color=True)


def _write_json(data: Any) -> None:
    from gpuadvisor.cli.output import write_file

    write_file(None, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
