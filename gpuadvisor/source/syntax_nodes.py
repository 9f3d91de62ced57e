"""A small syntax tree of our own: what the analysis needs of a function, in plain objects.

Walking the parser's nodes costs a call each time; the analysis looks at a function several
times, so it is copied once into these.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuadvisor.source.layout import CType


class Node:
    """One expression or statement.

    kind: expressions num, name, bin, un, deref, addr, call, index, member, cast, cond, assign,
        update, init, lambda, sizeof, str, comma, paren (only where it matters), new, other;
        statements block, decl, expr, if, for, while, do, rangefor, switch, case, return, break,
        continue, pragma, asm, empty, label.
    start, end: byte offsets in the file. text: operator, name, literal or member.
    kids: children; None where an optional one is absent (`for (;;)`).
    """

    __slots__ = ("end", "extra", "kids", "kind", "start", "text")

    def __init__(
        self,
        kind: str,
        start: int,
        end: int,
        text: str = "",
        kids: tuple[Node | None, ...] = (),
        extra: object = None,
    ) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.text = text
        self.kids = kids
        self.extra = extra

    def __repr__(self) -> str:
        return f"Node({self.kind} {self.text!r} {list(self.kids)!r})"

    def walk(self) -> list[Node]:
        """This node and all below it, outer ones first."""
        found: list[Node] = []
        stack: list[Node] = [self]
        while stack:
            node = stack.pop()
            found.append(node)
            stack.extend(kid for kid in reversed(node.kids) if kid is not None)
        return found


@dataclass(frozen=True)
class Declarator:
    """One declared name. `dims` are the extents, None for `[]`. `storage` is shared, constant,
    device, extern-shared, static or empty. `start`, `end` span the declarator without its
    initial value."""

    name: str
    type: CType
    dims: tuple[Node | None, ...]
    storage: str
    start: int
    end: int
    constexpr: bool = False
