"""Variables that each trip of an innermost loop computes from themselves: sums and products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuadvisor.source.records import Accumulation
from gpuadvisor.source.syntax_nodes import Declarator, Node

if TYPE_CHECKING:
    from gpuadvisor.source.machine import LoopState, Machine

_FUSED = frozenset({"fma", "fmaf", "__fmaf_rn", "__fma_rn", "__hfma", "__hfma2", "__dp4a"})


def note_accumulations(machine: Machine, loop: Node, state: LoopState) -> None:
    """Notes `sum += a[k] * b[k]`, `sum = fmaf(a, b, sum)` and the like, for variables and
    per-thread arrays from outside the loop. What the loop also sets to something else is none;
    whole numbers only count when a product is added."""
    if not state.leaf:
        return
    parts = [one for kid in loop.kids[-1:] if kid is not None for one in kid.walk()]
    inside = {
        one.name
        for node in parts
        if node.kind == "decl" and isinstance(node.extra, tuple)
        for one in node.extra
        if isinstance(one, Declarator)
    }
    found: dict[str, tuple[Node, bool]] = {}
    broken: set[str] = set()
    for node in parts:
        target = node.kids[0] if node.kind == "assign" else None
        name = _name(target)
        if target is None or not name or name in inside or not _counts(machine, target, name):
            continue
        product = _builds_on(node, target)
        if product is None:
            broken.add(name)
        elif product or not machine.is_int(machine.names[name].type):
            found.setdefault(name, (node, product))
    chains = [name for name in found if name not in broken]
    loop_start, loop_end = machine.at(loop)
    for name in chains:
        node, product = found[name]
        start, end = machine.at(node)
        whole = not machine.names[name].dims
        machine.records.accumulations.append(
            Accumulation(
                start,
                end,
                name,
                str(machine.names[name].type),
                len(chains) if whole else 32,
                product,
                state.spread,
                loop_start,
                loop_end,
            )
        )


def _name(target: Node | None) -> str:
    while target is not None and target.kind == "index":
        target = target.kids[0]
    return target.text if target is not None and target.kind == "name" else ""


def _counts(machine: Machine, target: Node, name: str) -> bool:
    known = machine.names.get(name)
    if known is None or known.space != ("local" if target.kind == "index" else "register"):
        return False
    ctype = known.type
    number = machine.is_number(ctype, "float") or machine.is_number(ctype, "double")
    return number or machine.is_int(ctype) or machine.is_half(ctype)


def _builds_on(node: Node, target: Node) -> bool | None:
    """Whether an assignment adds a product to its target; None when it does not build on it by a
    sum, difference, product or multiply-add."""
    value = node.kids[1]
    if node.text in ("+=", "-="):
        return _is_product(value)
    if node.text == "*=":
        return False
    if node.text != "=" or value is None:
        return None
    if value.kind == "call" and value.text in _FUSED and len(value.kids) == 4:
        return True if any(_same(kid, target) for kid in value.kids[1:]) else None
    if value.kind == "bin" and value.text in ("+", "-", "*"):
        one, other = value.kids
        if _same(one, target) or (_same(other, target) and value.text != "-"):
            term = other if _same(one, target) else one
            return value.text != "*" and _is_product(term)
    return None


def _same(one: Node | None, other: Node | None) -> bool:
    """Whether two expressions are spelt alike."""
    if one is None or other is None:
        return one is other
    if (one.kind, one.text, len(one.kids)) != (other.kind, other.text, len(other.kids)):
        return False
    return all(_same(a, b) for a, b in zip(one.kids, other.kids, strict=True))


def _is_product(node: Node | None) -> bool:
    return node is not None and node.kind == "bin" and node.text == "*"
