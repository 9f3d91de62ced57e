"""Analysing one function: from its body to the records of what it accesses and computes."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from gpuadvisor.source.environment import Environment, known_extent
from gpuadvisor.source.machine import Variable
from gpuadvisor.source.model import Dim
from gpuadvisor.source.outline import RawFunction
from gpuadvisor.source.records import FunctionRecords
from gpuadvisor.source.statements import Interpreter
from gpuadvisor.source.values import Atom, Value


def analyse(
    function: RawFunction, env: Environment, source: bytes, block: Dim = (None, None, None)
) -> FunctionRecords:
    """The records of a function with a body; positions count from its first byte.

    `block` is the shape it is launched with, where known. A kernel's arguments are the same for
    all threads. Those of a device function are not known:
    its strides stay unknown but where a kernel of the file calls it (`FunctionRecords.inlined`).
    """
    records = FunctionRecords(function.name)
    body = env.body(function)
    if body is None or function.kind == "host":
        return records
    kernel = function.kind == "kernel"
    machine = Interpreter(env, source, records, function.start, kernel=kernel, block=block)
    machine.returns = function.returns
    machine.type_names = frozenset(function.type_templates)
    for name in function.templates:
        machine.atoms.get(name, Atom("template"))
    for one in function.parameters:
        dims = tuple([known_extent(env, extent) for extent in one.dims])
        space = "global" if kernel else "generic"
        pointer = one.type.pointers or dims
        machine.names[one.name] = Variable(one.name, one.type, "register")
        if pointer:
            element = one.type if dims else one.type.pointee()
            base = machine.pointer_to(one.name, space, element)
            if dims:
                base = replace(base, dims=dims)
                local = Variable(one.name, one.type, "local" if one.type.reference else space)
                machine.names[one.name] = replace(local, dims=dims)
                continue
            machine.values[one.name] = Value(None, one.type, base)
        elif machine.is_int(one.type) or one.type.name == "auto":
            poly = machine.atoms.get(one.name, Atom("param", varying=not kernel))
            machine.values[one.name] = Value(poly, one.type)
        else:
            whole = one.name if kernel and one.type.name not in function.type_templates else ""
            machine.values[one.name] = Value(None, one.type, whole=whole)
    with contextlib.suppress(RecursionError):
        # Depth is bounded where trees are made, but a program may still nest calls and macros
        # deeper than it is worth following: what was noted up to there counts.
        machine.run_body(body)
    return records
