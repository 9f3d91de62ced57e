"""Conditions: which threads of a block pass them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpuadvisor.source.lanes import ONE, WARP, Poly, add, lanes_of
from gpuadvisor.source.machine import Mask

if TYPE_CHECKING:
    from gpuadvisor.source.expressions import Expressions
    from gpuadvisor.source.syntax_nodes import Node

BLOCK = 1024
_WARP_ATOM = ("threadIdx.x / 32",)
_COMPARE: dict[str, Callable[[int], bool]] = {
    "==": lambda d: d == 0,
    "!=": lambda d: d != 0,
    "<": lambda d: d < 0,
    "<=": lambda d: d <= 0,
    ">": lambda d: d > 0,
    ">=": lambda d: d >= 0,
}


@dataclass(frozen=True)
class BranchGuard:
    """What a condition does to the threads of a block, of 1024 where it is unknown.

    `threads` pass, `rest` do not (None unknown); `splits` whether lanes of a warp differ (None
    unknown); `differs` whether threads of the block differ; `bounds` for the check of an index
    against a size, which all threads but those of the last block pass. `mask`, `rest_mask`: the
    lanes that pass and do not, where all warps that have any agree on them. `split_share`: the
    share of a block's warps whose lanes part, None unknown."""

    threads: int | None
    rest: int | None
    splits: bool | None
    differs: bool
    bounds: bool
    mask: Mask | None = None
    rest_mask: Mask | None = None
    split_share: float | None = None


ALIKE = BranchGuard(None, None, False, False, False)
"""A condition that all threads agree on, or none."""


def is_uniform(machine: Expressions, condition: Node) -> bool:
    """Whether all lanes of a warp agree on a condition."""
    guard = branch_guard(machine, condition)
    return guard.splits is False


def branch_guard(machine: Expressions, condition: Node) -> BranchGuard:
    """How threads differ in a condition."""
    machine.silent += 1
    try:
        return _guard(machine, condition)
    finally:
        machine.silent -= 1


def _guard(machine: Expressions, node: Node) -> BranchGuard:
    if node.kind == "un" and node.text == "!" and node.kids[0] is not None:
        inner = _guard(machine, node.kids[0])
        return replace(
            inner,
            threads=inner.rest,
            rest=inner.threads,
            mask=inner.rest_mask,
            rest_mask=inner.mask,
        )
    if node.kind == "bin" and node.text in ("&&", "||"):
        parts = [_guard(machine, kid) for kid in node.kids if kid is not None]
        return _both(parts, node.text)
    if node.kind == "bin" and node.text in _COMPARE:
        left, right = machine.rvalue(node.kids[0]), machine.rvalue(node.kids[1])
        if left.poly is None or right.poly is None:
            return _data(machine.varies(left, right), left.fixed and right.fixed)
        equality = node.text in ("==", "!=")
        difference = add(left.poly, right.poly, -1)
        return _compare(machine, difference, _COMPARE[node.text], equality)
    value = machine.rvalue(node)
    if value.poly is not None:
        return _compare(machine, value.poly, _COMPARE["!="])
    return _data(machine.varies(value), value.fixed)


def _data(varies: bool, fixed: bool) -> BranchGuard:
    """A condition on data. Where threads are not known to differ nothing is claimed."""
    splits = None if varies or not fixed else False
    return BranchGuard(None, None, splits, varies, False)


def _both(parts: list[BranchGuard], sign: str) -> BranchGuard:
    differs = any(part.differs for part in parts)
    splits: bool | None = False
    if any(part.splits for part in parts):
        splits = True
    elif any(part.splits is None for part in parts):
        splits = None
    known = [part.threads for part in parts if part.threads is not None and not part.bounds]
    shares = [part.split_share for part in parts if part.splits]
    share = None
    if shares and None not in shares:
        known_shares = [one for one in shares if one is not None]
        share = min(known_shares) if sign == "&&" else max(known_shares)
    bounds = all(part.bounds or not part.differs for part in parts) and any(
        part.bounds for part in parts
    )
    if sign == "&&":
        masks = [part.mask for part in parts if part.mask is not None]
        mask = tuple([all(one) for one in zip(*masks, strict=True)]) if masks else None
        threads = min(known) if known else None
        return BranchGuard(threads, None, splits, differs, bounds, mask, split_share=share)
    return BranchGuard(None, None, splits, differs, bounds, split_share=share)


def _compare(
    machine: Expressions, difference: Poly, passes: Callable[[int], bool], equality: bool = True
) -> BranchGuard:
    atoms = machine.atoms
    if not atoms.thread_dependent(difference):
        return BranchGuard(None, None, None if atoms.varying(difference) else False, False, False)
    if atoms.hidden(difference):
        return BranchGuard(None, None, None, True, False)
    rest = {m: value for m, value in difference.items() if m not in (ONE, _WARP_ATOM)}
    if not rest:
        lanes = lanes_of(difference.get(ONE, 0))
        step = lanes_of(difference.get(_WARP_ATOM, 0))
        threads = _threads(machine)
        warps = -(-threads // 32)
        votes = [
            [passes(lanes[lane] + step[lane] * warp) for lane in range(32)] for warp in range(warps)
        ]
        count = sum(map(sum, votes))
        split_warps = sum(len(set(vote)) > 1 for vote in votes)
        splits = split_warps > 0
        mask = _pattern(votes, True)
        differs = 0 < count < threads
        return BranchGuard(
            count,
            threads - count,
            splits,
            differs,
            False,
            mask,
            _pattern(votes, False),
            split_warps / warps,
        )
    if equality and any(atom.slow for atom in atoms.of(rest)):
        # A remainder is compared: `t % (2 * step) == 0` picks lanes out of each warp.
        return BranchGuard(None, None, True, True, False, split_share=1.0)
    if equality and len(set(lanes_of(difference.get(ONE, 0)))) == WARP:
        # One index is picked out of all: at most one thread of the grid.
        one, all_others = (1, None) if passes(0) else (None, 1)
        return BranchGuard(one, all_others, True, True, False, split_share=0.0)
    kinds = {atom.kind for atom in atoms.of(rest)}
    if kinds & {"block", "dim", "param", "template", "other", "load", "div", "loop", "fixed-loop"}:
        # A global index against a size splits one warp of the grid at most.
        return BranchGuard(None, None, False, True, True)
    some: bool | None = (
        None if any(isinstance(value, tuple) for value in difference.values()) else False
    )
    return BranchGuard(None, None, some, True, False)


def _threads(machine: Expressions) -> int:
    """The threads of a block, 1024 where the launch is not known."""
    total = 1
    for extent in machine.block:
        if extent is None:
            return BLOCK
        total *= max(extent, 1)
    return max(min(total, BLOCK), 32)


def _pattern(votes: list[list[bool]], wanted: bool) -> Mask | None:
    """The lanes that vote `wanted`, where all warps in which any does agree on them."""
    found = {tuple([vote == wanted for vote in warp]) for warp in votes if wanted in warp}
    return next(iter(found)) if len(found) == 1 else None
