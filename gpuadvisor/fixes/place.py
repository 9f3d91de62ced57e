"""Looking at a parsed text around a place: what every fix begins with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuadvisor.source.text import LineIndex
from gpuadvisor.source.tree import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

    from gpuadvisor.evidence.findings import Location


class Place:
    """A text, its tree, and the bytes that a location covers in it."""

    def __init__(self, text: str, location: Location) -> None:
        self.data = text.encode("utf-8", "surrogatepass")
        self.index = LineIndex(self.data)
        self.parsed = Parsed(self.data)
        self.start, self.end = self._span(location)

    def _span(self, location: Location) -> tuple[int, int]:
        start = self.index.trimmed(location.line)[0]
        end = self.index.trimmed(max(location.end_line, location.line))[1]
        if location.column is not None:
            start = self._offset(location.line, location.column)
            if location.end_column is not None:
                end = self._offset(max(location.end_line, location.line), location.end_column)
        return start, max(start, end)

    def _offset(self, line: int, column: int) -> int:
        start, end = self.index.bounds(line)
        head = self.data[start:end].decode("utf-8", "surrogatepass")[: max(column - 1, 0)]
        return start + len(head.encode("utf-8", "surrogatepass"))

    def text(self, node: Node) -> str:
        """The source of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def covered(self, kind: str) -> Iterator[Node]:
        """The nodes of a kind that begin inside the place, in the order of the text."""
        stack = [self.parsed.root]
        while stack:
            node = stack.pop()
            if node.end_byte <= self.start or node.start_byte >= self.end:
                continue
            if node.type == kind and node.start_byte >= self.start:
                yield node
            stack.extend(reversed(node.children))

    def function(self) -> Node | None:
        """The function definition around the place."""
        node = self.parsed.root.descendant_for_byte_range(self.start, self.start)
        while node is not None and node.type != "function_definition":
            node = node.parent
        return node


def descendants(node: Node, kind: str) -> Iterator[Node]:
    """All nodes of a kind at or below a node, in the order of the text."""
    stack = [node]
    while stack:
        at = stack.pop()
        if at.type == kind:
            yield at
        stack.extend(reversed(at.children))
