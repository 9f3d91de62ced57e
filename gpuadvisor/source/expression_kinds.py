"""What each kind of expression evaluates to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from gpuadvisor.source.calls import call
from gpuadvisor.source.double_use import convert, literal_promotion
from gpuadvisor.source.fold import literal
from gpuadvisor.source.lanes import add, constant
from gpuadvisor.source.layout import CType
from gpuadvisor.source.records import SharedCopy
from gpuadvisor.source.syntax_nodes import Node
from gpuadvisor.source.values import BOOL, DOUBLE, NOTHING, Atom, Ptr, Value

if TYPE_CHECKING:
    from gpuadvisor.source.expressions import Expressions

_BUILTIN = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_UNSIGNED = CType("unsigned")


def moved(node: Node, to: Node) -> Node:
    """A macro's body with the positions of the place it is used at."""
    kids = tuple([moved(kid, to) if kid is not None else None for kid in node.kids])
    return Node(node.kind, to.start, to.end, node.text, kids, node.extra)


def _num(machine: Expressions, node: Node) -> Value:
    value, name = literal(node.text)
    if isinstance(value, int):
        return Value(constant(value), CType(name), pure=True, fixed=True)
    if name == "double":
        return Value(None, DOUBLE, promotion=literal_promotion(node), pure=True, fixed=True)
    return Value(None, CType(name) if name else None, pure=True, fixed=True)


def _name(machine: Expressions, node: Node) -> Value:
    return machine.name_value(node)


def _binary(machine: Expressions, node: Node) -> Value:
    left, right = node.kids
    one = machine.rvalue(left)
    other = machine.rvalue(right)
    return machine.apply(node.text, one, other, node)


def _unary(machine: Expressions, node: Node) -> Value:
    value = machine.rvalue(node.kids[0])
    if node.text == "-" and value.poly is not None:
        return replace(value, poly=add({}, value.poly, -1), place=None, name="")
    if node.text == "!":
        return Value(None, BOOL, fixed=value.fixed)
    if node.text == "~" and value.poly is not None:
        flipped = add(constant(-1), value.poly, -1)
        return replace(value, poly=flipped, place=None, name="")
    return replace(value, place=None, name="")


def _deref(machine: Expressions, node: Node) -> Value:
    value = machine.rvalue(node.kids[0])
    pointer = value.ptr
    if pointer is None:
        return NOTHING
    if pointer.dims:
        return Value(None, pointer.element, None, replace(pointer, dims=pointer.dims[1:]))
    return Value(None, pointer.element, None, pointer)


def _address(machine: Expressions, node: Node) -> Value:
    value = machine.evaluate(node.kids[0])
    if value.name and value.place is None:
        # Whoever gets the address may write there.
        machine.values[value.name] = machine.varying_value(value.name, value.type, "unknown")
    if value.place is not None:
        place = value.place
        ctype = value.type or place.element
        return Value(None, ctype.pointer(), replace(place, element=ctype))
    return NOTHING


def _index(machine: Expressions, node: Node) -> Value:
    base = machine.evaluate(node.kids[0])
    pointer = base.ptr
    if base.place is not None and base.place.dims:
        pointer = base.place
    elif base.place is not None and node.kids[0] is not None:
        pointer = machine.load(node.kids[0], base).ptr
    counts = [machine.rvalue(kid) for kid in node.kids[1:]]
    if pointer is None:
        return NOTHING
    for count, kid in zip(counts, node.kids[1:], strict=True):
        moved = machine.move(pointer, machine.index(count, kid or node))
        pointer = replace(moved, dims=pointer.dims[1:])
    if pointer.dims:
        return Value(None, pointer.element, None, pointer)
    return Value(None, pointer.element, None, pointer)


def _member(machine: Expressions, node: Node) -> Value:
    kid = node.kids[0]
    if kid is not None and kid.kind == "name" and kid.text in _BUILTIN and node.text in "xyz":
        return _builtin(machine, kid.text, node.text)
    base = machine.evaluate(kid)
    return machine.member_of(node, base)


def _builtin(machine: Expressions, name: str, axis: str) -> Value:
    if name == "threadIdx":
        return Value(machine.thread_index(axis), _UNSIGNED)
    if name == "blockIdx":
        return Value(machine.atoms.get(f"blockIdx.{axis}", Atom("block")), _UNSIGNED)
    if name == "blockDim":
        extent = machine.block["xyz".index(axis)]
        if extent is not None:
            return Value(constant(extent), _UNSIGNED)
    multiple = 32 if name == "blockDim" and axis == "x" else 1
    atom = Atom("dim", multiple=multiple)
    return Value(machine.atoms.get(f"{name}.{axis}", atom), _UNSIGNED)


