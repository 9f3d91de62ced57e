"""Make labels.json from the annotations of the sources, times.csv and judgement.yaml.

    python tests/corpus/label.py [--check]

Annotations stand on the lines before the one they mean:
    // ruleid: a, b      a finding of rule a or b is expected here (at a kernel's head: anywhere)
    // allow: c          c may warn in this kernel (before the kernel's head)
    // ok: d             the line looks as if d could fire, and it must not (for the reader)
    // ruleid[kernel]: a in a device function that several kernels use; [*] for the whole report
    // pair: a before -> after      two kernels of a file, measured before and after repairing a
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

CORPUS = Path(__file__).resolve().parent
ROOT = CORPUS.parent.parent

SPECIFIC = (
    "uncoalesced-global-access",
    "strided-struct-access",
    "scattered-gather",
    "misaligned-global-access",
    "contended-atomic",
    "shared-bank-conflict",
    "shared-atomic-contention",
    "register-spill",
    "local-array",
    "dependent-load-chain",
    "barrier-stall",
    "idle-warps-at-barrier",
    "memory-fence-stall",
    "constant-cache-miss",
    "warp-divergence",
    "single-thread-kernel",
    "double-promotion",
    "integer-division",
    "slow-math-function",
    "unfused-multiply-add",
    "tensor-cores-idle",
    "type-conversion",
    "grid-too-small",
    "tail-wave",
    "block-not-multiple-of-warp",
    "tiny-block",
    "workload-imbalance",
)
"""Rules that name one edit: forbidden at warning wherever they are not expected or allowed."""

GENERAL = (
    "narrow-global-access",
    "poor-l2-locality",
    "reuse-not-staged",
    "shared-throughput-bound",
    "register-limited-occupancy",
    "shared-limited-occupancy",
    "block-limited-occupancy",
    "achieved-occupancy-gap",
    "memory-latency-bound",
    "low-ilp",
    "lsu-queue-full",
    "mio-queue-full",
    "instruction-cache-miss",
)
"""Rules about a resource. They are forbidden where the kernel fills another resource (`roof`)."""

QUALITY = (
    "no-line-info",
    "stale-source",
    "missing-metrics",
    "too-few-samples",
    "sampling-buffer-full",
    "setup-kernels-only",
)
"""Rules about the report: forbidden in every report that is not made to show them."""

_ANNOTATION = re.compile(r"^\s*// (ruleid|ok|allow)(?:\[(\S+)\])?: (.+)$")
_HEAD = re.compile(r"__global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)\(")
_RUN = re.compile(r'sample\.run\("(\w+)"')
_PAIR = re.compile(r"^// pair: (\S+) (\w+) -> (\w+)$")


@dataclass
class Labels:
    """What a source says about one of its kernels."""

    places: dict[tuple[str, ...], list[tuple[int, bool]]] = field(default_factory=dict)
    allowed: set[str] = field(default_factory=set)

    def expect(self, rules: tuple[str, ...], line: int, head: bool) -> None:
        """A finding of one of `rules` on `line`; head: the line is the kernel's or its launch's."""
        self.places.setdefault(rules, []).append((line, head))


def owners(text: list[str]) -> list[str]:
    """For each line the kernel that it belongs to, empty outside of kernels."""
    owner, depth, current, found = "", 0, "", []
    for line in text:
        head = _HEAD.search(line)
        if head and depth == 0:
            current = head.group(1)
        owner = current
        depth += line.count("{") - line.count("}")
        if depth == 0 and current and line.rstrip().endswith("}"):
            current = ""
        found.append(owner)
    return found


def read_source(path: Path) -> tuple[dict[str, Labels], list[tuple[str, str, str]]]:
    """Labels by kernel ("*" for the report) and the pairs (rule, before, after) of a source."""
    text = path.read_text().splitlines()
    edit = next((line for line in text if line.startswith("// edit: ")), None)
    if edit is not None:  # only `/pattern/d` is used
        pattern = edit.removeprefix("// edit: /").removesuffix("/d")
        text = [line for line in text if pattern not in line]
    owner = owners(text)
    kernels = [name for name in dict.fromkeys(owner) if name]
    labels: dict[str, Labels] = {name: Labels() for name in kernels}
    for number, line in enumerate(text):
        match = _ANNOTATION.match(line)
        if match is None or match.group(1) == "ok":
            continue
        kind, named, rules = match.group(1), match.group(2), tuple(match.group(3).split(", "))
        target = number + 1
        while text[target].lstrip().startswith("//"):
            target += 1
        run, head = _RUN.search(text[target]), _HEAD.search(text[target])
        kernel = (
            named
            or (run and run.group(1))
            or owner[target]
            or (kernels[0] if len(kernels) == 1 else "")
        )
        if not kernel:
            raise SystemExit(f"{path}:{number + 1}: no kernel for this annotation")
        mine = labels.setdefault(kernel, Labels())
        if kind == "allow":
            mine.allowed.update(rules)
        else:
            mine.expect(rules, target + 1, bool(run or head) or named == "*")
    pairs = [match.groups() for line in text if (match := _PAIR.match(line))]
    return labels, [(a, b, c) for a, b, c in pairs]


def expectations(labels: Labels, file: str) -> list[dict[str, Any]]:
    """The `expect` entries of a kernel."""
    found = []
    for rules, places in sorted(labels.places.items()):
        anywhere = all(head for _, head in places)
        lines = None if anywhere else [[file, line] for line, _ in sorted(set(places))]
        found.append({"any_of": list(rules), "lines": lines})
    return found


def label_report(path: Path, kernels: list[str], judged: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of one report: kernels in launch order, then the report (kernel null)."""
    labels, _ = read_source(path)
    whole = labels.pop("*", Labels())
    result = []
    for kernel in kernels:
        mine, judgement = labels.get(kernel, Labels()), judged.get(kernel, {})
        for rules in list(mine.places):
            if set(rules) & set(judgement.get("drop", ())):
                del mine.places[rules]
            elif set(rules) & set(QUALITY):
                whole.places[rules] = [(0, True)]
                del mine.places[rules]
        more = tuple(judgement.get("or", ()))
        mine.places = {(*rules, *more): places for rules, places in mine.places.items()}
        for places in mine.places.values():
            places.extend((line, False) for line in judgement.get("lines", ()))
        if "expect" in judgement:
            mine.expect(tuple(judgement["expect"]), 0, True)
        named = {rule for rules in mine.places for rule in rules}
        named |= mine.allowed | set(judgement.get("allow", ()))
        named -= set(judgement.get("info", ()))
        general = GENERAL if "roof" in judgement else ()
        entry: dict[str, Any] = {
            "kernel": kernel,
            "nth": 0,
            "expect": expectations(mine, path.name),
        }
        entry["forbid_warning"] = [rule for rule in (*SPECIFIC, *general) if rule not in named]
        entry |= {key: str(judgement[key]) for key in ("roof", "why") if key in judgement}
        result.append(entry)
    expected = expectations(whole, path.name)
    named = {rule for item in expected for rule in item["any_of"]}
    forbid = [rule for rule in QUALITY if rule not in named]
    result.append({"kernel": None, "expect": expected, "forbid_warning": forbid})
    return result


