"""How much of an untrusted report is believed before it is called damaged.

Each limit is far above what real reports hold (the largest seen: headers of 81 KB, 2,249 metrics
a kernel, 14 MB a program) and low enough that memory stays under 1 GB and time in seconds.
"""

FILE_HEADER_BYTES = 4096
BLOCK_HEADER_BYTES = 8 << 20
STRINGS = 1 << 20
BLOCKS = 1 << 20
RESULTS = 100_000
RESULT_BYTES = 256 << 20
PROGRAM_PART_BYTES = 256 << 20

IRREGULAR_ENTRIES = 20_000
"""Entries of one instance list that are decoded one by one, where their layout varies."""

EXPANDED_BYTES = 2 << 30
"""Largest size a compressed report may expand to."""

EXPANSION_RATIO = 1000
"""Largest expansion of a compressed report over 64 MB; real ones reach about 90."""


def fields_in(size: int) -> int:
    """How many fields a message of `size` bytes may have; a real metric takes 15 bytes or more."""
    return 10_000 + size // 12
