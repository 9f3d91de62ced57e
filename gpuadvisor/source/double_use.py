"""Where double arithmetic comes from: literals, functions, operands."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from gpuadvisor.source.fold import literal
from gpuadvisor.source.layout import CType
from gpuadvisor.source.records import DoubleUse
from gpuadvisor.source.values import DOUBLE, Promotion, Value

if TYPE_CHECKING:
    from gpuadvisor.source.machine import Machine
    from gpuadvisor.source.syntax_nodes import Node

_RANK = ["long", "unsigned long", "long long", "unsigned long long", "size_t", "uint64_t",
         "int64_t", "ptrdiff_t"]  # fmt: skip


def arithmetic_type(machine: Machine, left: Value, right: Value) -> CType | None:
    """The type of an arithmetic result (usual conversions), None when one is not known."""
    one, other = left.type, right.type
    for name in ("double", "float"):
        if machine.is_number(one, name) or machine.is_number(other, name):
            return CType(name)
    if one is None or other is None:
        return None
    for ctype in (one, other):
        if ctype.name in machine.type_names or not machine.is_int(ctype):
            return ctype
    for ctype in (one, other):
        if machine.real_name(ctype) in _RANK:
            return ctype
    return one if one.name.startswith("u") else other if other.name.startswith("u") else one


def is_exact(text: str) -> bool:
    """Whether a literal is the same number as a float."""
    value = literal(text)[0]
    if not isinstance(value, float):
        return False
    try:
        return bool(struct.unpack("f", struct.pack("f", value))[0] == value)
    except OverflowError:
        return False


def literal_promotion(node: Node) -> Promotion:
    """What a double literal, or a named double constant, carries on."""
    return Promotion((node,), inexact=not is_exact(node.text))


def combine(
    machine: Machine, node: Node, operator: str, left: Value, right: Value
) -> Promotion | None:
    """What the result of double arithmetic carries on; None when it is no double, or when true
    double data takes part, which is noted."""
    operands = (left, right)
    if not any(machine.is_number(one.type, "double") for one in operands):
        return None
    if any(is_double(machine, one) for one in operands):
        _note_operand(machine, node)
        return None
    carried = [one.promotion for one in operands if one.promotion is not None]
    pure = left.pure and right.pure
    return Promotion(
        tuple([one for part in carried for one in part.literals]),
        sum(part.operations for part in carried) + (not pure),
        any(part.inexact for part in carried) or (pure and operator == "/"),
        any(part.floats for part in carried)
        or any(machine.is_number(one.type, "float") for one in operands),
        any(part.integers for part in carried)
        or any(machine.is_int(one.type) and not one.pure for one in operands),
    )


def compare(machine: Machine, node: Node, left: Value, right: Value) -> None:
    """Notes a comparison in double. One with a literal that is a float without loss is done in
    float by the compiler."""
    if any(is_double(machine, one) for one in (left, right)):
        _note_operand(machine, node)
        return
    for one, other in ((left, right), (right, left)):
        promotion = one.promotion
        if promotion is None:
            continue
        floats = machine.is_number(other.type, "float") or promotion.floats
        if floats and (not one.pure or promotion.inexact):
            note_literals(machine, promotion.literals)


def convert(machine: Machine, value: Value, ctype: CType) -> None:
    """Notes the literals of a value that was computed in double to end up in a float, or was
    made of floats to end up in an integer.

    One operation of a float with a literal that is a float without loss is done in float by the
    compiler (seen in the code that nvcc 12 makes of `v * 0.5`, not of `v * 0.1`, `n * 0.5`,
    `v * 0.5 + 1.0`).
    """
    promotion = value.promotion
    if promotion is None or value.pure:
        return
    if machine.is_number(ctype, "float") or machine.is_half(ctype):
        narrowed = promotion.operations <= 1 and not promotion.inexact and not promotion.integers
        if (promotion.floats or promotion.integers) and not narrowed:
            note_literals(machine, promotion.literals)
    elif machine.is_int(ctype) and promotion.floats:
        note_literals(machine, promotion.literals)


def note_literals(machine: Machine, literals: tuple[Node, ...]) -> None:
    """Notes unsuffixed literals that make float arithmetic double, each once."""
    if machine.silent:
        return
    seen = {(use.start, use.end) for use in machine.records.doubles[-16:]}
    for node in literals:
        start, end = machine.at(node)
        if (start, end) not in seen:
            seen.add((start, end))
            depth = len(machine.loops)
            machine.records.doubles.append(DoubleUse(start, end, "literal", node.text, depth))


def _note_operand(machine: Machine, node: Node) -> None:
    if not machine.silent:
        start, end = machine.at(node)
        depth = len(machine.loops)
        machine.records.doubles.append(DoubleUse(start, end, "operand", node.text, depth))


def is_double(machine: Machine, value: Value) -> bool:
    """Whether a value is a double that is not made of literals and other types."""
    double = machine.is_number(value.type, DOUBLE.name)
    return double and value.promotion is None and not value.pure
