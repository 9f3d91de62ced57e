"""Evaluating expressions, noting what they access and compute."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from gpuadvisor.source import lanes
from gpuadvisor.source.call_names import DOUBLE_CONSTANTS
from gpuadvisor.source.double_use import (
    arithmetic_type,
    combine,
    compare,
    convert,
    literal_promotion,
)
from gpuadvisor.source.expression_kinds import EVALUATE, moved
from gpuadvisor.source.integer_ops import divide, note_division, other_operator
from gpuadvisor.source.lanes import Poly, add, constant, multiply
from gpuadvisor.source.layout import CType
from gpuadvisor.source.machine import Machine, Variable
from gpuadvisor.source.syntax_nodes import Declarator, Node
from gpuadvisor.source.values import BOOL, DOUBLE, INT, NOTHING, Atom, Value

_LIKE_CONSTANT = re.compile(r"^(?:[A-Z][A-Z0-9_]*|k[A-Z]\w*|\w*[a-z0-9]_|warpSize)$")
"""Names that by custom are constants or members set by the host; they come from other files."""
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})


class Expressions(Machine):
    """The expression half of the interpreter."""

    def merged(self, left: Value, right: Value, condition: Node | None, node: Node) -> Value:
        """What a value is after either of two ways was taken."""
        raise NotImplementedError

    def run_body(self, body: Node, templates: tuple[str, ...] = ()) -> Value:
        """Runs the body of a function."""
        raise NotImplementedError

    def rvalue(self, node: Node | None) -> Value:
        """The value of an expression; what it reads from memory is noted."""
        value = self.evaluate(node)
        return self.load(node, value) if node is not None and value.place is not None else value

    def load(self, node: Node, value: Value) -> Value:
        """What an lvalue in memory holds."""
        place = value.place
        if place is None:
            return value
        if place.dims:
            return Value(None, None, place)
        ctype = value.type
        self.note_access(node, place, "load", ctype)
        if ctype is not None and ctype.pointers:
            base = self.pointer_to(self.text(node), "global", ctype.pointee())
            if self.atoms.varying(place.offset):
                loaded = frozenset({place.base})
                start = self.varying_value(self.text(node), INT, "load", loaded).poly
                base = replace(base, offset=start or {})
            return Value(None, ctype, base)
        varies = self.atoms.thread_dependent(place.offset) or place.space == "local"
        if not self.is_int(ctype):
            return Value(None, ctype, varies=varies)
        if self.atoms.varying(place.offset) or place.space == "local":
            # Equal text in one statement is taken for an equal value by name.
            limit = 256 if self.size(ctype or INT) == 1 else None
            loaded = frozenset({place.base})
            return self.varying_value(self.text(node), ctype, "load", loaded, limit)
        return self.uniform_value(self.text(node), ctype, "load")

    def evaluate(self, node: Node | None) -> Value:
        """The value or lvalue of an expression."""
        if node is None or self.tired():
            return NOTHING
        handler = EVALUATE.get(node.kind)
        if handler is None:
            for kid in node.kids:
                self.rvalue(kid)
            return NOTHING
        return handler(self, node)

    def store(self, node: Node, target: Value, value: Value, compound: bool = False) -> None:
        """Assigns to an lvalue."""
        if target.place is not None and not target.place.dims:
            self.escape(Value(ptr=value.ptr))
            if compound:
                self.note_access(node, target.place, "load", target.type)
            self.note_access(node, target.place, "store", target.type)
        elif target.name:
            self.values[target.name] = self.converted(value, target.type)

    def converted(self, value: Value, ctype: CType | None) -> Value:
        """A value after conversion to the type of what it is assigned to."""
        if ctype is None or ctype.name in ("auto", ""):
            return replace(value, place=None, name="")
        poly = value.poly
        if not self.is_int(ctype) and not ctype.pointers and ctype.name not in self.type_names:
            poly = None if value.type is None or not self.is_int(value.type) else poly
        convert(self, value, ctype)
        if ctype.pointers and value.ptr is not None and not value.ptr.dims:
            return Value(poly, ctype, value.ptr)
        if value.pure and ctype.const and self.is_number(ctype, "double"):
            return replace(value, type=ctype, place=None, name="")
        varies = value.varies or (poly is None and self.varies(value))
        return Value(poly, ctype, value.ptr, fixed=value.fixed, whole=value.whole, varies=varies)

    def name_value(self, node: Node) -> Value:
        """The value of a name."""
        name = node.text
        variable = self.names.get(name)
        if variable is not None:
            return self._variable(variable)
        plain = name.split("::")[-1]
        if plain == "warpSize":
            return Value(constant(32), INT, fixed=True)
        value = self.env.number(plain)
        if isinstance(value, int):
            return Value(constant(value), INT, pure=True, fixed=True)
        if isinstance(value, float):
            return self._float_constant(plain, node)
        known = self.env.variable(plain)
        if known is not None:
            return self._outside(known)
        if plain in DOUBLE_CONSTANTS:
            return Value(None, DOUBLE, promotion=literal_promotion(node), pure=True, fixed=True)
        macro = self.env.macro(plain)
        if macro is not None and macro.parameters is None and plain not in self.calls:
            body = self.env.macro_node(plain)
            if body is not None:
                return self.with_call(plain, lambda: self.evaluate(moved(body, node)))
        if plain in self.atoms.known or _LIKE_CONSTANT.match(plain):
            return Value(self.atoms.get(plain, Atom("template")), None)
        return self.varying_value(plain, None, "unknown")

    def _variable(self, variable: Variable) -> Value:
        name = variable.name
        current = self.values.get(name, NOTHING)
        if variable.space == "alias" and current.place is not None:
            return current
        if variable.dims:
            base = self.pointer_to(name, variable.space, variable.type)
            return Value(None, None, None, replace(base, dims=variable.dims))
        if variable.space in ("shared", "device", "constant"):
            space = {"device": "global"}.get(variable.space, variable.space)
            return Value(None, variable.type, None, self.pointer_to(name, space, variable.type))
        return replace(current, type=current.type or variable.type, place=None, name=name)

    def _outside(self, known: Declarator) -> Value:
        space = "constant" if known.storage == "constant" else "global"
        base = self.pointer_to(known.name, space, known.type)
        if known.dims:
            dims = tuple([lanes.as_int(self.rvalue(d).poly or {}) or None for d in known.dims])
            return Value(None, None, None, replace(base, dims=dims))
        return Value(None, known.type, None, base)

    def _float_constant(self, name: str, node: Node) -> Value:
        """A macro or constant that stands for a floating-point number: a macro's literal keeps
        its own type, `constexpr float` is a float."""
        body = self.env.macro_node(name)
        if body is None:
            ctype = self.env.constant_type(name)
            double = self.is_number(ctype, "double")
            promotion = literal_promotion(node) if double else None
            return Value(None, ctype, promotion=promotion, pure=True, fixed=True)
        self.silent += 1
        value = self.evaluate(moved(body, node))
        self.silent -= 1
        return replace(value, pure=True, fixed=True)

    def with_call(self, name: str, run: Callable[[], Value]) -> Value:
        """Runs with `name` among the calls being followed."""
        saved = self.calls
        self.calls = (*saved, name)
        try:
            return run()
        finally:
            self.calls = saved

    def apply(self, operator: str, left: Value, right: Value, node: Node) -> Value:
        """left operator right for values that are already loaded."""
        moved = self._pointer_arithmetic(operator, left, right, node)
        if moved is not None:
            return moved
        if operator in _COMPARISONS:
            compare(self, node, left, right)
            fixed = left.fixed and right.fixed
            return Value(None, BOOL, fixed=fixed, varies=self.varies(left, right))
        ctype = arithmetic_type(self, left, right)
        promotion = combine(self, node, operator, left, right)
        pure, fixed = left.pure and right.pure, left.fixed and right.fixed
        if ctype is not None and not self.is_int(ctype) and ctype.name not in self.type_names:
            varies = self.varies(left, right)
            return Value(None, ctype, promotion=promotion, pure=pure, fixed=fixed, varies=varies)
        if operator in ("/", "%"):
            note_division(self, operator, left, right, node)
        poly = self.integer(operator, left, right, node)
        varies = poly is None and self.varies(left, right)
        return Value(poly, ctype, pure=pure, fixed=fixed, varies=varies)

    def varies(self, *values: Value) -> bool:
        """Whether threads of a block are known to differ in any of these."""
        return any(
            one.varies or (one.poly is not None and self.atoms.thread_dependent(one.poly))
            for one in values
        )

    def integer(self, operator: str, left: Value, right: Value, node: Node) -> Poly | None:
        """The index polynomial of an integer operation."""
        one, other = left.poly, right.poly
        if one is None or other is None:
            return None
        result: Poly | None
        if operator == "+":
            result = add(one, other)
        elif operator == "-":
            result = add(one, other, -1)
        elif operator == "*":
            result = multiply(one, other)
        elif operator in ("/", "%"):
            result = divide(self, operator, one, other, node)
        else:
            result = other_operator(self, operator, one, other, node)
        if result is None:
            return self.opaque(node, (one, other), left.fixed and right.fixed)
        return result

    def opaque(self, node: Node, parts: tuple[Poly, ...], fixed: bool = False) -> Poly:
        """An unknown made of others: it varies when one of them does."""
        name = self.text(node)
        arrays: frozenset[str] = frozenset()
        for part in parts:
            arrays |= self.atoms.arrays(part)
        if any(self.atoms.varying(part) for part in parts):
            kind = (
                "other" if any(self.atoms.thread_dependent(part) for part in parts) else "unknown"
            )
            return self.varying_value(name, INT, kind, arrays).poly or {}
        kinds = {atom.kind for part in parts for atom in self.atoms.of(part)}
        kind = "template"
        for stronger in ("fixed-loop", "dim", "param", "block", "loop", "warp", "load", "other"):
            if stronger in kinds and not fixed:
                kind = stronger
        return self.uniform_value(name, INT, kind).poly or {}

    def _pointer_arithmetic(
        self, operator: str, left: Value, right: Value, node: Node
    ) -> Value | None:
        if operator not in ("+", "-"):
            return None
        for one, other in ((left, right), (right, left)):
            pointer = one.ptr
            if pointer is not None and other.ptr is None and (one.poly is None or other is right):
                count = self.index(other, node)
                moved = self.move(pointer, count, 1 if operator == "+" else -1)
                if pointer.dims:
                    moved = replace(moved, dims=pointer.dims)
                return Value(None, one.type, moved)
        return None

    def member_of(self, node: Node, base: Value) -> Value:
        """base.member or base->member."""
        place = base.place
        if node.extra or place is None:
            loaded = self.load(node.kids[0], base) if node.kids[0] is not None else base
            if base.whole and not node.extra:
                return self._argument_member(base, node.text)
            if loaded.ptr is None or (place is not None and not node.extra):
                return Value(None, self._member_type(base.type, node.text))
            place = loaded.ptr
        elif place.dims:
            return NOTHING
        ctype = place.element if not place.member else (base.type or place.element)
        layout = self.env.layout(ctype)
        field = layout.field(node.text) if layout is not None else None
        if layout is None or field is None:
            hidden = self.atoms.fresh("~member", Atom("other", True))
            unknown = replace(place, offset=add(place.offset, hidden), size_known=False,
                              member=node.text, struct=str(ctype))  # fmt: skip
            return Value(None, CType(""), None, unknown)
        inner = replace(
            place,
            offset=add(place.offset, constant(field.offset)),
            struct=place.struct or layout.name,
            struct_bytes=place.struct_bytes or layout.size,
            member=f"{place.member}.{field.name}" if place.member else field.name,
            element=field.type,
            element_bytes=self.size(field.type) or 1,
            dims=field.dims,
        )
        return Value(None, field.type, None, inner)

    def _argument_member(self, base: Value, name: str) -> Value:
        """A member of a struct that all threads were given."""
        whole = f"{base.whole}.{name}"
        ctype = self._member_type(base.type, name)
        if ctype is None:
            return Value(self.atoms.get(whole, Atom("param")), None, whole=whole)
        if ctype.pointers:
            return Value(None, ctype, self.pointer_to(whole, "global", ctype.pointee()))
        if self.is_int(ctype):
            return Value(self.atoms.get(whole, Atom("param")), ctype)
        return Value(None, ctype, whole=whole)

    def _member_type(self, ctype: CType | None, name: str) -> CType | None:
        layout = self.env.layout(ctype) if ctype is not None else None
        field = layout.field(name) if layout is not None else None
        return field.type if field is not None else None
