"""Running a function's statements in order: declarations, branches, loops."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from gpuadvisor.source.conditions import ALIKE, BranchGuard, branch_guard, is_uniform
from gpuadvisor.source.double_use import arithmetic_type
from gpuadvisor.source.expressions import Expressions
from gpuadvisor.source.lanes import add, as_int
from gpuadvisor.source.loops import LOOP_KINDS, enter_loop, leave_loop
from gpuadvisor.source.machine import GuardState, Variable
from gpuadvisor.source.records import ArrayDecl, Guard
from gpuadvisor.source.syntax_nodes import Declarator, Node
from gpuadvisor.source.values import NOTHING, Atom, Value

_UNROLL = re.compile(r"#?\s*(?:pragma|_Pragma)\b.*?\bunroll\b\s*\(?\s*(\w+)?")


class Interpreter(Expressions):
    """Runs one function."""

    unroll: int | None = None
    left: bool = False
    """Set when the statement just run always leaves the function or the loop trip."""

    def run_body(self, body: Node, templates: tuple[str, ...] = ()) -> Value:
        """Runs a function's body."""
        for name in templates:
            self.names.pop(name, None)
            self.atoms.get(name, Atom("template"))
        self.statement(body)
        self.left = False
        return NOTHING

    def statement(self, node: Node | None) -> None:
        """Runs one statement."""
        self.left = False
        if node is None or self.tired():
            return
        handler = _STATEMENTS.get(node.kind)
        if handler is not None:
            handler(self, node)
        else:
            self.rvalue(node)
        if node.kind != "pragma":
            self.unroll = None

    def declare(self, one: Declarator, value_node: Node | None, node: Node) -> None:
        """Declares a name."""
        dims = tuple([self._extent(extent) for extent in one.dims])
        outside = one.storage in ("constant", "device")
        space = "shared" if one.storage.endswith("shared") else one.storage if outside else ""
        if dims and not space:
            space = "local"
        ctype = one.type
        if space in ("shared", "local") and (dims or space == "shared"):
            self._note_array(one, dims, space)
        if ctype.reference and value_node is not None and not dims:
            value = self.evaluate(value_node)
            if value.place is not None:
                self.names[one.name] = Variable(one.name, ctype, "alias")
                self.values[one.name] = value
                return
        self.names[one.name] = Variable(one.name, ctype, space or "register", dims)
        value = self.rvalue(value_node) if value_node is not None else NOTHING
        if dims or space:
            return
        if ctype.name == "auto":
            ctype = replace(value.type, const=ctype.const) if value.type is not None else ctype
            self.names[one.name] = Variable(one.name, ctype, "register")
        if one.type.name == "auto":
            value = replace(value, place=None, name="")
        else:
            value = self.converted(value, ctype)
        if value.poly is None and value.ptr is None and self.is_int(ctype) and value_node:
            kind = "other" if self.varies(value) else "unknown"
            value = self.varying_value(one.name, ctype, kind)
        if value.ptr is None and ctype.pointers and value_node is not None:
            pointer = self.pointer_to(one.name, "generic", ctype.pointee())
            hidden = self.atoms.fresh("~" + one.name, Atom("other", True))
            value = Value(None, ctype, replace(pointer, offset=hidden))
        self.values[one.name] = value

    def _extent(self, node: Node | None) -> int | None:
        if node is None:
            return None
        self.silent += 1
        poly = self.rvalue(node).poly
        self.silent -= 1
        return as_int(poly) if poly is not None else None

    def _note_array(self, one: Declarator, dims: tuple[int | None, ...], space: str) -> None:
        size = self.size(one.type)
        total = size
        for extent in dims:
            total = total * extent if total is not None and extent is not None else None
        if self.silent:
            return
        self.records.arrays.append(
            ArrayDecl(
                one.start - self.origin,
                one.end - self.origin,
                one.name,
                "shared" if space == "shared" else "local",
                str(one.type),
                dims,
                total,
                size,
            )
        )

    def merged(self, left: Value, right: Value, condition: Node | None, node: Node) -> Value:
        """What a value is after either of two ways was taken."""
        ctype = left.type or right.type
        if left.ptr is not None or right.ptr is not None:
            return self._merged_pointer(left, right, condition, node)
        if left.poly is None or right.poly is None:
            if left.poly is None and right.poly is None:
                return self._merged_numbers(left, right)
            return self.varying_value("value", ctype)
        if left.poly == right.poly:
            return replace(left, place=None, name="")
        difference = add(left.poly, right.poly, -1)
        uniform = condition is None or is_uniform(self, condition)
        if uniform and not self.atoms.varying(difference):
            shift = self.uniform_value("value", ctype).poly or {}
            lanes = {m: value for m, value in left.poly.items() if m in right.poly
                     and right.poly[m] == value}  # fmt: skip
            return Value(add(lanes, shift), ctype)
        return self.varying_value("value", ctype)

    def _merged_numbers(self, left: Value, right: Value) -> Value:
        """A float or a literal is a float (the compiler converts the literal); else the wider
        type with what either side carries on."""
        for one, other in ((left, right), (right, left)):
            if one.pure and one.promotion is not None and self.is_number(other.type, "float"):
                return Value(None, other.type, varies=other.varies)
        ctype = arithmetic_type(self, left, right)
        carried = left.promotion or right.promotion
        varies = self.varies(left, right)
        return Value(None, ctype or left.type or right.type, promotion=carried, varies=varies)

    def _merged_pointer(
        self, left: Value, right: Value, condition: Node | None, node: Node
    ) -> Value:
        one, other = left.ptr, right.ptr
        if one is None or other is None:
            return left if one is not None else right
        if one == other:
            return left
        offset = one.offset
        if one.offset != other.offset or one.base != other.base:
            difference = add(one.offset, other.offset, -1)
            uniform = condition is None or is_uniform(self, condition)
            if not uniform or self.atoms.varying(difference):
                offset = self.varying_value("pointer", None).poly or {}
            elif difference:
                offset = add(one.offset, self.uniform_value("pointer", None).poly or {})
        space = one.space if one.space == other.space else "generic"
        return replace(left, ptr=replace(one, offset=offset, space=space))


