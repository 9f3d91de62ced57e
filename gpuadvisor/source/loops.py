"""Loops: what the variables that a loop changes are inside it, and after it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpuadvisor.source.accumulations import note_accumulations
from gpuadvisor.source.chains import note_chains
from gpuadvisor.source.lanes import Poly, add, as_int, constant, multiply
from gpuadvisor.source.machine import LoopState
from gpuadvisor.source.records import Loop
from gpuadvisor.source.syntax_nodes import Node
from gpuadvisor.source.values import NOTHING, Atom, Value

if TYPE_CHECKING:
    from gpuadvisor.source.statements import Interpreter

MAX_TRIPS = 1 << 20
LOOP_KINDS = frozenset({"for", "while", "do", "rangefor"})


@dataclass
class _Update:
    """One assignment in a loop: sign 1 or -1 and the step for += and its kin (None for ++),
    sign 0 for any other, with what is assigned."""

    sign: int
    step: Node | None
    node: Node
    guarded: bool


def enter_loop(machine: Interpreter, node: Node, unroll: int | None) -> LoopState:
    """Prepares the variables for the trips of a loop and notes the loop."""
    updates = _updates(node)
    variable, trips, fixed = _induction(machine, node, updates)
    leaf = not any(one.kind in LOOP_KINDS for kid in node.kids if kid for one in kid.walk())
    spread = _is_spread(machine, node, updates)
    walks = {variable: (trips, _whole_step(updates[variable]))} if trips and fixed else {}
    if unroll and (trips is None or unroll < trips):
        # Unrolled in part: subscripts that follow the loop are no constants.
        fixed = False
    state = LoopState(frozenset(updates), fixed, spread, leaf, walks)
    if not machine.silent:
        start, end = machine.at(node)
        body = node.kids[-1]
        inside = machine.at(body) if body is not None else (start, end)
        condition = node.kids[1] if node.kind == "for" else node.kids[0]
        written = machine.text(condition) if condition is not None else ""
        scales = any(_scales(one) and one.sign == 0 for one in updates.get(variable, ()))
        machine.records.loops.append(
            Loop(start, end, *inside, len(machine.loops), variable, trips, fixed, unroll, spread,
                 scales, leaf, written)
        )  # fmt: skip
        note_accumulations(machine, node, state)
        assigned = {
            name: [one.step for one in found if one.sign == 0 and one.step is not None]
            for name, found in updates.items()
        }
        note_chains(machine, node, assigned)
    kind = "fixed-loop" if fixed else "loop"
    planned: dict[str, Value] = {}
    rest: list[str] = []
    for name, found in updates.items():
        before = machine.values.get(name)
        if before is None or name not in machine.names:
            continue
        value = _advanced(machine, name, before, found, updates, kind)
        if value is None:
            rest.append(name)
        else:
            planned[name] = value
    machine.values.update(planned)
    _fill_rest(machine, rest, updates, {variable: kind})
    machine.loops.append(state)
    return state


def leave_loop(machine: Interpreter, node: Node, state: LoopState) -> None:
    """After the last trip: what the loop changed keeps its shape, one trip on."""
    machine.loops.pop()


def _updates(node: Node) -> dict[str, list[_Update]]:
    """The variables that a loop changes (for's first part aside), by name."""
    found: dict[str, list[_Update]] = {}
    kids = node.kids[1:] if node.kind == "for" else node.kids
    stack: list[tuple[Node, bool]] = [(kid, False) for kid in reversed(kids) if kid is not None]
    while stack:
        one, guarded = stack.pop()
        target = one.kids[0] if one.kids else None
        if one.kind == "update" and target is not None and target.kind == "name":
            sign = 1 if one.text == "++" else -1
            found.setdefault(target.text, []).append(_Update(sign, None, one, guarded))
        elif one.kind == "assign" and target is not None and target.kind == "name":
            found.setdefault(target.text, []).append(_assignment(one, target.text, guarded))
        elif one.kind == "call":
            for kid in one.kids[1:]:
                if kid is not None and kid.kind == "addr" and kid.kids[0] is not None \
                        and kid.kids[0].kind == "name":  # fmt: skip
                    changed = kid.kids[0].text
                    found.setdefault(changed, []).append(_Update(0, None, one, True))
        # A counted loop inside runs alike in all lanes as a rule; the others are conditions.
        inner = guarded or one.kind in ("if", "cond", "switch", "while", "do")
        stack.extend((kid, inner) for kid in reversed(one.kids) if kid is not None)
    return found


def _assignment(node: Node, name: str, guarded: bool) -> _Update:
    value = node.kids[1]
    if node.text in ("+=", "-="):
        return _Update(1 if node.text == "+=" else -1, value, node, guarded)
    if node.text == "=" and value is not None and value.kind == "bin" and value.text in "+-":
        left, right = value.kids
        if left is not None and left.kind == "name" and left.text == name:
            return _Update(1 if value.text == "+" else -1, right, node, guarded)
        if value.text == "+" and right is not None and right.kind == "name" and right.text == name:
            return _Update(1, left, node, guarded)
    return _Update(0, value if node.text == "=" else node, node, guarded)


def _induction(
    machine: Interpreter, node: Node, updates: dict[str, list[_Update]]
) -> tuple[str, int | None, bool]:
    """(loop variable, trips when constant, whether bounds and step are compile-time constants)."""
    if node.kind != "for" or node.kids[1] is None:
        return "", None, False
    condition, update = node.kids[1], node.kids[2]
    target = update.kids[0] if update is not None and update.kids else None
    if condition.kind != "bin" or target is None or target.kind != "name":
        return "", None, False
    name = target.text
    sides = list(condition.kids)
    flipped = sides[0] is None or not (sides[0].kind == "name" and sides[0].text == name)
    bound_node = sides[0] if flipped else sides[1]
    machine.silent += 1
    start = machine.values.get(name, NOTHING)
    bound = machine.rvalue(bound_node)
    steps = updates.get(name, [])
    step = machine.rvalue(steps[0].step) if steps and steps[0].step is not None else None
    machine.silent -= 1
    fixed = (
        _fixed(machine, start)
        and _fixed(machine, bound)
        and (step is None or _fixed(machine, step))
    )
    if len(steps) != 1:
        return name, None, False
    first = as_int(start.poly) if start.poly is not None else None
    last = as_int(bound.poly) if bound.poly is not None else None
    stride: int | None = steps[0].sign
    if step is not None:
        size = as_int(step.poly) if step.poly is not None else None
        stride = size * steps[0].sign if size is not None else None
    if steps[0].sign == 0 or not fixed or first is None or last is None or not stride:
        # `offset /= 2` from a constant to a constant is as fixed as counting.
        return name, None, fixed and _scales(steps[0])
    distance = last - first
    if condition.text in ("<=", ">="):
        distance += 1 if distance >= 0 else -1
    trips = -(-distance // stride) if distance * stride > 0 else 0
    return name, min(trips, MAX_TRIPS), True


def _whole_step(steps: list[_Update]) -> int:
    """The step of a counting variable, 1 where it is not written as a number."""
    step = steps[0].step if steps else None
    return int(step.text) if step is not None and step.kind == "num" and step.text.isdigit() else 1


def _is_spread(machine: Interpreter, node: Node, updates: dict[str, list[_Update]]) -> bool:
    """Whether the trips of a loop are dealt out to threads: a variable of its condition starts at
    an index that differs between threads and steps by more than one."""
    condition = node.kids[1] if node.kind == "for" else node.kids[0]
    if condition is None or node.kind == "rangefor":
        return False
    for one in condition.walk():
        steps = updates.get(one.text, []) if one.kind == "name" else []
        start = machine.values.get(one.text, NOTHING)
        if len(steps) != 1 or steps[0].sign == 0 or steps[0].step is None:
            continue
        poly = start.poly if start.poly is not None else start.ptr.offset if start.ptr else None
        if poly is None or not machine.atoms.thread_dependent(poly):
            continue
        machine.silent += 1
        step = machine.rvalue(steps[0].step).poly
        machine.silent -= 1
        if step is not None and as_int(step) not in (0, 1, -1):
            return True
    return False


def _scales(update: _Update) -> bool:
    node = update.node
    if update.sign:
        return True
    value = node.kids[1] if len(node.kids) > 1 else None
    return node.text in ("*=", "/=", ">>=", "<<=") and value is not None and value.kind == "num"


def _fixed(machine: Interpreter, value: Value) -> bool:
    if value.fixed:
        return True
    if value.poly is None:
        return False
    if any(isinstance(one, tuple) for one in value.poly.values()):
        return False
    return all(atom.kind in ("template", "fixed-loop") for atom in machine.atoms.of(value.poly))


def _advanced(
    machine: Interpreter,
    name: str,
    before: Value,
    found: list[_Update],
    updates: dict[str, list[_Update]],
    kind: str,
) -> Value | None:
    """A variable that only moves by steps which the loop does not change: its start plus trips
    times step. None when it is no such variable."""
    steps: list[Poly] = []
    for update in found:
        if update.sign == 0:
            return None
        if update.step is None:
            steps.append(constant(update.sign))
            continue
        if any(one.kind == "name" and one.text in updates for one in update.step.walk()):
            return None
        machine.silent += 1
        value = machine.rvalue(update.step)
        machine.silent -= 1
        if value.poly is None:
            return Value(None, before.type) if before.ptr is None else None
        steps.append(add({}, value.poly, update.sign))
    step = steps[0]
    varying = any(machine.atoms.varying(one) for one in steps)
    alone = len(found) == 1 and not found[0].guarded
    if varying and not alone:
        return None
    if any(update.guarded for update in found):
        return None
    size = as_int(step)
    if varying or (alone and size is None):
        counter = machine.atoms.fresh(name, Atom(kind))
        moved = multiply(step, counter)
    else:
        multiple = abs(size) if alone and size else 1
        moved = machine.atoms.fresh(name, Atom(kind, multiple=multiple))
    if moved is None:
        return None
    if before.ptr is not None:
        return replace(before, ptr=machine.move(before.ptr, moved), fixed=False)
    if before.poly is None:
        return Value(None, before.type)
    return Value(add(before.poly, moved), before.type)


def _fill_rest(
    machine: Interpreter,
    names: list[str],
    updates: dict[str, list[_Update]],
    kinds: dict[str, str],
) -> None:
    """Variables that change in other ways: the same for all lanes when everything that is
    assigned to them is, and no condition that differs decides it."""
    varying: set[str] = set()
    for name in names:
        before = machine.values[name]
        if before.poly is not None and machine.atoms.varying(before.poly):
            varying.add(name)
        if before.ptr is not None and machine.atoms.varying(before.ptr.offset):
            varying.add(name)
    saved = dict(machine.values)
    for name in names:
        if machine.values[name].poly is not None:
            kind = kinds.get(name, "loop")
            machine.values[name] = machine.uniform_value(name, saved[name].type, kind)
    for _ in range(3):
        more = {
            name
            for name in names
            if name not in varying
            and any(_differs(machine, update, varying, updates) for update in updates[name])
        }
        if not more:
            break
        varying |= more
    for name in names:
        before = saved[name]
        if before.ptr is not None:
            if name in varying or any(update.sign == 0 for update in updates[name]):
                hidden = machine.atoms.fresh("~" + name, Atom("other", True))
                machine.values[name] = replace(before, ptr=replace(before.ptr, offset=hidden))
        elif before.poly is not None and name in varying:
            arrays = _loaded_from(machine, updates[name])
            machine.values[name] = machine.varying_value(name, before.type, "load" if arrays
                                                         else "other", arrays)  # fmt: skip
        elif before.poly is None:
            machine.values[name] = Value(None, before.type)


def _differs(
    machine: Interpreter, update: _Update, varying: set[str], updates: dict[str, list[_Update]]
) -> bool:
    node = update.step if update.step is not None else update.node
    for one in node.walk():
        if one.kind == "name":
            if one.text in varying:
                return True
            if one.text not in machine.names and machine.env.number(one.text) is None:
                return True
    if update.guarded:
        return True
    if update.step is None:
        return False
    machine.silent += 1
    value = machine.rvalue(update.step)
    machine.silent -= 1
    if value.poly is not None:
        return machine.atoms.varying(value.poly)
    return value.ptr is None or machine.atoms.varying(value.ptr.offset)


def _loaded_from(machine: Interpreter, found: list[_Update]) -> frozenset[str]:
    arrays: set[str] = set()
    for update in found:
        node = update.step
        if node is not None and node.kind == "index" and node.kids[0] is not None:
            arrays.add(machine.text(node.kids[0]))
    return frozenset(arrays)
