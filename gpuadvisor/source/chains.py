"""Loads whose address comes from the same load one trip of a loop earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuadvisor.source.records import Chain
from gpuadvisor.source.syntax_nodes import Declarator, Node
from gpuadvisor.source.values import NOTHING

if TYPE_CHECKING:
    from gpuadvisor.source.machine import Machine

_MAX_NODES = 400


def note_chains(machine: Machine, loop: Node, assigned: dict[str, list[Node]]) -> None:
    """Notes chains in a loop: `p = next[p]`, `p = p->next`, also by way of variables of the loop's
    own and through arithmetic (`h = table[h & mask] ^ 1`), and searches, where a load decides
    which way its own index goes. `assigned` holds what the loop assigns to its variables but for
    steps by a fixed amount."""
    locals_ = _declared(loop)
    found: set[tuple[int, int]] = set()
    for name, values in sorted(assigned.items()):
        for value in values:
            for load in _loads(value, locals_):
                if _mentions(load, {name}, locals_, {name}):
                    _note(machine, load, name, found)
    for node in loop.walk():
        condition = node.kids[0] if node.kind in ("if", "cond") else None
        if condition is None:
            continue
        branches = [kid for kid in node.kids[1:] if kid is not None]
        changed = {name for branch in branches for name in _changed(branch)} & set(assigned)
        if node.kind == "cond" or not changed:
            continue
        for load in _loads(condition, locals_):
            names = {name for name in changed if _mentions(load, {name}, locals_, set())}
            if names:
                _note(machine, load, min(names), found)


def _note(machine: Machine, load: Node, name: str, found: set[tuple[int, int]]) -> None:
    base = load.kids[0]
    if base is None or (load.start, load.end) in found:
        return
    array = machine.text(base) if load.kind == "index" else machine.text(load)
    known = machine.names.get(array)
    if known is not None and (known.dims or known.space in ("local", "shared")):
        return
    pointer = machine.values.get(array, NOTHING).ptr
    if pointer is not None and pointer.space in ("local", "shared"):
        return
    found.add((load.start, load.end))
    start, end = machine.at(load)
    machine.records.chains.append(Chain(start, end, array, name))


def _declared(loop: Node) -> dict[str, Node]:
    """What the variables that the loop declares start as."""
    found: dict[str, Node] = {}
    for node in loop.walk():
        if node.kind == "decl" and isinstance(node.extra, tuple):
            for one, value in zip(node.extra, node.kids, strict=True):
                if value is not None and isinstance(one, Declarator) and not one.dims:
                    found[one.name] = value
    return found


def _reach(node: Node, locals_: dict[str, Node], stop: set[str]) -> list[Node]:
    """A node's parts with the loop's own variables replaced by what they start as."""
    found: list[Node] = []
    stack, seen = [node], set(stop)
    while stack and len(found) < _MAX_NODES:
        one = stack.pop()
        found.append(one)
        if one.kind == "name" and one.text in locals_ and one.text not in seen:
            seen.add(one.text)
            stack.append(locals_[one.text])
        stack.extend(kid for kid in one.kids if kid is not None)
    return found


def _loads(node: Node, locals_: dict[str, Node]) -> list[Node]:
    return [
        one
        for one in _reach(node, locals_, set())
        if one.kind == "index" or (one.kind == "member" and one.extra)
    ]


def _mentions(load: Node, names: set[str], locals_: dict[str, Node], stop: set[str]) -> bool:
    """Whether the address of a load rests on one of the names."""
    parts = load.kids[1:] if load.kind == "index" else load.kids[:1]
    return any(
        one.kind == "name" and one.text in names
        for part in parts
        if part is not None
        for one in _reach(part, locals_, stop)
    )


def _changed(node: Node) -> set[str]:
    names: set[str] = set()
    for one in node.walk():
        target = one.kids[0] if one.kind in ("assign", "update") else None
        if target is not None and target.kind == "name":
            names.add(target.text)
    return names