def _block(machine: Interpreter, node: Node) -> None:
    shadowed: dict[str, Variable | None] = {}
    before = dict(machine.names)
    guards = len(machine.guards)
    left = False
    for at, kid in enumerate(node.kids):
        if kid is not None and kid.kind == "if" and not machine.tired():
            _if(machine, kid, node.kids[at + 1 :])
            machine.unroll = None
        else:
            machine.statement(kid)
        left = left or machine.left
    del machine.guards[guards:]
    for name, variable in list(machine.names.items()):
        old = before.get(name)
        if old is not variable:
            shadowed[name] = old
    for name, old in shadowed.items():
        machine.values.pop(name, None)
        if old is None:
            del machine.names[name]
        else:
            machine.names[name] = old
    machine.left = left


def _decl(machine: Interpreter, node: Node) -> None:
    names = node.extra if isinstance(node.extra, tuple) else ()
    for one, value in zip(names, node.kids, strict=True):
        if isinstance(one, Declarator):
            machine.declare(one, value, node)


def _expr(machine: Interpreter, node: Node) -> None:
    for kid in node.kids:
        machine.rvalue(kid) if kid is not None and kid.kind != "assign" else machine.evaluate(kid)


def _if(machine: Interpreter, node: Node, rest: tuple[Node | None, ...] = ()) -> None:
    """An if; `rest` is what follows it in its block."""
    condition, then, other = node.kids
    if condition is not None and condition.kind == "decl":
        machine.statement(condition)
        condition = None
    machine.rvalue(condition)
    guard = branch_guard(machine, condition) if condition is not None else None
    if guard is not None and then is not None and condition is not None and not machine.silent:
        _note_guard(machine, condition, then, other, guard, rest)
    before = dict(machine.values)
    guard = guard or ALIKE
    machine.guards.append(GuardState(guard.threads, guard.differs, guard.bounds, guard.mask))
    machine.statement(then)
    left = machine.left
    machine.guards.pop()
    after_then = machine.values
    machine.values = before
    right_left = False
    if other is not None:
        machine.values = dict(before)
        machine.guards.append(GuardState(guard.rest, guard.differs, guard.bounds, guard.rest_mask))
        machine.statement(other)
        right_left = machine.left
        machine.guards.pop()
    if left and not right_left:
        # `if (..) return;` leaves the rest of the block to the threads that go on.
        # Threads that have left do not count at a barrier (from Volta on).
        if guard.rest_mask is not None:
            machine.guards.append(GuardState(guard.rest, False, False, guard.rest_mask))
    elif right_left and not left:
        machine.values = after_then
    elif machine.values != after_then:
        after_else = machine.values
        joined = dict(after_else)
        for name, value in after_then.items():
            known = after_else.get(name)
            if known is not None and known != value:
                joined[name] = machine.merged(value, known, condition, node)
        machine.values = joined
    machine.left = left and right_left


