"""What else can be said of an access from its address: gaps that a loop fills, misalignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuadvisor.source.lanes import ONE, Poly, lanes_of
from gpuadvisor.source.values import plain_name

if TYPE_CHECKING:
    from gpuadvisor.source.machine import LoopState, Machine
    from gpuadvisor.source.records import Stride
    from gpuadvisor.source.values import Atoms

_COUNTERS = frozenset({"warp", "loop", "fixed-loop"})
"""Unknowns that take neighbouring whole numbers from a start on."""


def lead(offset: Poly, stride: Stride) -> int | None:
    """The constant part of lane 0's byte offset, None where lanes are no known distance apart."""
    return lanes_of(offset.get(ONE, 0))[0] if stride.kind == "linear" else None


def is_filled(
    offset: Poly, stride: Stride, width: int | None, loops: list[LoopState], atoms: Atoms
) -> bool:
    """Whether a loop with a known number of trips moves the access, in steps no wider than the
    access itself, over what lies between neighbouring lanes: then all that is fetched is used."""
    gap = abs(stride.bytes) if stride.kind == "linear" and stride.bytes else 0
    if not gap or not width or gap <= width:
        return False
    for monomial, value in offset.items():
        if len(monomial) != 1 or not isinstance(value, int):
            continue
        atom = atoms.known.get(monomial[0])
        if atom is None or atom.kind != "fixed-loop":
            continue
        name = plain_name(monomial[0])
        for loop in loops:
            trips, step = loop.walks.get(name, (0, 1))
            moved = abs(value) * step
            if trips and moved <= width and moved * trips >= gap:
                return True
    return False


def is_misaligned(
    machine: Machine, offset: Poly, align: int | None, space: str, active: tuple[int, ...]
) -> bool:
    """Whether the address of some lane is known to be no multiple of `align`, the start of the
    array being one."""
    atoms = machine.atoms
    if align is None or align < 2 or space not in ("global", "shared") or atoms.hidden(offset):
        return False
    aligned = True
    for monomial, value in offset.items():
        if monomial == ONE:
            continue
        if not isinstance(value, int) or any(atom.slow for atom in atoms.of({monomial: 1})):
            return False
        factor = value
        for name in monomial:
            factor *= atoms.multiple_of(name)
        if factor % align:
            kinds = {atom.kind for atom in atoms.of({monomial: 1})}
            if space == "shared" and len(monomial) == 1 and kinds <= _COUNTERS:
                # Rows of a padded tile: the first may be aligned, the second is not.
                return True
            aligned = False
    lanes = lanes_of(offset.get(ONE, 0))
    rests = {lanes[lane] % align for lane in active}
    return len(rests) > 1 or (aligned and rests != {0})
