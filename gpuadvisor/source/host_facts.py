"""What host code does with the GPU, call by call, as facts that rules can name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpuadvisor.source.fold import fold_number
from gpuadvisor.source.host_events import COPIES, Event, HostLoop, host_events, may_wait
from gpuadvisor.source.host_memory import is_scalar_address, pageable_names, root_name
from gpuadvisor.source.launches import LaunchFinder, RawLaunch
from gpuadvisor.source.syntax_nodes import Node

if TYPE_CHECKING:
    from gpuadvisor.source.environment import Environment
    from gpuadvisor.source.outline import RawFunction

_DIRECTIONS = {"cudaMemcpyHostToDevice": "to device", "cudaMemcpyDeviceToHost": "from device"}
_SYMBOLS = {"cudaMemcpyFromSymbol": "from device", "cudaMemcpyToSymbol": "to device"}
_STEPS = ("clock", "record")


@dataclass(frozen=True)
class HostFacts:
    """One call; positions count from the function's first byte.

    kind: launch, wait, copy, allocate, free, clock. name: what is called, of a launch the kernel.
    loops: loops around it that repeat its work; 0 outside, and in loops that set things up (a
        stream, device or element of an array for each trip) or measure (clocks or event records
        around the loop, which repeats the same calls). trips: of the innermost loop, None where
        not known. scales: each of the loops multiplies or divides its variable. guarded: a
        condition in the loop decides.
    threads, blocks: of a launch; None where not known. block_start, block_end: its block argument.
        serial: the kernel is in this file and holds a loop.
    after_launch: a wait right after a launch. launches: launches in the innermost loop.
    paired: an allocation that the same loop frees, or the reverse.
    asynchronous, direction, bytes, operand, pageable, scalar: of a copy; operand is its host side
        as written; scalar when a single value moves.
    launch: of a clock, the kernel that may still run when it is read, started after another clock.
    """

    kind: str
    name: str
    start: int
    end: int
    loops: int = 0
    trips: int | None = None
    scales: bool = False
    guarded: bool = False
    threads: int | None = None
    blocks: int | None = None
    block_text: str = ""
    block_start: int = 0
    block_end: int = 0
    serial: bool = False
    after_launch: str = ""
    launches: int = 0
    paired: bool = False
    asynchronous: bool = False
    direction: str = ""
    bytes: int | None = None
    operand: str = ""
    pageable: bool = False
    scalar: bool = False
    launch: str = ""
    launch_start: int = 0


def host_facts(env: Environment, function: RawFunction) -> list[HostFacts]:
    """The facts of a host function's calls in order."""
    body = env.body(function)
    return _Reader(env, function, body).run() if body is not None else []


