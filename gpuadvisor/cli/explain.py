"""`gpuadvisor explain`: what is slow in profiler reports, why, and what to change."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from gpuadvisor.cli.output import print_lines, write_file
from gpuadvisor.cli.progress import ProgressLine
from gpuadvisor.cli.run import OK, USAGE, UsageError, complain
from gpuadvisor.config import find_config
from gpuadvisor.evidence.findings import Analysis
from gpuadvisor.options import AnalyzeOptions

FORMATS = ("text", "json", "markdown")


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments: what to read, what to keep of it, how to judge, how to show."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a profiler report")
    keep = parser.add_argument_group("what to explain")
    keep.add_argument(
        "-k", "--kernel", metavar="REGEX", help="only kernels whose name it is found in"
    )
    keep.add_argument(
        "--top", type=_count, metavar="N", help="only the N kernels that took the most time"
    )
    source = parser.add_argument_group("where the sources are")
    source.add_argument(
        "--source", action="append", default=[], metavar="DIR", help="look for sources here, too"
    )
    source.add_argument(
        "--map",
        action="append",
        default=[],
        type=_mapping,
        metavar="FROM=TO",
        help="a folder as the report names it, and where it is here",
    )
    rules = parser.add_argument_group("how to judge")
    rules.add_argument(
        "--rules", action="append", default=[], metavar="DIR", help="a folder with more rules"
    )
    rules.add_argument(
        "--set",
        action="append",
        default=[],
        type=_threshold,
        metavar="RULE.NAME=VALUE",
        help="a threshold of a rule (`gpuadvisor rules show RULE` lists them)",
    )
    rules.add_argument(
        "--select",
        action="append",
        default=[],
        metavar="RULES",
        help="only these rules (GA1,GA201)",
    )
    rules.add_argument(
        "--ignore", action="append", default=[], metavar="RULES", help="none of these rules"
    )
    show = parser.add_argument_group("what to show")
    show.add_argument("--lines", action="store_true", help="also the measurements of source lines")
    show.add_argument("--vendor", action="store_true", help="also what the profiler's rules said")
    show.add_argument(
        "--format", choices=FORMATS, default="text", help="output format (default: %(default)s)"
    )
    show.add_argument(
        "-o", "--output", metavar="FILE", help="write there instead of standard output"
    )
    show.add_argument("--no-color", action="store_true", help="no colours (also: NO_COLOR=1)")


def run(args: argparse.Namespace) -> int:
    """Analyse the files and show what was found; 2 when one of them could not be read, even if
    the others were explained."""
    options = _options(args)
    _check_paths(args)
    from gpuadvisor.pipeline import analyze

    with ProgressLine(sys.stderr) as progress:
        analysis = analyze(args.files, _with_progress(options, progress))
    _show(analysis, args)
    return _unreadable(analysis)


def _options(args: argparse.Namespace) -> AnalyzeOptions:
    """The project's settings with the arguments over them: `--select` replaces, the rest adds."""
    if args.kernel is not None:
        try:
            re.compile(args.kernel)
        except re.error as error:
            raise UsageError(
                f"--kernel {args.kernel}: not a regular expression: {error}",
                "write special characters literally with a backslash, as in 'f\\(int\\)'",
            ) from None
    config = find_config(Path.cwd())
    return AnalyzeOptions(
        kernel_regex=args.kernel,
        top=args.top,
        source_dirs=(*args.source, *config.source_dirs),
        path_maps=(*args.map, *config.path_mappings),
        lines=args.lines,
        vendor=args.vendor,
        rule_dirs=(*config.rules, *args.rules),
        thresholds={**config.thresholds, **dict(args.set)},
        select=_names(args.select) or config.select,
        ignore=(*config.ignore, *_names(args.ignore)),
        max_warnings=config.max_warnings,
        min_gain=config.min_gain,
    )


def _with_progress(options: AnalyzeOptions, progress: ProgressLine) -> AnalyzeOptions:
    from dataclasses import replace

    return replace(options, progress=progress.update)


def _check_paths(args: argparse.Namespace) -> None:
    """What would otherwise be told late or not at all."""
    for flag, folders in (("--source", args.source), ("--rules", args.rules)):
        for folder in folders:
            if not os.path.isdir(folder):
                raise UsageError(f"{flag} {folder}: no such folder")
    if args.output is None:
        return
    if os.path.exists(args.output):
        for path in filter(os.path.exists, args.files):
            if os.path.samefile(args.output, path):
                raise UsageError(f"-o {args.output}: this is an input, writing would destroy it")
    folder = os.path.dirname(args.output) or "."
    if not os.path.isdir(folder):
        raise UsageError(f"-o {args.output}: no such folder: {folder}")


def _show(analysis: Analysis, args: argparse.Namespace) -> None:
    if args.format == "json":
        from gpuadvisor.render import json

        write_file(args.output, json.render(analysis, lines=args.lines, vendor=args.vendor))
        return
    from gpuadvisor.render import text

    options = text.TextOptions(base=os.getcwd(), lines=args.lines, vendor=args.vendor)
    if args.format == "markdown":
        from gpuadvisor.render import markdown

        write_file(args.output, markdown.render(analysis, options))
    elif args.output is not None:
        write_file(args.output, text.render(analysis, options))
    else:
        print_lines(lambda shape: text.document(analysis, shape), options, color=not args.no_color)


def _unreadable(analysis: Analysis) -> int:
    from gpuadvisor.render.wording import UNREADABLE

    code = OK
    for item in analysis.inputs:
        if item.kind == UNREADABLE:
            code = USAGE
            for problem in item.problems:
                complain(f"{item.path}: {problem.message}", problem.hint)
    return code


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return count


def _mapping(text: str) -> tuple[str, str]:
    before, sign, after = text.partition("=")
    if not sign or not before:
        raise argparse.ArgumentTypeError(f"{text!r} is not FROM=TO, as in /build/src=./src")
    return before, after


def _threshold(text: str) -> tuple[str, float]:
    name, sign, value = text.partition("=")
    rule, dot, threshold = name.partition(".")
    try:
        if not (sign and rule and dot and threshold):
            raise ValueError
        return name.strip(), float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not RULE.NAME=VALUE, as in uncoalesced-global-access.min_ratio=2"
        ) from None


def _names(values: list[str]) -> tuple[str, ...]:
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())
