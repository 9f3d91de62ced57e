"""Following calls of device functions of the same file, with the arguments of the call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpuadvisor.source.environment import known_extent
from gpuadvisor.source.layout import CType
from gpuadvisor.source.machine import Variable
from gpuadvisor.source.records import FunctionRecords
from gpuadvisor.source.values import NOTHING, Value

if TYPE_CHECKING:
    from gpuadvisor.source.expressions import Expressions
    from gpuadvisor.source.outline import RawFunction
    from gpuadvisor.source.syntax_nodes import Node

MAX_DEPTH = 4
MAX_NODES = 1500
MAX_CONTEXTS = 4
"""Calls of one function from one caller that are judged each by itself."""
_FRAME = ("names", "values", "records", "origin", "returned", "returns", "type_names")


def call_function(machine: Expressions, node: Node, values: list[Value]) -> Value | None:
    """The value that a device function of the file returns for these arguments, its accesses
    noted under its name; None when it is not there, overloaded, recursive or too large."""
    name = node.text
    if not name or len(machine.calls) >= MAX_DEPTH or name in machine.calls:
        return None
    function = machine.env.function(name)
    if function is None or function.kind == "kernel" or len(function.parameters) < len(values):
        return None
    body = machine.env.body(function)
    if body is None or function.end - function.start > MAX_NODES * 12:
        return None
    return _run(machine, function, body, node, values)


def _run(
    machine: Expressions, function: RawFunction, body: Node, node: Node, values: list[Value]
) -> Value:
    saved = {name: getattr(machine, name) for name in _FRAME}
    outer = machine.records
    machine.names, machine.values, machine.returned = {}, {}, []
    bound = dict(zip((one.name for one in function.parameters), values, strict=False))
    for one in function.parameters:
        dims = tuple([known_extent(machine.env, extent) for extent in one.dims])
        given = bound.get(one.name, NOTHING)
        pointer = given.ptr or given.place
        if one.type.reference and (given.place is not None or (dims and pointer is not None)):
            machine.names[one.name] = Variable(one.name, one.type, "alias")
            machine.values[one.name] = replace(given, place=pointer, ptr=None, name="")
            continue
        machine.names[one.name] = Variable(one.name, one.type, "register")
        value = machine.converted(given, one.type) if given is not NOTHING else NOTHING
        if value.poly is None and value.ptr is None and machine.is_int(one.type):
            kind = "other" if machine.varies(value) else "unknown"
            value = machine.varying_value(one.name, one.type, kind)
        machine.values[one.name] = value
    contexts = outer.inlined.setdefault(function.name, [])
    noted = not machine.silent and len(contexts) < MAX_CONTEXTS
    machine.records = FunctionRecords(function.name)
    if noted:
        contexts.append(machine.records)
    machine.origin = function.start
    machine.returns = function.returns
    machine.type_names = machine.type_names | frozenset(function.type_templates)
    if not noted:
        machine.silent += 1
    try:
        machine.with_call(function.name, lambda: machine.run_body(body, function.templates))
        results = machine.returned
        for one in function.parameters:
            name = bound.get(one.name, NOTHING).name
            if name and one.type.reference and not one.type.const:
                # What the function did to its reference it did to the caller's variable.
                changed = machine.values.get(one.name, NOTHING)
                saved["values"][name] = replace(changed, name="", fixed=False, pure=False)
    finally:
        for name, value in saved.items():
            setattr(machine, name, value)
        if not noted:
            machine.silent -= 1
    if len(results) == 1:
        place = results[0].place if function.returns.reference else None
        return replace(results[0], name="", place=place)
    if results:
        ctype = next((one.type for one in results if one.type is not None), None)
        return machine.varying_value(machine.text(node), ctype)
    return Value(None, CType("void"))