def pair(
    rule: str,
    before: str,
    after: str,
    name: tuple[str, str],
    us: dict[tuple[str, str], float],
    also: str,
) -> dict[str, Any]:
    """A measured pair: reports, kernels, times outside of the profiler."""
    first, second = us[before, name[0]], us[after, name[1]]
    found: dict[str, Any] = {
        "rule": rule,
        "before": {"report": f"{before}.ncu-repz", "kernel": name[0], "us": first},
        "after": {"report": f"{after}.ncu-repz", "kernel": name[1], "us": second},
        "speedup": round(first / second, 3),
    }
    return found | ({"also": also} if also else {})


def build() -> dict[str, Any]:
    """All labels of the corpus."""
    judged = yaml.safe_load((CORPUS / "judgement.yaml").read_text())
    also = judged.pop("also")
    with (CORPUS / "times.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    us = {(row["program"], row["kernel"]): float(row["median_us"]) for row in rows}
    programs: dict[str, list[str]] = {}
    for row in rows:
        programs.setdefault(row["program"], []).append(row["kernel"])
    reports, pairs = {}, []
    for program, kernels in sorted(programs.items()):
        local = program.startswith("src/")
        path = (CORPUS if local else ROOT / "rules") / f"{program}.cu"
        if program == "quality/setup-kernels-only":
            kernels = []  # the profiled kernels are the library's
        reports[f"{program}.ncu-repz"] = label_report(path, kernels, judged.get(program, {}))
        for rule, before, after in read_source(path)[1]:
            if rule in judged.get(program, {}).get(before, {}).get("drop", ()):
                continue
            pairs.append(
                pair(
                    rule, program, program, (before, after), us, also.get(f"{program} {before}", "")
                )
            )
        fixed = f"{program}.fixed"
        if fixed in programs and not program.startswith("quality/") and kernels == programs[fixed]:
            rule = program.split("/")[1]
            pairs.append(
                pair(rule, program, fixed, (kernels[0], kernels[0]), us, also.get(program, ""))
            )
    unknown = {p for p in judged if p not in programs} | {
        f"{p} {k}" for p, entries in judged.items() for k in entries if k not in programs.get(p, ())
    }
    if unknown:
        raise SystemExit(f"judgement.yaml names what was not measured: {sorted(unknown)}")
    about = (
        "expect: a finding of a rule in any_of on one of lines (null: any place); forbid_warning:"
        " rules that may not warn; kernel null: findings about the report, of whatever kernel;"
        " pairs: times outside of the profiler. See README.md."
    )
    return {
        "about": about,
        "reports": reports,
        "pairs": sorted(pairs, key=lambda p: (p["rule"], p["before"]["report"])),
    }


def dump(labels: dict[str, Any]) -> str:
    """JSON with one line for a kernel or a pair, so that a change shows as one line."""
    reports = []
    for name, entries in labels["reports"].items():
        lines = ",\n".join("   " + json.dumps(entry) for entry in entries)
        reports.append(f"  {json.dumps(name)}: [\n{lines}\n  ]")
    pairs = ",\n".join("  " + json.dumps(entry) for entry in labels["pairs"])
    body = ",\n".join(reports)
    about = json.dumps(labels["about"])
    return f'{{\n "about": {about},\n "reports": {{\n{body}\n }},\n "pairs": [\n{pairs}\n ]\n}}\n'


def main() -> int:
    """Write labels.json, or with --check say whether it is what the sources give."""
    parser = argparse.ArgumentParser(description="Make labels.json of the corpus.")
    parser.add_argument("--check", action="store_true", help="only compare with the file")
    arguments = parser.parse_args()
    text = dump(build())
    target = CORPUS / "labels.json"
    if arguments.check:
        return 0 if target.exists() and target.read_text() == text else 1
    target.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