def _note_guard(
    machine: Interpreter,
    condition: Node,
    then: Node,
    other: Node | None,
    guard: BranchGuard,
    rest: tuple[Node | None, ...],
) -> None:
    if guard.bounds or not guard.differs:
        return
    start, end = machine.at(condition)
    body_start, body_end = machine.at(then)
    inside = then.walk()
    leaves = other is None and any(one.kind in ("return", "continue") for one in inside)
    after = [one for one in rest if one is not None] if leaves else []
    if after:
        # `if (..) return;`: what follows is for the threads that go on.
        body_start, body_end = machine.at(after[0])[0], machine.at(after[-1])[1]
        inside = [one for kid in after for one in kid.walk()]
    machine.records.guards.append(
        Guard(
            start,
            end,
            body_start,
            body_end,
            guard.threads,
            guard.splits,
            machine.text(condition),
            other is not None,
            len(machine.loops),
            len(inside),
            any(_loops(machine, one) for one in inside),
            guard.split_share,
            bool(after),
            guard.rest,
        )
    )


def _loops(machine: Interpreter, node: Node) -> bool:
    """Whether a node is a loop, or calls a function of the file that holds one."""
    if node.kind in LOOP_KINDS:
        return True
    function = machine.env.function(node.text) if node.kind == "call" and node.text else None
    body = machine.env.body(function) if function is not None else None
    return body is not None and any(one.kind in LOOP_KINDS for one in body.walk())


def _loop(machine: Interpreter, node: Node) -> None:
    unroll = machine.unroll
    machine.unroll = None
    names = dict(machine.names)
    if node.kind == "for":
        machine.statement(node.kids[0])
    state = enter_loop(machine, node, unroll)
    condition = node.kids[1] if node.kind == "for" else node.kids[0]
    if node.kind == "rangefor":
        condition = None
        machine.rvalue(node.kids[0])
        for one in node.extra if isinstance(node.extra, tuple) else ():
            if isinstance(one, Declarator):
                machine.names[one.name] = Variable(one.name, one.type, "register")
                machine.values[one.name] = machine.uniform_value(one.name, one.type, "loop")
    body = node.kids[3] if node.kind == "for" else node.kids[1]
    machine.rvalue(condition)
    guards = len(machine.guards)
    machine.statement(body)
    del machine.guards[guards:]
    if node.kind == "for":
        machine.rvalue(node.kids[2])
    leave_loop(machine, node, state)
    for name in list(machine.names):
        if name not in names:
            del machine.names[name]
            machine.values.pop(name, None)
    machine.names.update(names)
    machine.left = False


def _switch(machine: Interpreter, node: Node) -> None:
    condition, body = node.kids
    value = machine.rvalue(condition)
    differs = machine.varies(value)
    before = dict(machine.values)
    ends: list[dict[str, Value]] = [before]
    machine.guards.append(GuardState(None, differs, False))
    for kid in body.kids if body is not None else ():
        machine.values = dict(before)
        machine.statement(kid)
        ends.append(machine.values)
    machine.guards.pop()
    joined = dict(before)
    for name, known in before.items():
        for end in ends[1:]:
            other = end.get(name, known)
            if other != known:
                joined[name] = machine.merged(known, other, condition, node)
                break
    machine.values = joined
    machine.left = False


def _case(machine: Interpreter, node: Node) -> None:
    for kid in node.kids[1:]:
        machine.statement(kid)
    machine.left = False


def _return(machine: Interpreter, node: Node) -> None:
    for kid in node.kids:
        if machine.returns.reference:
            machine.returned.append(machine.evaluate(kid))
        else:
            machine.returned.append(machine.converted(machine.rvalue(kid), machine.returns))
    machine.left = True


def _leave(machine: Interpreter, node: Node) -> None:
    machine.left = True


def _pragma(machine: Interpreter, node: Node) -> None:
    match = _UNROLL.search(node.text)
    if match is None:
        return
    word = match[1] or ""
    value = int(word) if word.isdigit() else machine.env.number(word) if word else 0
    machine.unroll = value if isinstance(value, int) else 0


_STATEMENTS: dict[str, Callable[[Interpreter, Node], None]] = {
    "block": _block,
    "decl": _decl,
    "expr": _expr,
    "if": _if,
    "for": _loop,
    "while": _loop,
    "do": _loop,
    "rangefor": _loop,
    "switch": _switch,
    "case": _case,
    "return": _return,
    "break": _leave,
    "continue": _leave,
    "pragma": _pragma,
}