def _cast(machine: Expressions, node: Node) -> Value:
    ctype = node.extra if isinstance(node.extra, CType) else CType("")
    value = machine.evaluate(node.kids[0])
    if ctype.reference and value.place is not None and not ctype.pointers:
        size = machine.size(ctype)
        retyped = _retyped(value.place, ctype, size)
        return Value(None, ctype, None, retyped)
    kid = node.kids[0]
    if kid is not None and value.place is not None:
        value = machine.load(kid, value)
    if ctype.pointers:
        if value.ptr is None:
            return Value(None, ctype)
        element = ctype.pointee()
        return Value(None, ctype, _retyped(value.ptr, element, machine.size(element)))
    if machine.is_int(ctype):
        convert(machine, value, ctype)
        return Value(value.poly, ctype, fixed=value.fixed, pure=value.pure)
    convert(machine, value, ctype)
    return Value(None, ctype, fixed=value.fixed, pure=value.pure)


def _retyped(ptr: Ptr, element: CType, size: int | None) -> Ptr:
    return replace(ptr, element=element, element_bytes=size or 4, size_known=size is not None,
                   dims=(), struct="", struct_bytes=None, member="")  # fmt: skip


def _conditional(machine: Expressions, node: Node) -> Value:
    condition, one, other = node.kids
    machine.rvalue(condition)
    left, right = machine.rvalue(one), machine.rvalue(other)
    return machine.merged(left, right, condition, node)


def _assign(machine: Expressions, node: Node) -> Value:
    target_node, value_node = node.kids
    value = machine.rvalue(value_node)
    target = machine.evaluate(target_node)
    compound = node.text != "="
    if target_node is None:
        return value
    if compound:
        current = target
        if target.place is not None:
            machine.silent += 1
            current = machine.load(target_node, target)
            machine.silent -= 1
        value = machine.apply(node.text[:-1], current, value, node)
    elif target.place is not None and target.place.space == "shared":
        _note_copy(machine, target.place.base, value_node, node)
    if target.place is not None:
        machine.converted(value, target.type)
    machine.store(target_node, target, value, compound)
    if target.place is not None and not compound:
        return Value(value.poly, target.type, value.ptr)
    return target


def _note_copy(machine: Expressions, target: str, value: Node | None, node: Node) -> None:
    """Notes that shared memory gets what global memory holds, unchanged."""
    if machine.silent or value is None or not machine.records.accesses:
        return
    last = machine.records.accesses[-1]
    if (
        last.kind == "load"
        and last.space == "global"
        and machine.at(value)
        == (
            last.start,
            last.end,
        )
    ):
        start, end = machine.at(node)
        depth = len(machine.loops)
        machine.records.copies.append(SharedCopy(start, end, target, last.base, last.bytes, depth))


def _update(machine: Expressions, node: Node) -> Value:
    kid = node.kids[0]
    target = machine.evaluate(kid)
    if kid is None:
        return NOTHING
    sign = 1 if node.text == "++" else -1
    if target.place is not None:
        machine.store(kid, target, NOTHING, compound=True)
        return Value(None, target.type)
    if target.name:
        before = machine.values.get(target.name, target)
        if before.ptr is not None:
            after = replace(before, ptr=machine.move(before.ptr, constant(sign)))
        elif before.poly is not None:
            after = replace(before, poly=add(before.poly, constant(sign)))
        else:
            after = before
        machine.values[target.name] = replace(after, name="", fixed=False, pure=False)
        return before if node.extra else machine.values[target.name]
    return NOTHING


def _comma(machine: Expressions, node: Node) -> Value:
    value = NOTHING
    for kid in node.kids:
        value = machine.rvalue(kid)
    return value


def _sizeof(machine: Expressions, node: Node) -> Value:
    size = machine.size(node.extra) if isinstance(node.extra, CType) else None
    if node.kids:
        machine.silent += 1
        value = machine.evaluate(node.kids[0])
        machine.silent -= 1
        size = machine.size(value.type) if value.type is not None else None
    if size is None:
        return Value(machine.atoms.get(machine.text(node), Atom("template")), CType("size_t"))
    return Value(constant(size), CType("size_t"), pure=True, fixed=True)


def _init(machine: Expressions, node: Node) -> Value:
    values = [machine.rvalue(kid) for kid in node.kids]
    machine.escape(*values)
    if node.text:
        return Value(None, CType(node.text))
    return values[0] if len(values) == 1 else NOTHING


def _nothing(machine: Expressions, node: Node) -> Value:
    return NOTHING


EVALUATE: dict[str, Callable[[Expressions, Node], Value]] = {
    "num": _num,
    "name": _name,
    "bin": _binary,
    "un": _unary,
    "deref": _deref,
    "addr": _address,
    "index": _index,
    "member": _member,
    "cast": _cast,
    "cond": _conditional,
    "assign": _assign,
    "update": _update,
    "comma": _comma,
    "sizeof": _sizeof,
    "init": _init,
    "call": call,
    "str": _nothing,
}
