"""Calls: atomics, mathematics, loads in call form, macros, device functions of the same file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuadvisor.source.call_names import (
    ATOMICS,
    BARRIERS,
    FLOAT_FUNCTIONS,
    LOADS,
    MAKE_VECTOR,
    PURE_INTEGER,
    SHUFFLES,
    STORES,
)
from gpuadvisor.source.double_use import arithmetic_type, convert, note_literals
from gpuadvisor.source.fold import literal
from gpuadvisor.source.inline import call_function
from gpuadvisor.source.lanes import LANE, WARP, Poly, as_int, constant, known_lanes
from gpuadvisor.source.layout import CType
from gpuadvisor.source.records import Atomic, Barrier, DoubleUse, MathCall
from gpuadvisor.source.syntax_nodes import Node
from gpuadvisor.source.values import DOUBLE, FLOAT, INT, NOTHING, Atom, Value

if TYPE_CHECKING:
    from gpuadvisor.source.expressions import Expressions


def call(machine: Expressions, node: Node) -> Value:
    """The value of a call."""
    name = node.text
    callee, args = node.kids[0], node.kids[1:]
    how = node.extra[0] if isinstance(node.extra, tuple) else "call"
    if how == "launch":
        for arg in args:
            machine.rvalue(arg)
        return NOTHING
    if callee is not None:
        return _method(machine, node, callee, args)
    if name in ATOMICS:
        return _atomic(machine, node, args)
    if name in BARRIERS:
        for arg in args:
            machine.rvalue(arg)
        _barrier(machine, node)
        return Value(None, INT)
    if name in LOADS and args:
        return _load(machine, node, args)
    if name in STORES and len(args) >= 2:
        return _store(machine, args)
    macro = machine.env.macro(name)
    if macro is not None and macro.parameters is not None and name not in machine.calls:
        expanded = _expand(machine, name, macro.parameters, node, args)
        if expanded is not None:
            return machine.with_call(name, lambda: machine.evaluate(expanded))
    values = _arguments(machine, name, args)
    if name in FLOAT_FUNCTIONS:
        return _math(machine, node, values)
    if name in MAKE_VECTOR:
        if MAKE_VECTOR[name].startswith("float"):
            for value in values:
                convert(machine, value, FLOAT)
        return Value(None, CType(MAKE_VECTOR[name]), varies=machine.varies(*values))
    if name in ("min", "max") and len(values) == 2:
        return _extreme(machine, node, values)
    if name in PURE_INTEGER:
        return _opaque(machine, node, values, INT)
    if name in SHUFFLES:
        ctype = values[1].type if len(values) > 1 else None
        return machine.varying_value(machine.text(node), ctype, "other")
    if name.endswith("2float") or name in ("__bfloat162float", "float"):
        return Value(None, FLOAT, varies=machine.varies(*values))
    if name in ("__float2half", "__float2bfloat16", "__float2half_rn"):
        return Value(None, CType("__half" if "half" in name else "__nv_bfloat16"))
    followed = call_function(machine, node, values)
    if followed is not None:
        return followed
    return _unknown(machine, node, values)


def _arguments(machine: Expressions, name: str, args: tuple[Node | None, ...]) -> list[Value]:
    """The values of a call's arguments; what goes to a reference of a function of the file stays
    a place."""
    function = machine.env.function(name)
    parameters = function.parameters if function is not None else []
    values: list[Value] = []
    for at, arg in enumerate(args):
        if at < len(parameters) and parameters[at].type.reference and arg is not None:
            value = machine.evaluate(arg)
            whole = value.place is not None and not value.place.dims
            values.append(value if whole or value.place is None else machine.load(arg, value))
        else:
            values.append(machine.rvalue(arg))
    return values


def _unknown(machine: Expressions, node: Node, values: list[Value]) -> Value:
    """A function that is not in the file: nothing is known about its value."""
    machine.escape(*values)
    kind = "other" if machine.varies(*values) else "unknown"
    return machine.varying_value(machine.text(node), None, kind)


def _opaque(machine: Expressions, node: Node, values: list[Value], ctype: CType | None) -> Value:
    parts = tuple([value.poly for value in values if value.poly is not None])
    return Value(machine.opaque(node, parts), ctype)


def _method(machine: Expressions, node: Node, callee: Node, args: tuple[Node | None, ...]) -> Value:
    """object.method(..): barriers and ranks of cooperative groups, else unknown."""
    machine.silent += 1
    machine.escape(machine.evaluate(callee))
    machine.silent -= 1
    for arg in args:
        machine.escape(machine.rvalue(arg))
    if node.text in ("sync", "barrier_wait", "arrive_and_wait"):
        _barrier(machine, node)
        return NOTHING
    if node.text in ("thread_rank", "thread_index"):
        receiver = machine.text(callee)
        if "tile" in receiver or "warp" in receiver:
            return Value(constant(LANE), INT)
        return Value(machine.thread_index("x"), INT)
    if node.text in ("meta_group_rank", "group_index"):
        atom = machine.atoms.get("threadIdx.x / 32", Atom("warp"))
        return Value(atom, INT)
    if node.text in ("size", "num_threads", "meta_group_size"):
        return machine.uniform_value(machine.text(node), INT, "dim")
    return machine.varying_value(machine.text(node), None, "unknown")


def _barrier(machine: Expressions, node: Node) -> None:
    if machine.silent:
        return
    start, end = machine.at(node)
    divergent = any(guard.divergent and not guard.bounds for guard in machine.guards)
    bounds = any(guard.divergent and guard.bounds for guard in machine.guards)
    name = node.text
    machine.records.barriers.append(
        Barrier(start, end, name, divergent, bounds, len(machine.loops))
    )


def _load(machine: Expressions, node: Node, args: tuple[Node | None, ...]) -> Value:
    """__ldg and its kin."""
    pointer = machine.rvalue(args[0])
    for arg in args[1:]:
        machine.rvalue(arg)
    if pointer.ptr is None:
        return NOTHING
    return machine.load(node, Value(None, pointer.ptr.element, None, pointer.ptr))


def _store(machine: Expressions, args: tuple[Node | None, ...]) -> Value:
    """__stcs and its kin: (address, value)."""
    pointer = machine.rvalue(args[0])
    value = machine.rvalue(args[1])
    if pointer.ptr is not None and args[0] is not None:
        machine.store(args[0], Value(None, pointer.ptr.element, None, pointer.ptr), value)
    return NOTHING


def _atomic(machine: Expressions, node: Node, args: tuple[Node | None, ...]) -> Value:
    target = machine.rvalue(args[0]) if args else NOTHING
    values = [machine.rvalue(arg) for arg in args[1:]]
    place = target.ptr
    for value in values:
        if place is not None:
            convert(machine, value, place.element)
    if place is None:
        return machine.varying_value(machine.text(node), None, "load")
    ctype = place.element
    if not machine.silent:
        machine.note_access(node, place, "atomic", ctype)
        _note_atomic(machine, node, args[0], place.offset, place.space, ctype)
    loaded = frozenset({place.base})
    return machine.varying_value(machine.text(node), ctype, "load", loaded)


def _note_atomic(
    machine: Expressions, node: Node, target: Node | None, offset: Poly, space: str, ctype: CType
) -> None:
    atoms = machine.atoms
    start, end = machine.at(node)
    lanes_kind = "unknown"
    addresses: int | None = None
    found = atoms.of(offset)
    limits = [atom.limit for atom in found if atom.varying]
    if not atoms.varying(offset):
        lanes_kind, addresses = "uniform", 1
    elif atoms.hidden(offset):
        if limits and all(limit is not None for limit in limits):
            addresses = 1
            for limit in limits:
                addresses *= limit or 1
            lanes_kind = "few" if addresses <= WARP else "data"
        elif atoms.arrays(offset):
            lanes_kind = "data"
    else:
        rest = {m: value for m, value in offset.items() if isinstance(value, tuple)}
        known = known_lanes({(): rest[()]}) if set(rest) == {()} else None
        if known is not None:
            addresses = len(set(known))
            lanes_kind = "spread" if addresses == 32 else "few"
        elif rest:
            lanes_kind = "spread"
    if not machine.kernel and not machine.calls:
        lanes_kind, addresses = "unknown", None
    kinds = {atom.kind for atom in found}
    per_block = lanes_kind == "uniform" and "warp" not in kinds
    machine.records.atomics.append(
        Atomic(
            start,
            end,
            node.text,
            machine.text(target) if target is not None else "",
            "shared" if space == "shared" else "generic" if space == "generic" else "global",
            lanes_kind,  # type: ignore[arg-type]
            addresses,
            per_block,
            per_block and "block" not in kinds,
            machine.guard_threads(),
            len(machine.loops),
            str(ctype),
        )
    )


def _math(machine: Expressions, node: Node, values: list[Value]) -> Value:
    """sin(x) of a float is sinf: CUDA overloads the C names; one double argument makes it the
    double function."""
    base, fixed_type = FLOAT_FUNCTIONS[node.text]
    double = fixed_type == "double" or (
        not fixed_type and any(machine.is_number(value.type, "double") for value in values)
    )
    if not fixed_type and not double and base != "pow":
        integers = [machine.is_int(value.type) for value in values]
        double = bool(integers) and all(integers) and base not in ("abs", "min", "max")
    if base == "pow" and not fixed_type and not double:
        # pow(float, int) is the double function as well.
        double = any(machine.is_int(value.type) for value in values)
    if machine.silent:
        return Value(None, DOUBLE if double else FLOAT, varies=machine.varies(*values))
    start, end = machine.at(node)
    depth = len(machine.loops)
    exponent = _exponent(machine, node) if base == "pow" else None
    name = base if double else base + "f"
    if fixed_type == "fast":
        name = node.text
    leaf = bool(machine.loops) and machine.loops[-1].leaf
    serial = machine.serial_depth()
    machine.records.math.append(
        MathCall(start, end, name, node.text, double, exponent, depth, serial, leaf)
    )
    if double:
        carried = [value.promotion for value in values if value.promotion is not None]
        floats = any(machine.is_number(value.type, "float") for value in values)
        if floats or any(promotion.floats for promotion in carried):
            note_literals(machine, tuple([lit for part in carried for lit in part.literals]))
        machine.records.doubles.append(DoubleUse(start, end, "math", node.text, depth))
    elif fixed_type:
        for value in values:
            convert(machine, value, FLOAT)
    return Value(None, DOUBLE if double else FLOAT, varies=machine.varies(*values))


def _exponent(machine: Expressions, node: Node) -> int | None:
    kid = node.kids[2] if len(node.kids) > 2 else None
    if kid is None:
        return None
    if kid.kind == "cast":
        kid = kid.kids[0]
    value: int | float | None = None
    if kid is not None and kid.kind == "num":
        value = literal(kid.text)[0]
    elif kid is not None and kid.kind == "name":
        value = machine.env.number(kid.text)
    if value is None or value != int(value) or not 2 <= value <= 8:
        return None
    return int(value)


def _extreme(machine: Expressions, node: Node, values: list[Value]) -> Value:
    """min and max of indices: lanes keep their order, so only known numbers are followed."""
    left, right = values
    if left.poly is None or right.poly is None:
        ctype = arithmetic_type(machine, left, right)
        floats = any(machine.is_number(value.type, "float") for value in values)
        if floats and machine.is_number(ctype, "double"):
            carried = [value.promotion for value in values if value.promotion is not None]
            note_literals(machine, tuple([lit for part in carried for lit in part.literals]))
        return Value(None, ctype or left.type or right.type)
    one, other = as_int(left.poly), as_int(right.poly)
    pick = min if node.text == "min" else max
    if one is not None and other is not None:
        return Value(constant(pick(one, other)), left.type)
    atoms = machine.atoms
    for value, bound in ((left, right), (right, left)):
        # Clamping an index to a bound that all lanes share only matters at the edges.
        if value.poly is not None and bound.poly is not None and not atoms.varying(bound.poly) \
                and atoms.varying(value.poly):  # fmt: skip
            return Value(value.poly, value.type)
    return _opaque(machine, node, values, left.type)


def _expand(
    machine: Expressions,
    name: str,
    parameters: tuple[str, ...],
    node: Node,
    args: tuple[Node | None, ...],
) -> Node | None:
    """A macro's body with its arguments in place; None when it is no expression."""
    if len(parameters) != len(args) or any(arg is None for arg in args):
        return None
    body = machine.env.macro_node(name)
    if body is None:
        return None
    given = {one: arg for one, arg in zip(parameters, args, strict=True) if arg is not None}
    return _substitute(body, given, node)


def _substitute(body: Node, given: dict[str, Node], to: Node) -> Node:
    if body.kind == "name" and body.text in given:
        return given[body.text]
    kids = tuple([_substitute(k, given, to) if k is not None else None for k in body.kids])
    return Node(body.kind, to.start, to.end, body.text, kids, body.extra)
