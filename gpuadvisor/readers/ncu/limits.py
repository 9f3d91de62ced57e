"""How much of an untrusted report is believed before it is called damaged.

Each limit is far above what real reports hold (largest seen: block headers of 81 KB, 2,249
metrics a kernel, results of 2.4 MB, programs of 14 MB) and low enough that memory stays under
1 GB and time within seconds whatever a file claims.
"""

FILE_HEADER_BYTES = 4096
BLOCK_HEADER_BYTES = 8 << 20
SESSION_BYTES = 256 << 10
SESSIONS_BYTES = 4 << 20
"""Of one and of all session details; one device takes 8 KB."""
STRINGS = 1 << 20
BLOCKS = 200_000
RESULTS = 50_000

RESULT_BYTES = 256 << 20
HEAD_BYTES = 1 << 20
NVTX_BYTES = 16 << 20
"""Of the NVTX states of all results."""
METRICS = 100_000
LIST_BYTES = 32 << 20
IRREGULAR_LIST_BYTES = 8 << 20
IRREGULAR_ENTRIES = 2000
"""Of one instance list that is decoded one by one: text as values, or mixed layouts."""
SHARED_KEYS = 4
"""Key lists of one length that are compared to share them."""
TEXT_BYTES = 1 << 20
RULE_BYTES = 1 << 20
REPEATED = 10_000
"""Elements looked at in any small repeated field: NVTX ranges, rule messages, versions."""
DEVICES = 256

PROGRAM_BYTES = 256 << 20
PROGRAM_FIELDS = 10_000
FILES_BYTES = 64 << 20
FUNCTIONS = 100_000

EXPANDED_BYTES = 2 << 30
"""Largest size a compressed report may expand to."""
EXPANSION_RATIO = 1000
"""Largest expansion of a compressed report over 64 MB; real ones reach about 90."""
