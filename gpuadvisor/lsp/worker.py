"""The process that reads and judges reports, so that the editor never waits for one.

Talks in frames over its standard input and output: 8 bytes of length, then a pickle. Both ends
are this package on the same machine. The process is killed when its work is outdated.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import time
import traceback
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

HEADER = struct.Struct("<Q")
_PROGRESS_INTERVAL_S = 0.1


@dataclass(frozen=True)
class Job:
    """One analysis to make: `options` is an AnalyzeOptions without its callback."""

    path: str
    options: Any


@dataclass(frozen=True)
class Told:
    """Progress: what is being done, and how far (0..1) where that is known."""

    text: str
    fraction: float | None


@dataclass(frozen=True)
class Done:
    """The result of a job, an `Analysis`, and the seconds it took."""

    analysis: Any
    seconds: float


@dataclass(frozen=True)
class Failed:
    """Why a job has no result; `trace` is set when the fault is ours and not the file's."""

    reason: str
    hint: str = ""
    trace: str = ""


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
        from gpuadvisor.pipeline import analyze

        analysis = analyze([job.path], replace(job.options, progress=tell))
        return Done(analysis, time.perf_counter() - started)
    except UnreadableInput as error:
        return Failed(error.reason, error.hint)
    except MemoryError:
        return Failed("not enough memory to read it", "profile fewer kernels or close programs")
    except Exception as error:
        return Failed(f"{type(error).__name__}: {error}", trace=traceback.format_exc())


def read_frame(stream: BinaryIO) -> Any:
    """The next object of a stream, None at its end."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    return pickle.loads(stream.read(HEADER.unpack(header)[0]))


def write_frame(stream: BinaryIO, item: object) -> None:
    """Write one object and flush."""
    body = pickle.dumps(item, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(HEADER.pack(len(body)) + body)
    stream.flush()


if __name__ == "__main__":
    sys.exit(main())
