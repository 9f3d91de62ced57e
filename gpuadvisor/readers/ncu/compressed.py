"""Reports compressed with Zstandard (`.ncu-repz`)."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from typing import IO, cast

from gpuadvisor.evidence import UnreadableInput
from gpuadvisor.readers.ncu import limits

MAGIC = b"\x28\xb5\x2f\xfd"
_IN_MEMORY = 64 << 20
_PIECE = 1 << 20


def expand(path: str) -> tuple[IO[bytes], str]:
    """The expanded bytes, in memory up to 64 MB and in an unnamed temporary file above; and what
    is damaged behind them, "" when nothing is.

    Raises UnreadableInput for what is no Zstandard file and for what expands beyond the limits.
    """
    with ExitStack() as on_error:
        spool = on_error.enter_context(tempfile.SpooledTemporaryFile(_IN_MEMORY))
        expanded = cast("IO[bytes]", spool)
        damage = _expand(path, expanded)
        on_error.pop_all()
        return expanded, damage


def _expand(path: str, expanded: IO[bytes]) -> str:
    import zstandard

    packed = os.path.getsize(path)
    allowed = min(limits.EXPANDED_BYTES, max(_IN_MEMORY, packed * limits.EXPANSION_RATIO))
    size = 0
    try:
        with open(path, "rb") as source:
            reader = zstandard.ZstdDecompressor().stream_reader(source, read_across_frames=True)
            while piece := reader.read(_PIECE):
                size += len(piece)
                if size > allowed:
                    raise UnreadableInput(
                        path,
                        f"expands from {packed:,} to more than {allowed:,} bytes, "
                        "which no real report does",
                        "if you trust it, unpack it first: zstd -d",
                    )
                expanded.write(piece)
    except zstandard.ZstdError as error:
        if not size:
            raise UnreadableInput(
                path, f"is a damaged Zstandard file: {error}", "copy the file again"
            ) from None
        return f"the compressed file is damaged after {size:,} expanded bytes: {error}"
    return ""
