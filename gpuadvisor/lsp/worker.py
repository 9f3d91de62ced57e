"""The process that reads and judges reports, so that the editor never waits for one.

Talks in frames (`jobs`) over its standard input and output and is killed when its work is
outdated.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from dataclasses import replace
from typing import Any, BinaryIO

from gpuadvisor.lsp.jobs import Done, Failed, Job, Told, read_frame, write_frame

_PROGRESS_INTERVAL_S = 0.1


def main() -> int:
    """Serve jobs until the input ends."""
    requests = sys.stdin.buffer
    # Whatever prints to standard output must not get between the frames.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _warm()
    while (job := read_frame(requests)) is not None:
        answer = _work(job, answers)
        write_frame(answers, answer)
    return 0


def _warm() -> None:
    """Import what every job needs, while there is none yet."""
    try:
        import gpuadvisor.pipeline  # noqa: F401
    except ImportError:
        traceback.print_exc()


def _work(job: Job, answers: BinaryIO) -> Done | Failed:
    from gpuadvisor.evidence import UnreadableInput

    started = time.perf_counter()
    last = 0.0

    def tell(text: str, fraction: float | None) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last >= _PROGRESS_INTERVAL_S:
            last = now
            write_frame(answers, Told(text, fraction))

    try:
        analysis, complaint = _analyze(job.path, replace(job.options, progress=tell))
        unreadable = next((item for item in analysis.inputs if item.kind == "unreadable"), None)
        if unreadable is not None:
            problem = unreadable.problems[0] if unreadable.problems else None
            return Failed(
                problem.message if problem else "it cannot be read", problem.hint if problem else ""
            )
        return Done(analysis, time.perf_counter() - started, complaint)
    except UnreadableInput as error:
        return Failed(error.reason, error.hint)
    except MemoryError:
        return Failed("not enough memory to read it", "profile fewer kernels or close programs")
    except Exception as error:
        return Failed(f"{type(error).__name__}: {error}", trace=traceback.format_exc())


def _analyze(path: str, options: Any) -> tuple[Any, str]:
    """The analysis; where the user's rules, selection or thresholds cannot be used, by the
    shipped rules alone, and why."""
    from gpuadvisor.pipeline import analyze
    from gpuadvisor.rules.errors import RuleError

    try:
        return analyze([path], options), ""
    except RuleError as error:
        plain = replace(options, rule_dirs=(), thresholds={}, select=(), ignore=())
        return analyze([path], plain), f"The shipped rules are used as they are: {error}"


if __name__ == "__main__":
    sys.exit(main())
