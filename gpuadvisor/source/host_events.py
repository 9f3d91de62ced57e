"""What host code does with the GPU, in the order it is written: launches, copies, allocations,
waits, looks at the clock, each with the loops and conditions around it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from gpuadvisor.source.launches import LAUNCH_CALLS
from gpuadvisor.source.syntax_nodes import Node

EventKind = Literal["launch", "wait", "copy", "allocate", "free", "clock", "record", "device",
                    "other"]  # fmt: skip

WAITS = frozenset(
    {"cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaStreamSynchronize",
     "cudaEventSynchronize", "hipDeviceSynchronize", "cuCtxSynchronize", "cuStreamSynchronize",
     "cuEventSynchronize"}
)  # fmt: skip
COPIES = {
    "cudaMemcpy": (0, 1, 2, 3),
    "cudaMemcpyAsync": (0, 1, 2, 3),
    "cudaMemcpy2D": (0, 2, None, 6),
    "cudaMemcpy2DAsync": (0, 2, None, 6),
    "cudaMemcpyFromSymbol": (0, 1, 2, None),
    "cudaMemcpyFromSymbolAsync": (0, 1, 2, None),
    "cudaMemcpyToSymbol": (0, 1, 2, None),
}
"""Positions of target, source, bytes and direction among the arguments."""
ALLOCATIONS = frozenset(
    {"cudaMalloc", "cudaMallocHost", "cudaHostAlloc", "cudaMallocManaged", "cudaMallocPitch",
     "cudaMalloc3D", "cudaMallocArray", "cudaMalloc3DArray"}
)  # fmt: skip
FREES = frozenset({"cudaFree", "cudaFreeHost", "cudaFreeArray"})
_CLOCK = re.compile(
    r"^(?:now|clock|gettimeofday|clock_gettime|omp_get_wtime|MPI_Wtime|timespec_get|dsecnd"
    r"|QueryPerformanceCounter|cpu_?[sS]econds?|(?:get_?|read_?)?(?:wall_?|cpu_?|current_?)?"
    r"(?:[tT]ime|[sS]econds?|[tT]imer|[wW]time)(?:_?(?:ms|us|ns|sec|now|of_?day))?|tic|toc)$"
)
_RECORDS = frozenset({"cudaEventRecord", "cudaEventRecordWithFlags", "hipEventRecord"})
_HARMLESS = re.compile(
    r"^(?:cudaGetLastError|cudaPeekAtLastError|cudaEventRecord|cudaMemsetAsync|cudaMemcpyAsync"
    r"|cudaMemcpy2DAsync|cudaStreamWaitEvent|cudaGetErrorString|printf|fprintf|puts|count"
    r"|duration|duration_cast|time_since_epoch|sizeof|size|data|begin|end|min|max|exit|assert"
    r"|emplace_back|push_back|swap|dim3|static_cast|cudaFuncSetAttribute|cudaEventCreate|now)$"
)
"""Calls after which a launch may still be under way."""
LOOPS = frozenset({"for", "while", "do", "rangefor"})
MAX_EVENTS = 500


@dataclass(frozen=True)
class HostLoop:
    """A loop of host code: its node and the names that it changes from trip to trip."""

    node: Node
    changed: frozenset[str]


@dataclass(frozen=True)
class Event:
    """One call. `loops` are those around it, outermost first; `guarded` when a condition inside
    the innermost of them decides whether it happens; `statement` counts statements."""

    kind: EventKind
    name: str
    node: Node
    loops: tuple[HostLoop, ...]
    guarded: bool
    statement: int


@dataclass
class _Walk:
    events: list[Event] = field(default_factory=list)
    loops: tuple[HostLoop, ...] = ()
    guarded: bool = False
    statement: int = 0


def host_events(body: Node) -> list[Event]:
    """The events of a function's body in order; bounded for huge bodies."""
    walk = _Walk()
    _visit(body, walk)
    return walk.events


def _visit(node: Node, walk: _Walk) -> None:
    if len(walk.events) >= MAX_EVENTS:
        return
    if node.kind in LOOPS:
        _loop(node, walk)
        return
    if node.kind in ("if", "cond", "switch"):
        _branches(node, walk)
        return
    if node.kind == "block":
        for kid in node.kids:
            walk.statement += 1
            if kid is not None:
                _visit(kid, walk)
        return
    for kid in node.kids:
        if kid is not None:
            _visit(kid, walk)
    if node.kind == "call":
        kind = _kind(node)
        walk.events.append(Event(kind, node.text, node, walk.loops, walk.guarded, walk.statement))


def _loop(node: Node, walk: _Walk) -> None:
    kids = node.kids
    if node.kind == "for" and kids[0] is not None:
        _visit(kids[0], walk)
        kids = kids[1:]
    loops, guarded = walk.loops, walk.guarded
    walk.loops, walk.guarded = (*loops, HostLoop(node, frozenset(_changed(node)))), False
    for kid in kids:
        walk.statement += 1
        if kid is not None:
            _visit(kid, walk)
    walk.statement += 1
    walk.loops, walk.guarded = loops, guarded


def _branches(node: Node, walk: _Walk) -> None:
    guarded = walk.guarded
    if node.kids[0] is not None:
        _visit(node.kids[0], walk)
    # A condition that only looks at an error code decides nothing in a program that works.
    walk.guarded = walk.guarded or node.text != "#if"
    for kid in node.kids[1:]:
        walk.statement += 1
        if kid is not None:
            _visit(kid, walk)
    walk.statement += 1
    walk.guarded = guarded


def _changed(loop: Node) -> set[str]:
    """Names that a loop declares, assigns, steps or hands out by address."""
    names: set[str] = set()
    for node in loop.walk():
        if node.kind == "decl" and isinstance(node.extra, tuple):
            names.update(one.name for one in node.extra)
        elif node.kind in ("assign", "update", "addr"):
            target = node.kids[0]
            while target is not None and target.kind in ("member", "index") and target.kids:
                target = target.kids[0]
            if target is not None and target.kind == "name":
                names.add(target.text)
        elif node.kind == "call" and node.text == "swap":
            names.update(kid.text for kid in node.kids if kid is not None and kid.kind == "name")
    return names


def _kind(node: Node) -> EventKind:
    how = node.extra[0] if isinstance(node.extra, tuple) else "call"
    name = node.text
    if how == "launch" or name in LAUNCH_CALLS:
        return "launch"
    if name in WAITS:
        return "wait"
    if name in COPIES:
        return "copy"
    if name in ALLOCATIONS:
        return "allocate"
    if name in FREES:
        return "free"
    if name in _RECORDS:
        return "record"
    if name in ("cudaSetDevice", "hipSetDevice"):
        return "device"
    if _CLOCK.match(name):
        return "clock"
    return "other"


def may_wait(event: Event, bodies: dict[str, bytes]) -> bool:
    """Whether a call may only return once the GPU is done: the waits, blocking copies, freeing,
    and functions of which that is not known (`bodies`: the texts of the file's own functions and
    macros)."""
    if event.kind in ("wait", "allocate", "free"):
        return True
    if event.kind == "copy":
        return not event.name.endswith("Async")
    if event.kind != "other" or _HARMLESS.match(event.name):
        return False
    known = bodies.get(event.name)
    if known is None:
        return True
    return b"ynchronize" in known or b"cudaMemcpy" in known or b"cudaFree" in known
