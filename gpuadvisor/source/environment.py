"""The names a function can see from outside: constants, macros, types, other functions.

Every look-up is noted, so that what was found out about a function can be kept when the file
changes elsewhere (see `syntax`).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from gpuadvisor.source.fold import fold_number
from gpuadvisor.source.layout import CType, Layout, TypeTable, struct_layout
from gpuadvisor.source.lower import Lowering
from gpuadvisor.source.model import Macro
from gpuadvisor.source.outline import Outline, RawFunction
from gpuadvisor.source.syntax_nodes import Declarator, Node

if TYPE_CHECKING:
    from gpuadvisor.source.text import LineIndex
    from gpuadvisor.source.tree import Parsed

Number = int | float
_PENDING = object()


class Environment:
    """Look-ups by name over one file's outline."""

    def __init__(self, outline: Outline, parsed: Parsed, index: LineIndex) -> None:
        self.used: dict[tuple[str, str], Hashable] | None = None
        self.outline = outline
        self.parsed = parsed
        self.masked = parsed.masked
        self.index = index
        self.functions: dict[str, list[RawFunction]] = {}
        for function in outline.functions:
            if function.has_body:
                self.functions.setdefault(function.name, []).append(function)
        self._numbers: dict[str, object] = {}
        self._macro_nodes: dict[str, Node | None] = {}
        self._lowered: dict[int, Node | None] = {}
        self._enums = _number_enums(outline, self)
        self.variables: dict[str, Declarator] = {one.name: one for one in outline.variables}
        self.types = TypeTable({}, outline.aliases)
        self.types.structs = self._layouts()

    def note(self, kind: str, name: str, value: Hashable) -> None:
        """Remember that an analysis depended on this look-up."""
        if self.used is not None:
            self.used[(kind, name)] = value

    def look_up(self, kind: str, name: str) -> Hashable:
        """The value that a remembered look-up has now."""
        if kind == "number":
            return self._number(name)
        if kind == "macro":
            return self.outline.macros.get(name)
        if kind == "constant":
            return self.outline.constant_types.get(name)
        if kind == "function":
            return self._function_key(name)
        if kind == "variable":
            return _variable_key(self.variables.get(name))
        layout = self.types.layout(CType(name))
        return (layout, self.types.aliases.get(name))

    def number(self, name: str) -> Number | None:
        """The value of a compile-time constant: macro, constexpr, const with a constant initial
        value, enumerator."""
        value = self._number(name)
        self.note("number", name, value)
        return value

    def constant_type(self, name: str) -> CType | None:
        """The declared type of a `constexpr` or `const` outside functions."""
        ctype = self.outline.constant_types.get(name)
        self.note("constant", name, ctype)
        return ctype

    def macro(self, name: str) -> Macro | None:
        """The function-like macro called `name`."""
        macro = self.outline.macros.get(name)
        self.note("macro", name, macro)
        return macro

    def macro_node(self, name: str) -> Node | None:
        """The body of a macro as an expression, None when it is none."""
        if name not in self._macro_nodes:
            macro = self.outline.macros.get(name)
            self._macro_nodes[name] = parse_expression(macro.body) if macro else None
        return self._macro_nodes[name]

    def variable(self, name: str) -> Declarator | None:
        """The `__device__` or `__constant__` variable called `name`."""
        found = self.variables.get(name)
        self.note("variable", name, _variable_key(found))
        return found

    def function(self, name: str) -> RawFunction | None:
        """The one function with a body called `name`; None when overloaded or unknown."""
        self.note("function", name, self._function_key(name))
        found = self.functions.get(name, ())
        return found[0] if len(found) == 1 else None

    def layout(self, ctype: CType) -> Layout | None:
        """As `TypeTable.layout`, noted."""
        if not ctype.pointers or ctype.name in self.types.aliases:
            self.note("type", ctype.name, self.look_up("type", ctype.name))
        return self.types.layout(ctype)

    def size(self, ctype: CType) -> int | None:
        """As `TypeTable.size`, noted."""
        if ctype.name not in ("float", "int", "double"):
            self.note("type", ctype.name, self.look_up("type", ctype.name))
        return self.types.size(ctype)

    def body(self, function: RawFunction) -> Node | None:
        """A function's body, lowered once."""
        if not function.has_body:
            return None
        key = function.body_start
        if key not in self._lowered:
            root = self.parsed.root
            body = root.descendant_for_byte_range(key, function.body_end)
            self._lowered[key] = Lowering(self.masked).node(body)
        return self._lowered[key]

    def _function_key(self, name: str) -> Hashable:
        found = self.functions.get(name, ())
        return tuple([self.masked[one.start : one.end] for one in found])

    def _number(self, name: str) -> Number | None:
        value = self._numbers.get(name)
        if value is _PENDING:
            return None
        if name not in self._numbers:
            self._numbers[name] = _PENDING
            self._numbers[name] = value = self._compute(name)
        return value if isinstance(value, int | float) else None

    def _compute(self, name: str) -> Number | None:
        if name in self._enums:
            return self._enums[name]
        node = self.outline.constants.get(name)
        if node is None:
            macro = self.outline.macros.get(name)
            if macro is None or macro.parameters is not None or len(macro.body) > 200:
                return None
            node = self.macro_node(name)
        return fold_number(node, self._number, self.types.size) if node is not None else None

    def _layouts(self) -> dict[str, Layout]:
        layouts: dict[str, Layout] = {}
        self.types.structs = layouts
        for raw in self.outline.structs:
            members = []
            for one in raw.members:
                dims = tuple([known_extent(self, extent) for extent in one.dims])
                members.append((one.name, one.type, dims))
            layout = struct_layout(
                raw.name, members, self.types, raw.union, raw.align, self.index.line_of(raw.start)
            )
            if layout is not None and raw.name:
                layouts[raw.name] = layout
        return layouts


def known_extent(env: Environment, extent: Node | None) -> int | None:
    """An array extent that is a constant of the file, None when it is not known."""
    value = fold_number(extent, env.number, env.types.size)
    return value if isinstance(value, int) else None


def _variable_key(one: Declarator | None) -> Hashable:
    return (one.name, one.type, len(one.dims), one.storage) if one is not None else None


def _number_enums(outline: Outline, environment: Environment) -> dict[str, int]:
    values: dict[str, int] = {}
    following = 0
    known = True
    for name, node in outline.enums:
        if node is not None:
            value = fold_number(node, lambda one: values.get(one), lambda _: None)
            known = isinstance(value, int)
            following = value if isinstance(value, int) else 0
        if known:
            values[name] = following
        following += 1
    return values


def parse_expression(text: str) -> Node | None:
    """A piece of text as one expression, None when it is none."""
    from gpuadvisor.source.tree import Parsed

    parsed = Parsed(b"void f(){" + text.encode() + b";}")
    if parsed.root.has_error:
        return None
    body = Lowering(parsed.masked).node(parsed.root)
    for node in body.walk() if body is not None else ():
        if node.kind == "expr" and len(node.kids) == 1:
            return node.kids[0]
    return None