class _Reader:
    def __init__(self, env: Environment, function: RawFunction, body: Node) -> None:
        self.env = env
        self.function = function
        self.events = host_events(body)
        text = env.masked[function.body_start : function.body_end]
        self.pageable = pageable_names(body, text) if b"Async" in text else set()
        self.launches: dict[int, RawLaunch] = {
            one.start: one for one in LaunchFinder(env).find(function)
        }
        self.texts = self._bodies()

    def run(self) -> list[HostFacts]:
        found: list[HostFacts] = []
        for at, event in enumerate(self.events):
            if event.kind in ("record", "device", "other"):
                continue
            facts = self._place(event)
            if event.kind == "launch":
                facts = self._launch(facts)
            elif event.kind == "wait":
                facts = replace(facts, after_launch=self._launched_before(at))
            elif event.kind == "copy":
                facts = self._copy(facts, event)
            elif event.kind in ("allocate", "free"):
                facts = replace(facts, paired=self._paired(event))
            elif event.kind == "clock":
                launch = self._under_way(at)
                if launch is not None:
                    raw = self.launches.get(launch.node.start - self.function.start)
                    name = raw.callee if raw is not None else launch.name
                    start = launch.node.start - self.function.start
                    facts = replace(facts, launch=name, launch_start=start)
            found.append(facts)
        return found

    def _bodies(self) -> dict[str, bytes]:
        """The texts of the functions and macros that are called here, where the file has them."""
        texts: dict[str, bytes] = {}
        for event in self.events:
            name = event.name
            if event.kind != "other" or name in texts:
                continue
            known = self.env.function(name)
            macro = self.env.macro(name)
            if known is not None:
                texts[name] = self.env.masked[known.start : known.end]
            elif macro is not None:
                texts[name] = macro.body.encode()
        return texts

    def _place(self, event: Event) -> HostFacts:
        node, base = event.node, self.function.start
        facts = HostFacts(event.kind, event.name, node.start - base, node.end - base)
        loops = [loop for loop in event.loops if not self._is_setup(loop, event)]
        if len(loops) < len(event.loops) or not loops or self._measures(event):
            return facts
        inner = loops[-1].node
        return replace(
            facts,
            loops=len(loops),
            trips=self._trips(inner),
            scales=all(_scales(loop.node) for loop in loops),
            guarded=event.guarded,
            launches=sum(one.kind == "launch" and loops[-1] in one.loops for one in self.events),
        )

    def _is_setup(self, loop: HostLoop, event: Event) -> bool:
        """Whether each trip of a loop is about another stream, device or element."""
        if any(one.kind == "device" and loop in one.loops for one in self.events):
            return True
        node = event.node
        counters = _counters(loop.node)
        if event.kind == "launch":
            raw = self.launches.get(node.start - self.function.start)
            return raw is not None and any(_mentions(raw.stream_text, name) for name in counters)
        parts = node.kids[1:]
        if event.kind == "copy":
            parts = node.kids[5:6]
        return any(
            one.kind == "name" and one.text in counters
            for part in parts
            if part is not None
            for one in part.walk()
        )

    def _measures(self, event: Event) -> bool:
        """Whether the outermost loop around an event repeats the same calls between looks at a
        clock, or takes the time of each trip."""
        loop = event.loops[0]
        inside = [one for one in self.events if loop in one.loops]
        if any(one.kind in _STEPS for one in inside):
            return True
        first, last = self.events.index(inside[0]), self.events.index(inside[-1])
        before = any(one.kind in _STEPS for one in self.events[:first])
        after = any(one.kind in _STEPS for one in self.events[last + 1 :])
        return (
            before
            and after
            and not any(
                _mentions(text, name)
                for one in inside
                if one.kind == "launch"
                and (raw := self.launches.get(one.node.start - self.function.start)) is not None
                for text in (*raw.arguments, raw.grid_text)
                for name in loop.changed
            )
        )

    def _trips(self, loop: Node) -> int | None:
        """Trips of `for (int i = 0; i < 8; ++i)`, None where they are not written as numbers."""
        if loop.kind != "for" or loop.kids[0] is None or loop.kids[1] is None:
            return None
        start, condition = loop.kids[0], loop.kids[1]
        value = start.kids[0] if start.kind == "decl" and start.kids else None
        if value is None or condition.kind != "bin" or condition.text not in ("<", "<=", "!="):
            return None
        first = fold_number(value, self.env.number, self.env.types.size)
        last = fold_number(condition.kids[1], self.env.number, self.env.types.size)
        if not isinstance(first, int) or not isinstance(last, int):
            return None
        return max(last - first + (condition.text == "<="), 0)

    def _launch(self, facts: HostFacts) -> HostFacts:
        raw = self.launches.get(facts.start)
        if raw is None:
            return facts
        callee = self.env.function(raw.callee)
        text = self.env.masked[callee.body_start : callee.body_end] if callee is not None else b""
        return replace(
            facts,
            name=raw.callee,
            threads=_product(raw.block),
            blocks=_product(raw.grid),
            block_text=raw.block_text,
            block_start=raw.block_start,
            block_end=raw.block_end,
            serial=b"for" in text or b"while" in text,
        )

    def _launched_before(self, at: int) -> str:
        """The kernel that was launched right before a wait, in the same run of statements."""
        event = self.events[at]
        for one in reversed(self.events[:at]):
            if one.loops != event.loops or one.guarded != event.guarded:
                return ""
            if one.kind == "launch":
                raw = self.launches.get(one.node.start - self.function.start)
                return raw.callee if raw is not None else one.name
            if one.kind != "other" or may_wait(one, self.texts):
                return ""
        return ""

    def _under_way(self, at: int) -> Event | None:
        """The launch that may still run at a clock, when a clock was read before it."""
        launch: Event | None = None
        for one in reversed(self.events[:at]):
            if one.kind == "clock":
                return launch
            if launch is None and may_wait(one, self.texts):
                return None
            if one.kind == "launch" and launch is None:
                launch = one
        return None

    def _copy(self, facts: HostFacts, event: Event) -> HostFacts:
        args = event.node.kids[1:]
        target, source, size, direction = COPIES[event.name]
        asynchronous = event.name.endswith("Async")
        how = _SYMBOLS.get(event.name.removesuffix("Async"), "")
        if direction is not None and len(args) > direction:
            kind = args[direction]
            how = _DIRECTIONS.get(kind.text.split("::")[-1], "") if kind is not None else ""
        if len(args) <= max(target, source) or not how:
            return replace(facts, asynchronous=asynchronous)
        host = args[source] if how == "to device" else args[target]
        amount = args[size] if size is not None and len(args) > size else None
        count = fold_number(amount, self.env.number, self.env.types.size)
        one_value = is_scalar_address(host) or (amount is not None and amount.kind == "sizeof")
        return replace(
            facts,
            asynchronous=asynchronous,
            direction=how,
            bytes=count if isinstance(count, int) else None,
            operand=self._text(host),
            pageable=root_name(host) in self.pageable and not is_scalar_address(host),
            scalar=one_value or (isinstance(count, int) and count <= 8),
        )

    def _paired(self, event: Event) -> bool:
        """Whether the innermost loop both allocates and frees this."""
        if not event.loops:
            return False
        other = "free" if event.kind == "allocate" else "allocate"
        name = root_name(event.node.kids[1]) if len(event.node.kids) > 1 else ""
        return any(
            one.kind == other
            and event.loops[-1] in one.loops
            and len(one.node.kids) > 1
            and root_name(one.node.kids[1]) == name
            for one in self.events
        )

    def _text(self, node: Node | None) -> str:
        if node is None:
            return ""
        raw = self.env.masked[node.start : node.end]
        return " ".join(raw.decode("utf-8", errors="replace").split())


def _product(extents: Sequence[int | None]) -> int | None:
    total = 1
    for extent in extents:
        if extent is None:
            return None
        total *= max(extent, 1)
    return total


def _counters(loop: Node) -> set[str]:
    """The variables that count a loop's trips."""
    names: set[str] = set()
    if loop.kind == "for":
        update = loop.kids[2]
        for node in update.walk() if update is not None else ():
            target = node.kids[0] if node.kind in ("update", "assign") and node.kids else None
            if target is not None and target.kind == "name":
                names.add(target.text)
    elif loop.kind == "rangefor" and isinstance(loop.extra, tuple):
        names.update(one.name for one in loop.extra)
    return names


def _scales(loop: Node) -> bool:
    """Whether a loop doubles or halves its variable: it has few trips."""
    update = loop.kids[2] if loop.kind == "for" else None
    return update is not None and any(
        node.kind == "assign" and node.text in ("*=", "/=", "<<=", ">>=") for node in update.walk()
    )


def _mentions(text: str, name: str) -> bool:
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        before = text[at - 1] if at else " "
        after = text[end] if end < len(text) else " "
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return True
        at = text.find(name, at + 1)
    return False
