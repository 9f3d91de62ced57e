"""What the server and its worker process say to each other.

Frames of 8 bytes of length and a pickle. Both ends are this package on the same machine.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, BinaryIO

HEADER = struct.Struct("<Q")


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
    """The result of a job, an `Analysis`, the seconds it took, and what the user should be told
    about the rules it was judged by."""

    analysis: Any
    seconds: float
    complaint: str = ""


@dataclass(frozen=True)
class Failed:
    """Why a job has no result; `trace` is set when the fault is ours and not the file's."""

    reason: str
    hint: str = ""
    trace: str = ""


def read_frame(stream: BinaryIO) -> Any:
    """The next object of a stream, None at its end."""
    import pickle

    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    return pickle.loads(stream.read(HEADER.unpack(header)[0]))


def write_frame(stream: BinaryIO, item: object) -> None:
    """Write one object and flush."""
    import pickle

    body = pickle.dumps(item, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(HEADER.pack(len(body)) + body)
    stream.flush()
