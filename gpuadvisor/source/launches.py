"""Kernel launches in host code: what is launched with which grid and block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpuadvisor.source.fold import fold_number
from gpuadvisor.source.model import Dim, Launch, Span
from gpuadvisor.source.syntax_nodes import Declarator, Node
from gpuadvisor.source.text import one_line

if TYPE_CHECKING:
    from gpuadvisor.source.environment import Environment, Number
    from gpuadvisor.source.outline import RawFunction

LAUNCH_CALLS = {
    "cudaLaunchKernel": "cudaLaunchKernel",
    "cudaLaunchCooperativeKernel": "cudaLaunchCooperativeKernel",
    "cudaLaunchKernelEx": "cudaLaunchKernelEx",
    "cudaLaunchKernelExC": "cudaLaunchKernelEx",
}
_MARKS = (b"<<<", b"cudaLaunch")


@dataclass(frozen=True)
class RawLaunch:
    """A launch with byte offsets from the start of the function it is in; see `model.Launch`."""

    start: int
    end: int
    block_start: int
    block_end: int
    callee: str
    how: str
    function: str
    grid: Dim
    block: Dim
    grid_text: str
    block_text: str
    shared_text: str
    stream_text: str
    arguments: tuple[str, ...]

    def placed(self, span: Callable[[int, int], Span], base: int) -> Launch:
        """The launch with lines and columns."""
        return Launch(
            self.callee,
            span(base + self.start, base + self.end),
            self.how,
            self.function,
            self.grid,
            self.block,
            self.grid_text,
            self.block_text,
            span(base + self.block_start, base + self.block_end),
            self.shared_text,
            self.stream_text,
            self.arguments,
        )


class LaunchFinder:
    """Finds the launches in functions of one file."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.masked = env.masked
        self.origin = 0

    def holds_launch(self, function: RawFunction) -> bool:
        """Whether a look at the function is worth it."""
        body = self.masked[function.body_start : function.body_end]
        return any(mark in body for mark in _MARKS)

    def find(self, function: RawFunction) -> list[RawLaunch]:
        """The launches of one function, in order."""
        body = self.env.body(function)
        if body is None:
            return []
        self.origin = function.start
        values = _local_values(body)
        found: list[RawLaunch] = []
        for node in body.walk():
            if node.kind != "call":
                continue
            how = node.extra if isinstance(node.extra, tuple) else ("call", ())
            if how[0] == "launch":
                found.append(self._launch(node, node.text, how[1], node.kids[1:], values,
                                          "chevrons", function.name))  # fmt: skip
            elif node.text in LAUNCH_CALLS and len(node.kids) >= 4:
                args = node.kids[1:]
                if "Ex" in node.text:
                    callee, configuration = args[1], args[:0]
                else:
                    callee, configuration = args[0], (*args[1:3], *args[4:6])
                name = self._callee_name(callee)
                found.append(self._launch(node, name, configuration, (), values,
                                          LAUNCH_CALLS[node.text], function.name))  # fmt: skip
        return sorted(found, key=lambda one: one.start)

    def _launch(
        self,
        node: Node,
        callee: str,
        configuration: tuple[Node | None, ...],
        args: tuple[Node | None, ...],
        values: dict[str, Node | None],
        how: str,
        function: str,
    ) -> RawLaunch:
        parts = list(configuration) + [None] * 4
        grid, block = parts[0], parts[1]
        at = block or node
        return RawLaunch(
            node.start - self.origin,
            node.end - self.origin,
            at.start - self.origin,
            at.end - self.origin,
            callee,
            how,
            function,
            self._dim(grid, values),
            self._dim(block, values),
            self._text(grid),
            self._text(block),
            self._text(parts[2]),
            self._text(parts[3]),
            tuple([self._text(arg) for arg in args]),
        )

    def _dim(self, node: Node | None, values: dict[str, Node | None]) -> Dim:
        """The three extents of a dim3 or number, following a local variable once assigned."""
        for _ in range(4):
            if node is not None and node.kind == "name" and values.get(node.text) is not None:
                node = values[node.text]
            else:
                break
        if node is None:
            return (None, None, None)
        if node.kind == "call" and node.text == "dim3":
            parts: tuple[Node | None, ...] = node.kids[1:]
        elif node.kind == "init" or (node.kind == "cast" and len(node.kids) == 3):
            parts = node.kids
        else:
            parts = (node,)
        numbers: list[int | None] = []
        for part in parts[:3]:
            value = fold_number(part, lambda name: self._number(name, values, 0),
                                self.env.types.size)  # fmt: skip
            numbers.append(value if isinstance(value, int) else None)
        if numbers == [None] and node.kind in ("name", "member", "call", "index"):
            return (None, None, None)
        numbers += [1] * (3 - len(numbers))
        return (numbers[0], numbers[1], numbers[2])

    def _number(self, name: str, values: dict[str, Node | None], depth: int) -> Number | None:
        node = values.get(name)
        if node is not None and depth < 8:
            return fold_number(node, lambda one: self._number(one, values, depth + 1),
                               self.env.types.size)  # fmt: skip
        return None if name in values else self.env.number(name)

    def _callee_name(self, node: Node | None) -> str:
        while node is not None and node.kind in ("cast", "addr"):
            node = node.kids[0]
        if node is None:
            return ""
        text = node.text if node.kind == "name" else self._text(node)
        return text.split("<")[0].split("::")[-1].strip("( &)")

    def _text(self, node: Node | None) -> str:
        if node is None:
            return ""
        return one_line(self.masked[node.start : node.end])


def _local_values(body: Node) -> dict[str, Node | None]:
    """Initial values of local variables that are never assigned again; None for the others."""
    values: dict[str, Node | None] = {}
    for node in body.walk():
        if node.kind == "decl" and isinstance(node.extra, tuple):
            for one, value in zip(node.extra, node.kids, strict=True):
                if isinstance(one, Declarator):
                    values[one.name] = None if one.name in values or one.dims else value
        elif node.kind in ("assign", "update") and node.kids[0] is not None:
            target = node.kids[0]
            while target.kind in ("member", "index") and target.kids[0] is not None:
                target = target.kids[0]
            if target.kind == "name":
                values[target.text] = None
        elif node.kind == "call":
            for kid in node.kids[1:]:
                if kid is not None and kid.kind == "addr" and kid.kids[0] is not None:
                    values[kid.kids[0].text] = None
    return values
