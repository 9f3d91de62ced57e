"""`[N][N]` to `[N][N + 1]` on the declaration of the shared array of a conflicting access."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuadvisor.fixes.edit import TextEdit, at_bytes
from gpuadvisor.fixes.place import Place, descendants

if TYPE_CHECKING:
    from tree_sitter import Node

    from gpuadvisor.evidence.findings import Location

_PADDED = re.compile(r"\+\s*\d+[uUlL]*\s*$")
_SIMPLE = re.compile(r"[\w:.]+(?:\s*[*/%+-]\s*[\w:.]+)*\Z")


def pad_shared_array(text: str, location: Location) -> list[TextEdit]:
    """One more column for the array: rows then begin in different banks.

    Nothing when no two-dimensional shared array declared in the same function is accessed there,
    when more than one is, or when it is padded already. Unsafe: other code may count on the
    length of a row, and the array takes more shared memory.
    """
    place = Place(text, location)
    function = place.function()
    if function is None:
        return []
    arrays = _shared_arrays(place, function)
    accessed = {
        name
        for node in place.covered("subscript_expression")
        if (name := _array_name(place, node)) in arrays
    }
    if len(accessed) != 1:
        return []
    extent = arrays[accessed.pop()]
    source = place.text(extent)
    if _PADDED.search(source):
        return []
    padded = f"{source} + 1" if _SIMPLE.match(source) else f"({source}) + 1"
    return [at_bytes(place.index, extent.start_byte, extent.end_byte, padded)]


def _shared_arrays(place: Place, function: Node) -> dict[str, Node]:
    """The last extent of each shared array of two dimensions or more, by name."""
    arrays: dict[str, Node] = {}
    for declaration in descendants(function, "declaration"):
        if not any(child.text == b"__shared__" for child in declaration.children):
            continue
        for declarator in declaration.children:
            if declarator.type == "init_declarator":
                declarator = declarator.child_by_field_name("declarator") or declarator
            inner = declarator.child_by_field_name("declarator")
            extent = declarator.child_by_field_name("size")
            if inner is None or extent is None or inner.type != "array_declarator":
                continue
            while inner is not None and inner.type == "array_declarator":
                inner = inner.child_by_field_name("declarator")
            if inner is not None:
                arrays[place.text(inner)] = extent
    return arrays


def _array_name(place: Place, subscript: Node) -> str:
    """The name at the root of nested subscripts."""
    node: Node | None = subscript
    while node is not None and node.type == "subscript_expression":
        node = node.child_by_field_name("argument")
    return place.text(node) if node is not None else ""
