"""From the parser's nodes to our own (`syntax_nodes`). Never fails: what has no counterpart
becomes an `other` node that keeps its children, so that accesses in it are still seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gpuadvisor.source.layout import CType
from gpuadvisor.source.lower_types import declarators, read_type, type_descriptor
from gpuadvisor.source.syntax_nodes import Declarator, Node

if TYPE_CHECKING:
    from tree_sitter import Node as TsNode

MAX_DEPTH = 120
_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"})
_BUILTIN_CASTS = frozenset(
    {"float", "double", "int", "unsigned", "uint", "size_t", "char", "long", "short", "bool"}
)


class Lowering:
    """Lowers one function; `data` is the whole (masked) file that node positions refer to."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.depth = 0

    def text(self, node: TsNode) -> str:
        """The source text of a node, replaced where it is not UTF-8."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", errors="replace")

    def node(self, ts: TsNode | None) -> Node | None:
        """The counterpart of any node; None for nothing and for comments."""
        if ts is None:
            return None
        kind = ts.type
        if kind in ("comment", ";", "preproc_def", "preproc_include", "preproc_function_def"):
            return None
        self.depth += 1
        try:
            if self.depth > MAX_DEPTH:
                return Node("other", ts.start_byte, ts.end_byte)
            lower = _LOWER.get(kind)
            return lower(self, ts) if lower else self._other(ts)
        finally:
            self.depth -= 1

    def must(self, ts: TsNode | None, at: TsNode) -> Node:
        """As `node`, with an empty stand-in where something is missing."""
        return self.node(ts) or Node("other", at.start_byte, at.end_byte)

    def named(self, ts: TsNode) -> tuple[Node, ...]:
        """The counterparts of all named children."""
        found = (self.node(child) for child in ts.named_children)
        return tuple([one for one in found if one is not None])

    def _other(self, ts: TsNode) -> Node:
        return Node("other", ts.start_byte, ts.end_byte, ts.type, self.named(ts))


def _leaf(kind: str) -> Callable[[Lowering, TsNode], Node]:
    return lambda low, ts: Node(kind, ts.start_byte, ts.end_byte, low.text(ts))


def _paren(low: Lowering, ts: TsNode) -> Node | None:
    inner = [child for child in ts.named_children if child.type != "comment"]
    return low.node(inner[0]) if len(inner) == 1 else low._other(ts)


def _condition(low: Lowering, ts: TsNode) -> Node | None:
    value = ts.child_by_field_name("value")
    return low.node(value) if value is not None else _paren(low, ts)


def _binary(low: Lowering, ts: TsNode) -> Node:
    left, right = ts.child_by_field_name("left"), ts.child_by_field_name("right")
    operator = ts.child_by_field_name("operator")
    kids = (low.must(left, ts), low.must(right, ts))
    return Node("bin", ts.start_byte, ts.end_byte, low.text(operator) if operator else "", kids)


def _comma(low: Lowering, ts: TsNode) -> Node:
    return Node("comma", ts.start_byte, ts.end_byte, ",", low.named(ts))


def _unary(low: Lowering, ts: TsNode) -> Node:
    operator = ts.child_by_field_name("operator")
    argument = low.must(ts.child_by_field_name("argument"), ts)
    text = low.text(operator) if operator else ""
    kind = {"*": "deref", "&": "addr"}.get(text, "un") if ts.type == "pointer_expression" else "un"
    return Node(kind, ts.start_byte, ts.end_byte, text, (argument,))


def _update(low: Lowering, ts: TsNode) -> Node:
    argument = ts.child_by_field_name("argument")
    operator = ts.child_by_field_name("operator")
    text = low.text(operator) if operator else "++"
    postfix = bool(operator and argument and operator.start_byte > argument.start_byte)
    return Node("update", ts.start_byte, ts.end_byte, text, (low.must(argument, ts),), postfix)


def _call(low: Lowering, ts: TsNode) -> Node:
    """Calls, casts in call form, and launches (`extra` is then the tuple of configuration
    nodes). kids: what is called (None for a plain name), then the arguments."""
    function = ts.child_by_field_name("function")
    arguments = ts.child_by_field_name("arguments")
    args = low.named(arguments) if arguments is not None else ()
    name, template, receiver = _callee(low, function)
    callee = receiver
    span = (ts.start_byte, ts.end_byte)
    if name in _CASTS and template and args:
        return Node("cast", *span, name, (args[0],), template[0])
    if name in _BUILTIN_CASTS and callee is None and len(args) == 1:
        return Node("cast", *span, name, args, CType(name))
    for child in ts.children:
        if child.type == "kernel_call_syntax":
            return Node("call", *span, name, (callee, *args), ("launch", low.named(child)))
    return Node("call", *span, name, (callee, *args), ("call", template))


def _callee(low: Lowering, ts: TsNode | None) -> tuple[str, tuple[CType, ...], Node | None]:
    """(plain name, template type arguments, object node of a method call)."""
    if ts is None:
        return "", (), None
    if ts.type == "template_function":
        name = ts.child_by_field_name("name")
        arguments = ts.child_by_field_name("arguments")
        given = arguments.named_children if arguments else ()
        types = tuple([type_descriptor(low, child) for child in given])
        return (low.text(name) if name else ""), types, None
    if ts.type == "qualified_identifier":
        inner = ts.child_by_field_name("name")
        return _callee(low, inner)
    if ts.type in ("field_expression", "dependent_field_expression"):
        member = ts.child_by_field_name("field")
        plain = low.text(member).split("<")[0] if member else ""
        return plain, (), low.must(ts.child_by_field_name("argument"), ts)
    if ts.type in ("identifier", "primitive_type", "type_identifier"):
        return low.text(ts), (), None
    return "", (), low.node(ts)


def _index(low: Lowering, ts: TsNode) -> Node:
    base = low.must(ts.child_by_field_name("argument"), ts)
    indices = ts.child_by_field_name("indices") or ts.child_by_field_name("index")
    if indices is None:
        subscripts: tuple[Node, ...] = ()
    elif indices.type == "subscript_argument_list":
        subscripts = low.named(indices)
    else:
        subscripts = (low.must(indices, ts),)
    return Node("index", ts.start_byte, ts.end_byte, "", (base, *subscripts))


def _member(low: Lowering, ts: TsNode) -> Node:
    member = ts.child_by_field_name("field")
    arrow = any(child.type == "->" for child in ts.children)
    text = low.text(member) if member else ""
    base = low.must(ts.child_by_field_name("argument"), ts)
    return Node("member", ts.start_byte, ts.end_byte, text, (base,), arrow)


def _cast(low: Lowering, ts: TsNode) -> Node:
    described = ts.child_by_field_name("type")
    ctype = type_descriptor(low, described) if described else CType("")
    value = low.must(ts.child_by_field_name("value"), ts)
    return Node("cast", ts.start_byte, ts.end_byte, "", (value,), ctype)


def _conditional(low: Lowering, ts: TsNode) -> Node:
    names = ("condition", "consequence", "alternative")
    kids = tuple([low.must(ts.child_by_field_name(name), ts) for name in names])
    return Node("cond", ts.start_byte, ts.end_byte, "?", kids)


def _assign(low: Lowering, ts: TsNode) -> Node:
    operator = next((c for c in ts.children if not c.is_named and c.type.endswith("=")), None)
    kids = (
        low.must(ts.child_by_field_name("left"), ts),
        low.must(ts.child_by_field_name("right"), ts),
    )
    return Node("assign", ts.start_byte, ts.end_byte, operator.type if operator else "=", kids)


def _init_list(low: Lowering, ts: TsNode) -> Node:
    return Node("init", ts.start_byte, ts.end_byte, "", low.named(ts))


def _type_as_name(low: Lowering, ts: TsNode) -> Node:
    """A parameter that is really an argument (see `declarators` on dim3)."""
    return Node("name", ts.start_byte, ts.end_byte, low.text(ts))


def _compound_literal(low: Lowering, ts: TsNode) -> Node:
    described = ts.child_by_field_name("type")
    value = ts.child_by_field_name("value")
    kids = low.named(value) if value is not None else ()
    ctype = read_type(low, described) if described is not None else CType("")
    if len(kids) == 1 and ctype.name in _BUILTIN_CASTS:
        return Node("cast", ts.start_byte, ts.end_byte, "", kids, ctype)
    return Node("init", ts.start_byte, ts.end_byte, ctype.name, kids)


def _lambda(low: Lowering, ts: TsNode) -> Node:
    body = low.node(ts.child_by_field_name("body"))
    names: list[Declarator] = []
    declarator = ts.child_by_field_name("declarator")
    parameters = declarator.child_by_field_name("parameters") if declarator else None
    for child in parameters.named_children if parameters else ():
        names.extend(one for one, _ in declarators(low, child))
    return Node("lambda", ts.start_byte, ts.end_byte, "", (body,), tuple(names))


def _sizeof(low: Lowering, ts: TsNode) -> Node:
    described = ts.child_by_field_name("type")
    if described is not None:
        ctype = type_descriptor(low, described)
        return Node("sizeof", ts.start_byte, ts.end_byte, "", (), ctype)
    value = low.node(ts.child_by_field_name("value"))
    return Node("sizeof", ts.start_byte, ts.end_byte, "", (value,))


def _block(low: Lowering, ts: TsNode) -> Node:
    return Node("block", ts.start_byte, ts.end_byte, "", low.named(ts))


def _declaration(low: Lowering, ts: TsNode) -> Node:
    """kids: the initial value of each declarator (None without); `extra`: the declarators."""
    found = declarators(low, ts)
    kids = tuple([low.node(value) for _, value in found])
    names = tuple([one for one, _ in found])
    return Node("decl", ts.start_byte, ts.end_byte, "", kids, names)


def _expression_statement(low: Lowering, ts: TsNode) -> Node:
    inner = low.named(ts)
    if len(inner) == 1 and inner[0].kind == "asm":
        return inner[0]
    return Node("expr", ts.start_byte, ts.end_byte, "", inner)


def _if(low: Lowering, ts: TsNode) -> Node:
    alternative = ts.child_by_field_name("alternative")
    if alternative is not None and alternative.type == "else_clause":
        inner = [c for c in alternative.named_children if c.type != "comment"]
        other = low.node(inner[0]) if inner else None
    else:
        other = low.node(alternative)
    kids = (
        low.node(ts.child_by_field_name("condition")),
        low.node(ts.child_by_field_name("consequence")),
        other,
    )
    return Node("if", ts.start_byte, ts.end_byte, "", kids)


def _for(low: Lowering, ts: TsNode) -> Node:
    names = ("initializer", "condition", "update", "body")
    kids = tuple([low.node(ts.child_by_field_name(name)) for name in names])
    return Node("for", ts.start_byte, ts.end_byte, "", kids)


def _range_for(low: Lowering, ts: TsNode) -> Node:
    kids = (low.node(ts.child_by_field_name("right")), low.node(ts.child_by_field_name("body")))
    found = tuple([one for one, _ in declarators(low, ts)])
    return Node("rangefor", ts.start_byte, ts.end_byte, "", kids, found)


def _while(low: Lowering, ts: TsNode) -> Node:
    kind = "do" if ts.type == "do_statement" else "while"
    kids = (
        low.node(ts.child_by_field_name("condition")),
        low.node(ts.child_by_field_name("body")),
    )
    return Node(kind, ts.start_byte, ts.end_byte, "", kids)


def _switch(low: Lowering, ts: TsNode) -> Node:
    kids = (
        low.node(ts.child_by_field_name("condition")),
        low.node(ts.child_by_field_name("body")),
    )
    return Node("switch", ts.start_byte, ts.end_byte, "", kids)


def _case(low: Lowering, ts: TsNode) -> Node:
    value = ts.child_by_field_name("value")
    inner = [
        low.node(child)
        for child in ts.named_children
        if value is None or child.start_byte != value.start_byte
    ]
    kids = (low.node(value), *[one for one in inner if one is not None])
    return Node("case", ts.start_byte, ts.end_byte, "", kids)


def _simple(kind: str) -> Callable[[Lowering, TsNode], Node]:
    return lambda low, ts: Node(kind, ts.start_byte, ts.end_byte, "", low.named(ts))


def _pragma(low: Lowering, ts: TsNode) -> Node:
    return Node("pragma", ts.start_byte, ts.end_byte, low.text(ts).strip())


def _preproc_branch(low: Lowering, ts: TsNode) -> Node:
    """`#if` inside a body: an `if` on a condition that is the same for all lanes."""
    inner: list[Node] = []
    other: Node | None = None
    skip = {ts.child_by_field_name("name"), ts.child_by_field_name("condition")}
    for child in ts.named_children:
        if child.type in ("preproc_else", "preproc_elif", "preproc_elifdef"):
            other = _preproc_branch(low, child)
        elif child not in skip:
            lowered = low.node(child)
            if lowered is not None:
                inner.append(lowered)
    body = Node("block", ts.start_byte, ts.end_byte, "", tuple(inner))
    if ts.type == "preproc_else":
        return body
    return Node("if", ts.start_byte, ts.end_byte, "#if", (None, body, other))


def _labeled(low: Lowering, ts: TsNode) -> Node:
    kids = tuple([low.node(c) for c in ts.named_children if c.type != "statement_identifier"])
    return Node("block", ts.start_byte, ts.end_byte, "", kids)


_LOWER: dict[str, Callable[[Lowering, TsNode], Node | None]] = {
    "identifier": _leaf("name"),
    "field_identifier": _leaf("name"),
    "this": _leaf("name"),
    "qualified_identifier": _leaf("name"),
    "number_literal": _leaf("num"),
    "true": _leaf("num"),
    "false": _leaf("num"),
    "char_literal": _leaf("num"),
    "null": _leaf("num"),
    "string_literal": _leaf("str"),
    "concatenated_string": _leaf("str"),
    "raw_string_literal": _leaf("str"),
    "parenthesized_expression": _paren,
    "condition_clause": _condition,
    "binary_expression": _binary,
    "comma_expression": _comma,
    "pointer_expression": _unary,
    "unary_expression": _unary,
    "update_expression": _update,
    "call_expression": _call,
    "subscript_expression": _index,
    "field_expression": _member,
    "cast_expression": _cast,
    "conditional_expression": _conditional,
    "assignment_expression": _assign,
    "initializer_list": _init_list,
    "argument_list": _init_list,
    "parameter_list": _init_list,
    "parameter_declaration": _type_as_name,
    "compound_literal_expression": _compound_literal,
    "lambda_expression": _lambda,
    "sizeof_expression": _sizeof,
    "compound_statement": _block,
    "declaration": _declaration,
    "expression_statement": _expression_statement,
    "if_statement": _if,
    "for_statement": _for,
    "for_range_loop": _range_for,
    "while_statement": _while,
    "do_statement": _while,
    "switch_statement": _switch,
    "case_statement": _case,
    "return_statement": _simple("return"),
    "break_statement": _simple("break"),
    "continue_statement": _simple("continue"),
    "goto_statement": _simple("break"),
    "gnu_asm_expression": _simple("asm"),
    "preproc_call": _pragma,
    "preproc_if": _preproc_branch,
    "preproc_ifdef": _preproc_branch,
    "preproc_else": _preproc_branch,
    "preproc_elif": _preproc_branch,
    "labeled_statement": _labeled,
}
