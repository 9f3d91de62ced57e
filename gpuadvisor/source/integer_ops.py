"""Integer operations whose result is no polynomial at first sight: division, modulo, bits."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import TYPE_CHECKING

from gpuadvisor.source.lanes import (
    ONE,
    WARP,
    Poly,
    add,
    as_int,
    constant,
    known_lanes,
    lanes_of,
    lanewise,
    multiply,
    quotient,
    remainder,
)
from gpuadvisor.source.records import Division
from gpuadvisor.source.values import Atom, Value

if TYPE_CHECKING:
    from gpuadvisor.source.machine import Machine
    from gpuadvisor.source.syntax_nodes import Node

_SLOW_DIVISOR = 32
"""Neighbouring lanes mostly share a quotient by at least this many."""


def divide(machine: Machine, sign: str, left: Poly, right: Poly, node: Node) -> Poly | None:
    """left / right or left % right of non-negative numbers.

    A quotient that is not known becomes an unknown q named by its text, and the remainder is
    left - right * q, so that q * right + remainder is left again, as in index splitting.
    """
    divisor = as_int(right)
    atoms = machine.atoms
    if divisor == 0:
        return None
    if divisor is not None and divisor > 0:
        left = _with_factors(machine, left, divisor)
        if sign == "/":
            result = quotient(left, divisor, atoms.multiple_of)
        else:
            result = remainder(left, divisor, atoms.multiple_of)
        if result is not None:
            return result
        shared = _same_in_warp(machine, left, divisor)
        if shared is not None:
            product = multiply(shared, right)
            return shared if sign == "/" or product is None else add(left, product, -1)
    if atoms.varying(right) or (atoms.hidden(left) and sign == "/"):
        return None
    if not atoms.varying(left):
        return None
    if atoms.hidden(left):
        arrays = atoms.arrays(left)
        return machine.varying_value(machine.text(node), None, "other", arrays, divisor).poly
    slow = divisor is None or divisor >= _SLOW_DIVISOR
    if divisor is not None and not slow:
        return machine.varying_value(machine.text(node), None, "other", limit=divisor
                                     if sign == "%" else None).poly  # fmt: skip
    name = f"({_shown(left)}) / ({_shown(right)})"
    whole = atoms.get("~" + name, Atom("div", True, slow))
    if sign == "/":
        return whole
    product = multiply(whole, right)
    return add(left, product, -1) if product is not None else None


def _with_factors(machine: Machine, poly: Poly, divisor: int) -> Poly:
    """The same number with unknowns that are multiples of 32 (blockDim.x) written as such, where
    that lets a term be divided."""
    result: Poly = {}
    for monomial, value in poly.items():
        if isinstance(value, int) and value % divisor:
            for at, name in enumerate(monomial):
                multiple = machine.atoms.multiple_of(name)
                if multiple > 1 and value * multiple % divisor == 0:
                    atom = replace(machine.atoms.known[name], multiple=1)
                    part = machine.atoms.get(f"{name} / {multiple}", atom)
                    inner = next(iter(part))
                    monomial = tuple(sorted(monomial[:at] + inner + monomial[at + 1 :]))
                    value *= multiple
                    break
        result[monomial] = value
    return result


def _same_in_warp(machine: Machine, left: Poly, divisor: int) -> Poly | None:
    """The quotient of an index by a multiple of 32 where a warp's 32 indices start at a multiple
    of 32: unknown, but the same for all lanes."""
    atoms = machine.atoms
    if divisor % WARP or atoms.hidden(left):
        return None
    for monomial, value in left.items():
        if monomial == ONE:
            continue
        factor = value if isinstance(value, int) else 1
        for name in monomial:
            factor *= atoms.multiple_of(name)
        if factor % WARP or any(atom.varying for atom in atoms.of({monomial: 1})):
            return None
    lanes = lanes_of(left.get(ONE, 0))
    if min(lanes) // WARP != max(lanes) // WARP or min(lanes) < 0:
        return None
    kinds = {atom.kind for atom in atoms.of(left)}
    kind = "warp" if "warp" in kinds else "block" if "block" in kinds else "other"
    return atoms.get(f"({_shown(left)}) / {divisor}", Atom(kind))


def _less_one(poly: Poly) -> bool:
    """Whether a polynomial is an unknown less one, as masks for powers of two are."""
    return poly.get(ONE) == -1 and len(poly) > 1


def _shown(poly: Poly) -> str:
    return " + ".join(f"{value} {'*'.join(name)}" for name, value in sorted(poly.items()))


def other_operator(machine: Machine, sign: str, left: Poly, right: Poly, node: Node) -> Poly | None:
    """Shifts and bit operations."""
    count = as_int(right)
    multiple_of = machine.atoms.multiple_of
    if sign == "<<" and count is not None and 0 <= count < 62:
        return multiply(left, constant(1 << count))
    if sign == ">>" and count is not None and 0 <= count < 62:
        return divide(machine, "/", left, constant(1 << count), node)
    if sign == "&":
        for value, mask in ((left, count), (right, as_int(left))):
            if mask is not None and mask >= 0 and mask & (mask + 1) == 0:
                result = remainder(value, mask + 1, multiple_of)
                if result is not None:
                    return result
                if machine.atoms.varying(value):
                    arrays = machine.atoms.arrays(value)
                    text = machine.text(node)
                    return machine.varying_value(text, None, "other", arrays, mask + 1).poly
        for value, mask_poly in ((left, right), (right, left)):
            if _less_one(mask_poly) and not machine.atoms.varying(mask_poly):
                # x & (n - 1) is x % n for the powers of two that people write it for.
                return divide(machine, "%", value, add(mask_poly, constant(1)), node)
    apply = {"&": operator.and_, "|": operator.or_, "^": operator.xor,
             ">>": operator.rshift, "<<": operator.lshift}.get(sign)  # fmt: skip
    if apply is None:
        return None
    if sign == "<<" and not _small(right):
        return None
    known = lanewise(left, right, apply)
    if known is not None:
        return known
    if sign in ("^", "|"):
        low = _low_bits(machine, left, right) or _low_bits(machine, right, left)
        if low is not None:
            value, bits = low
            rest = lanewise(constant(value.get(ONE, 0)), bits, apply)
            if rest is not None:
                above = {m: number for m, number in value.items() if m != ONE}
                return add(above, rest)
    if sign in ("^", "|") and (not left or not right):
        return left or right
    return None


def _low_bits(machine: Machine, value: Poly, bits: Poly) -> tuple[Poly, Poly] | None:
    """(value, bits) when `bits` are known and lie below all unknown parts of `value`."""
    lanes = known_lanes(bits)
    if lanes is None or min(lanes) < 0 or min(lanes_of(value.get(ONE, 0))) < 0:
        return None
    above = 1 << max(lanes).bit_length()
    for monomial, number in value.items():
        factor = 1
        for name in monomial:
            factor *= machine.atoms.multiple_of(name)
        if monomial != ONE and any(one * factor % above for one in lanes_of(number)):
            return None
    return value, bits


def _small(poly: Poly) -> bool:
    lanes = known_lanes(poly)
    return lanes is not None and min(lanes) >= 0 and max(lanes) < 62


def note_division(machine: Machine, sign: str, left: Value, right: Value, node: Node) -> None:
    """Notes an integer division whose operands are known to be integers."""
    if machine.silent or not machine.is_int(left.type) or (left.fixed and right.fixed):
        return
    if right.type is not None and not machine.is_int(right.type):
        return
    start, end = machine.at(node)
    divisor = as_int(right.poly) if right.poly is not None else None
    kinds = {atom.kind for atom in machine.atoms.of(right.poly)} if right.poly else set()
    fixed = right.fixed or (right.poly is not None and kinds <= {"template"})
    wide = {machine.env.size(t) for t in (left.type, right.type) if t is not None}
    kid = node.kids[1] if len(node.kids) > 1 else None
    text = machine.text(kid) if kid is not None else ""
    bits = 64 if 8 in wide else 32
    machine.records.divisions.append(
        Division(
            start,
            end,
            sign,
            text,
            divisor,
            fixed,
            len(machine.loops),
            bits,
            machine.serial_depth(),
            any(v.poly is None or machine.atoms.varying(v.poly) for v in (left, right)),
        )
    )
