"""`python -m tests.score [LABELS REPORTS]`: precision, recall and estimates by rule."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.score.corpus import CORPUS, Tally, tally


def table(result: Tally) -> str:
    """The counts by rule, the misses, and the pairs, as text."""
    rows = [f"{'rule':32}{'expected':>9}{'found':>7}{'warnings':>10}{'false':>7}"]
    for rule in sorted({*result.expected, *result.warnings}):
        rows.append(
            f"{rule:32}{result.expected[rule]:9}{result.found[rule]:7}"
            f"{result.warnings[rule]:10}{result.false[rule]:7}"
        )
    rows.append(f"recall {result.recall:.1%}, precision at warning {result.precision:.1%}")
    rows += [f"{m.kind}: {m.report} {m.kernel} {m.rule}: {m.detail}" for m in result.misses]
    if result.pairs:
        rows.append("")
        rows.append(f"{'pair':32}{'kernel':24}{'estimate':>18}{'measured':>10}")
        for rule, kernel, estimate, measured in result.pairs:
            shown = "none" if estimate is None else f"{estimate[0]:g} to {estimate[1]:g}"
            mark = ""
            if estimate is None or not estimate[0] <= measured <= estimate[1]:
                mark = "  outside"
            rows.append(f"{rule:32}{kernel:24}{shown:>18}{measured:10.2f}{mark}")
        rows.append(f"inside {result.inside:.0%} of {len(result.pairs)} pairs")
    return "\n".join(rows)


def main(arguments: list[str]) -> int:
    """Print the table of the shipped corpus, or of a label file and its folder of reports."""
    if len(arguments) == 2:
        labels, reports = Path(arguments[0]), Path(arguments[1])
    else:
        labels, reports = CORPUS / "labels.json", CORPUS / "reports"
    print(table(tally(labels, reports)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
