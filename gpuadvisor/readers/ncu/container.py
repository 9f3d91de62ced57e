"""The outermost layout of a report: a header, then blocks, each with messages behind it.

    "NVR\\0" | u32 n | FileHeader(n) | block*      block: u32 n | BlockHeader(n) | payload
    payload: (u32 n | message(n))*, sources first, then kernel, range, cmdlist and graph results

All integers are little-endian. Nothing of a payload is decoded here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpuadvisor.evidence.report import Scope
from gpuadvisor.readers.ncu import limits
from gpuadvisor.readers.ncu.messages import decode, text
from gpuadvisor.readers.ncu.problems import ProblemLog
from gpuadvisor.readers.ncu.store import Store

MAGIC = b"NVR\0"
_AGAIN = "collect the report again, or copy it again if it was copied"


@dataclass(frozen=True)
class Entry:
    """Where a message lies in the file."""

    offset: int
    size: int


@dataclass
class Container:
    """What the blocks hold: where the messages are, and the small parts decoded.

    `strings` concatenates the string tables of all blocks; a metric's name is an index into it,
    which is why nothing behind a damaged block header can be read. `sessions` are encoded.
    """

    version: int = 0
    strings: list[str] = field(default_factory=list)
    sessions: list[bytes] = field(default_factory=list)
    process: Any = None
    sources: list[Entry] = field(default_factory=list)
    results: list[tuple[Scope, Entry]] = field(default_factory=list)


def read_container(store: Store, log: ProblemLog) -> Container:
    """Indexes the whole file. What is behind damage of the framing is lost and said in `log`;
    a file that does not start as a report gives an empty container and a problem."""
    found = Container()
    start = 8 + _u32(store, 4)
    if start - 8 > limits.FILE_HEADER_BYTES or start > store.size:
        log.add("the file header is damaged or cut off", _AGAIN)
        return found
    try:
        found.version = decode("FileHeader", store.read(8, start - 8)).version
    except ValueError:
        log.add("the file header at byte 8 is damaged", _AGAIN)
    at = start
    for _ in range(limits.BLOCKS):
        if at >= store.size:
            return found
        behind = _read_block(store, at, found, log)
        if behind is None:
            return found
        at = behind
    log.add(f"the file has more than {limits.BLOCKS:,} blocks; the rest was not read")
    return found


def _u32(store: Store, at: int) -> int:
    return int.from_bytes(store.read(at, 4), "little")


def _read_block(store: Store, at: int, found: Container, log: ProblemLog) -> int | None:
    """Indexes the block at `at`; the offset behind it, or None where the walk has to stop."""
    header_size = _u32(store, at)
    payload = at + 4 + header_size
    rest = f"the {store.size - at:,} bytes from byte {at:,} on were not read"
    if at + 4 > store.size or payload > store.size:
        log.add(f"the file is cut off inside a block header; {rest}", _AGAIN)
        return None
    if header_size > limits.BLOCK_HEADER_BYTES:
        log.add(f"a block header claims {header_size:,} bytes; {rest}", _AGAIN)
        return None
    try:
        header = decode("BlockHeader", store.read(at + 4, header_size))
    except ValueError:
        log.add(f"a block header is damaged; {rest}", _AGAIN)
        return None
    if len(found.strings) + len(header.strings.strings) > limits.STRINGS:
        log.add(f"more than {limits.STRINGS:,} names; {rest}")
        return None
    found.strings.extend(map(text, header.strings.strings))
    if header.session:
        held = sum(map(len, found.sessions)) + len(header.session)
        if len(header.session) > limits.SESSION_BYTES or held > limits.SESSIONS_BYTES:
            log.add(f"the session details at byte {at:,} are too large to be real", _AGAIN)
        else:
            found.sessions.append(header.session)
    if header.HasField("process") and found.process is None:
        found.process = header.process
    end = payload + header.payload_size
    if end > store.size:
        log.add(
            f"the file is cut off: the block at byte {at:,} ends {end - store.size:,} bytes "
            f"behind the end of the file",
            _AGAIN,
        )
    _index_payload(store, payload, min(end, store.size), header, found, log)
    return int(end)


def _index_payload(
    store: Store, at: int, end: int, header: Any, found: Container, log: ProblemLog
) -> None:
    expected: list[tuple[Scope | None, int]] = [
        (None, header.num_sources),
        ("kernel", header.num_results),
        ("range", header.num_ranges),
        ("cmdlist", header.num_cmdlists),
        ("graph", header.num_graphs),
    ]
    for scope, count in expected:
        what = f"{scope} result" if scope else "program"
        for index in range(count):
            if len(found.results) + len(found.sources) >= limits.RESULTS:
                log.add(f"more than {limits.RESULTS:,} results; the rest was not read")
                return
            size = _u32(store, at) if at + 4 <= end else 0
            if size == 0 or at + 4 + size > end:
                lost = count - index
                log.add(
                    f"{lost:,} {what}{'' if lost == 1 else 's'} from byte {at:,} on "
                    f"{'is' if lost == 1 else 'are'} damaged or cut off",
                    _AGAIN,
                )
                return
            entry = Entry(at + 4, size)
            if scope is None:
                found.sources.append(entry)
            else:
                found.results.append((scope, entry))
            at += 4 + size
