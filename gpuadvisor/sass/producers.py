"""Who an instruction waits for: the producers behind its scoreboards, the stores behind an EXIT.

An instruction with a wait mask stalls until earlier instructions release those scoreboards. The
stall is sampled on the waiting instruction, but the producer is the cause. Sets of pending
producers are followed through the control flow, so around loops too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuadvisor.evidence import Table
from gpuadvisor.sass.copies import DEPBAR, copy_waits
from gpuadvisor.sass.fields import Words
from gpuadvisor.sass.flow import EXIT, Flow
from gpuadvisor.sass.opcodes import Kind, Space

_SCOREBOARDS = 6
_MAX_PENDING = 32
_MAX_ROUNDS = 12
_MEMORY_SPACES = (Space.GLOBAL, Space.LOCAL, Space.GENERIC, Space.TEXTURE, Space.SURFACE)
_DRAINED_SPACES = (Space.GLOBAL, Space.LOCAL, Space.GENERIC, Space.SURFACE)

Pending = tuple[int, ...]
State = tuple[Pending, ...]
_NOTHING: State = ((),) * _SCOREBOARDS


@dataclass(frozen=True)
class _Event:
    """What one row does to the scoreboards: first it waits, then it takes some."""

    row: int
    waits: tuple[int, ...]
    takes: tuple[int, ...]


def producers(decoded: Table, words: Words, flow: Flow) -> Table:
    """One row a pair, ordered by consumer, nearest producer first.

    consumer, producer: int32, rows of the listing. scoreboard: int8. by_result: bool, whether the
    consumer waits for the producer's result (else for its sources to be read). long: bool,
    whether the producer goes to memory through the first-level cache (a long scoreboard), else it
    is a short one. A wait for asynchronous copies (DEPBAR) names the copies.
    """
    events = _events(decoded, flow)
    entry = _solve(events, flow)
    pairs: list[tuple[int, int, int]] = []
    for block, listed in events.items():
        state = entry[block]
        for event in listed:
            for board in event.waits:
                pairs += [(event.row, producer, board) for producer in state[board]]
            state = _after(state, event)
    pairs += copy_waits(decoded, words, flow)
    pairs.sort(key=lambda pair: (pair[0], _distance(pair[0], pair[1]), pair[2]))
    table = np.array(pairs, np.int64).reshape(-1, 3)
    source, boards = table[:, 1], table[:, 2]
    for_copies = decoded["opcode"][table[:, 0]] == DEPBAR
    by_result = (decoded["write_barrier"][source] == boards) | for_copies
    to_memory = np.isin(decoded["space"][source], _MEMORY_SPACES)
    return Table(
        {
            "consumer": table[:, 0].astype(np.int32),
            "producer": source.astype(np.int32),
            "scoreboard": boards.astype(np.int8),
            "by_result": by_result,
            "long": to_memory & by_result,
        }
    )


def _distance(consumer: int, producer: int) -> int:
    """Order of nearness: a producer behind its consumer comes around a loop, so it is last."""
    return consumer - producer if producer < consumer else (1 << 30) - producer


def _events(decoded: Table, flow: Flow) -> dict[int, list[_Event]]:
    mask, write, read = (decoded[n] for n in ("wait_mask", "write_barrier", "read_barrier"))
    rows = np.flatnonzero((mask != 0) | (write >= 0) | (read >= 0))
    events: dict[int, list[_Event]] = {}
    for row, block, waited, result, sources in zip(
        rows.tolist(),
        flow.block[rows].tolist(),
        mask[rows].tolist(),
        write[rows].tolist(),
        read[rows].tolist(),
        strict=True,
    ):
        waits = tuple(board for board in range(_SCOREBOARDS) if waited >> board & 1)
        takes = tuple({board for board in (result, sources) if board >= 0})
        events.setdefault(block, []).append(_Event(row, waits, takes))
    return events


def _after(state: State, event: _Event) -> State:
    boards = list(state)
    for board in event.waits:
        boards[board] = ()
    for board in event.takes:
        kept = [row for row in boards[board] if row != event.row]
        boards[board] = (*kept[-_MAX_PENDING + 1 :], event.row)
    return tuple(boards)


def _solve(events: dict[int, list[_Event]], flow: Flow) -> dict[int, State]:
    """Pending producers on entry to each block, until nothing changes."""
    count = len(flow.starts)
    entry = dict.fromkeys(range(count), _NOTHING)
    leave = dict.fromkeys(range(count), _NOTHING)
    todo = set(range(count))
    for _ in range(_MAX_ROUNDS):
        changed: set[int] = set()
        for block in sorted(todo):
            state = _NOTHING
            for before in flow.predecessors[block]:
                state = _union(state, leave[before])
            entry[block] = state
            for event in events.get(block, ()):
                state = _after(state, event)
            if state != leave[block]:
                leave[block] = state
                changed.update(flow.successors[block])
        todo = changed
        if not todo:
            break
    return entry


def _union(one: State, other: State) -> State:
    if one == other or other == _NOTHING:
        return one
    if one == _NOTHING:
        return other
    return tuple(
        a if a == b else tuple(sorted({*a, *b}))[-_MAX_PENDING:]
        for a, b in zip(one, other, strict=True)
    )


def drains(decoded: Table, flow: Flow) -> Table:
    """Stores and reductions that may still be on their way when a warp exits.

    exit, store: int32, rows of the listing; one row a pair, ordered by exit, nearest store first.
    Samples of a draining warp show on the row behind an EXIT too: that row counts as an exit.
    """
    count = len(decoded)
    kind, space = decoded["kind"], decoded["space"]
    leaving = (kind == Kind.STORE) | (kind == Kind.REDUCTION)
    leaving |= (kind == Kind.ATOMIC) & (decoded["dest"] < 0)
    stores = np.flatnonzero(leaving & np.isin(space, _DRAINED_SPACES)).tolist()
    exits = np.flatnonzero(decoded["opcode"] == EXIT).tolist()
    reaching = _reaching(stores, flow)
    pairs: list[tuple[int, int]] = []
    for row in exits:
        block = int(flow.block[row])
        found = [s for s in reaching[block] if s < row or flow.block[s] != block]
        found += [s for s in stores if flow.block[s] == block and s < row and s not in found]
        found.sort(key=lambda store: _distance(row, store))
        pairs += [(row, store) for store in found]
        behind = int(flow.block[row + 1]) if row + 1 < count else block
        if set(flow.predecessors[behind]) <= {behind} and behind != block:
            pairs += [(row + 1, store) for store in found]
    table = np.array(pairs, np.int32).reshape(-1, 2)
    return Table({"exit": table[:, 0], "store": table[:, 1]})


def _reaching(stores: list[int], flow: Flow) -> list[list[int]]:
    """The stores that can have executed before each block starts."""
    own = [0] * len(flow.starts)
    for number, row in enumerate(stores):
        own[int(flow.block[row])] |= 1 << number
    before = [0] * len(flow.starts)
    todo = set(range(len(flow.starts)))
    while todo:
        changed: set[int] = set()
        for block in sorted(todo):
            leaving = before[block] | own[block]
            for following in flow.successors[block]:
                if leaving & ~before[following]:
                    before[following] |= leaving
                    changed.add(following)
        todo = changed
    return [[row for number, row in enumerate(stores) if bits >> number & 1] for bits in before]
