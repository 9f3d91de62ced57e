"""Reports compressed with Zstandard (`.ncu-repz`)."""

from __future__ import annotations

import os
import tempfile
from typing import IO, cast

from gpuadvisor.evidence import UnreadableInput
from gpuadvisor.readers.ncu import limits

MAGIC = b"\x28\xb5\x2f\xfd"
_IN_MEMORY = 64 << 20
_PIECE = 1 << 20


def expand(path: str) -> IO[bytes]:
    """The expanded bytes, in memory up to 64 MB and in an unnamed temporary file above.

    Raises UnreadableInput for damage and for files that expand beyond the limits.
    """
    import zstandard

    packed = os.path.getsize(path)
    allowed = min(limits.EXPANDED_BYTES, max(_IN_MEMORY, packed * limits.EXPANSION_RATIO))
    expanded = cast("IO[bytes]", tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY))
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
    return expanded
