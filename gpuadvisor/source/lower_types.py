"""Declarations: types, declarators, extents, storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gpuadvisor.source.layout import CType
from gpuadvisor.source.syntax_nodes import Declarator, Node

if TYPE_CHECKING:
    from tree_sitter import Node as TsNode


class Lowers(Protocol):
    """What is needed of a lowering."""

    def text(self, node: TsNode) -> str:
        """The source text of a node."""

    def node(self, ts: TsNode | None) -> Node | None:
        """The counterpart of a node."""


_STORAGE = {
    "__shared__": "shared",
    "__constant__": "constant",
    "__device__": "device",
    "__managed__": "device",
}
_WORDS = frozenset({"type_qualifier", "storage_class_specifier", *_STORAGE})
_NESTED = frozenset(
    {"pointer_declarator", "reference_declarator", "array_declarator", "init_declarator",
     "parenthesized_declarator", "function_declarator", "attributed_declarator",
     "optional_parameter_declaration", "abstract_pointer_declarator",
     "abstract_reference_declarator", "abstract_array_declarator"}
)  # fmt: skip


def read_type(low: Lowers, ts: TsNode) -> CType:
    """The type of a type specifier node: its plain name, words in the field's usual order."""
    kind = ts.type
    if kind == "sized_type_specifier":
        return CType(_sized(low.text(ts)))
    if kind == "qualified_identifier":
        inner = ts.child_by_field_name("name")
        return read_type(low, inner) if inner is not None else CType(low.text(ts))
    if kind in ("struct_specifier", "class_specifier", "union_specifier", "enum_specifier"):
        name = ts.child_by_field_name("name")
        return CType(low.text(name) if name is not None else "")
    if kind == "placeholder_type_specifier":
        return CType("auto")
    if kind == "dependent_type":
        return read_type(low, ts.named_children[-1]) if ts.named_children else CType("")
    text = " ".join(low.text(ts).split())
    return CType("unsigned" if text in ("unsigned", "unsigned int") else text)


def _sized(text: str) -> str:
    """One spelling for each integer: `unsigned`, `long long`, `unsigned short`."""
    words = text.split()
    unsigned = "unsigned" in words
    longs = words.count("long")
    if "double" in words:
        return "double"
    if "char" in words:
        return "unsigned char" if unsigned else "signed char" if "signed" in words else "char"
    base = "long long" if longs == 2 else "long" if longs else "short" if "short" in words else ""
    if not base:
        return "unsigned" if unsigned else "int"
    return f"unsigned {base}" if unsigned else base


def type_descriptor(low: Lowers, ts: TsNode) -> CType:
    """The type in a cast, sizeof or template argument."""
    if ts.type != "type_descriptor":
        return read_type(low, ts)
    described = ts.child_by_field_name("type")
    ctype = read_type(low, described) if described is not None else CType(low.text(ts))
    pointers, const = 0, False
    reference = False
    inner = ts.child_by_field_name("declarator")
    while inner is not None:
        pointers += inner.type == "abstract_pointer_declarator"
        reference |= inner.type == "abstract_reference_declarator"
        inner = inner.child_by_field_name("declarator")
    for child in ts.children:
        const |= child.type == "type_qualifier" and low.text(child) == "const"
    return CType(ctype.name, ctype.pointers + pointers, const, reference=reference)


def declarators(low: Lowers, ts: TsNode) -> list[tuple[Declarator, TsNode | None]]:
    """The names a declaration, parameter or field declares, with the node of each one's initial
    value."""
    described = ts.child_by_field_name("type")
    base = read_type(low, described) if described is not None else CType("")
    words = [low.text(child) for child in ts.children if child.type in _WORDS]
    storage = next((_STORAGE[word] for word in words if word in _STORAGE), "")
    if "extern" in words and storage == "shared":
        storage = "extern-shared"
    elif not storage and "static" in words:
        storage = "static"
    constexpr = "constexpr" in words or ("const" in words and not storage)
    found: list[tuple[Declarator, TsNode | None]] = []
    for child in ts.children_by_field_name("declarator"):
        value = child.child_by_field_name("value") if child.type == "init_declarator" else None
        if value is None and ts.type in ("optional_parameter_declaration", "declaration"):
            value = ts.child_by_field_name("default_value") or ts.child_by_field_name("value")
        if base.name == "dim3" and child.type == "function_declarator":
            # `dim3 block(X, Y);` reads as the declaration of a function.
            value = child.child_by_field_name("parameters")
            child = child.child_by_field_name("declarator") or child
        read = _declarator(low, child)
        if read is None:
            continue
        name, pointers, reference, restrict, dims, end = read
        ctype = CType(
            base.name,
            base.pointers + pointers,
            const="const" in words,
            restrict=restrict,
            reference=reference,
            volatile="volatile" in words,
        )
        one = Declarator(name, ctype, dims, storage, child.start_byte, end, constexpr)
        found.append((one, value))
    return found


def _declarator(
    low: Lowers, ts: TsNode
) -> tuple[str, int, bool, bool, tuple[Node | None, ...], int] | None:
    """(name, pointers, reference, restrict, extents, end) of a declarator."""
    if ts.type == "identifier":
        return low.text(ts), 0, False, False, (), ts.end_byte
    pointers, reference, restrict = 0, False, False
    extents: list[Node | None] = []
    end = ts.end_byte
    node: TsNode | None = ts
    while node is not None and node.type in _NESTED:
        if node.type == "function_declarator":
            return None
        if node.type == "pointer_declarator":
            pointers += 1
            restrict |= any(
                c.type == "type_qualifier" and "restrict" in low.text(c) for c in node.children
            )
        elif node.type == "reference_declarator":
            reference = True
        elif node.type == "array_declarator":
            extents.append(low.node(node.child_by_field_name("size")))
        inner = node.child_by_field_name("declarator")
        if inner is None:
            inner = next((c for c in node.named_children if c.type in _NESTED
                          or c.type.endswith("identifier")), None)  # fmt: skip
        if node.type == "init_declarator" and inner is not None:
            end = inner.end_byte
        node = inner
    if node is None or not node.type.endswith("identifier"):
        return None
    return low.text(node), pointers, reference, restrict, tuple(reversed(extents)), end
