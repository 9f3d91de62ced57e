"""Where the host side of a copy lives: what the function that copies says of it."""

from __future__ import annotations

import re

from gpuadvisor.source.syntax_nodes import Declarator, Node

_PAGEABLE_CALLS = frozenset(
    {"malloc", "calloc", "realloc", "aligned_alloc", "_mm_malloc", "memalign", "make_unique",
     "_aligned_malloc", "strdup"}
)  # fmt: skip
_PINNING = frozenset({"cudaMallocHost", "cudaHostAlloc", "cudaHostRegister", "cudaMallocManaged",
                      "cudaMalloc", "cudaMallocAsync", "cudaMallocPitch", "hipHostMalloc",
                      "posix_memalign"})  # fmt: skip
_VECTOR = re.compile(rb"\b(?:std::)?(vector|array)\s*<([^;{}()]*)>\s+(\w+)\s*[({;=]")
_PINNED_ALLOCATOR = re.compile(rb"(?i)pin|host_alloc|managed|cuda")


def pageable_names(body: Node, text: bytes) -> set[str]:
    """The names of a function that hold ordinary host memory: from malloc or new, vectors, arrays.
    A name that is also pinned, allocated on the device or assigned from elsewhere is none."""
    found: set[str] = set()
    other: set[str] = set()
    for match in _VECTOR.finditer(text):
        kind, arguments, name = match.groups()
        if kind == b"array" or not _PINNED_ALLOCATOR.search(arguments):
            found.add(name.decode())
    for node in body.walk():
        if node.kind == "decl" and isinstance(node.extra, tuple):
            for one, value in zip(node.extra, node.kids, strict=True):
                if isinstance(one, Declarator):
                    _declared(one, value, found, other)
        elif node.kind == "assign" and node.text == "=" and _is_name(node.kids[0]):
            target = node.kids[0].text if node.kids[0] is not None else ""
            (found if _allocates(node.kids[1]) else other).add(target)
        elif node.kind == "call" and node.text in _PINNING:
            for kid in node.kids[1:2]:
                other.add(root_name(kid))
    return found - other


def _declared(one: Declarator, value: Node | None, found: set[str], other: set[str]) -> None:
    if _allocates(value) or (one.dims and one.storage in ("", "static") and not one.type.pointers):
        found.add(one.name)
    elif value is not None and (one.type.pointers or one.type.name == "auto"):
        root = root_name(value)
        if root and root in found:
            found.add(one.name)  # `float* second = first + n;`


def _is_name(node: Node | None) -> bool:
    return node is not None and node.kind == "name"


def _allocates(node: Node | None) -> bool:
    while node is not None and node.kind in ("cast", "init") and len(node.kids) == 1:
        node = node.kids[0]
    if node is None:
        return False
    if node.kind == "call":
        return node.text in _PAGEABLE_CALLS
    return node.kind == "other" and node.text == "new_expression"


def root_name(node: Node | None) -> str:
    """The variable that an address is made from: `h` of `h + n`, `&h[0]`, `h.data()`, `(T*)h`."""
    for _ in range(32):
        if node is None:
            return ""
        if node.kind == "name":
            return node.text
        if node.kind == "call":
            if node.text not in ("data", "get", "begin"):
                return ""
            node = node.kids[0]
        elif node.kind in ("bin", "cast", "addr", "index", "member", "deref", "init") and node.kids:
            node = node.kids[0]
        else:
            return ""
    return ""


def is_scalar_address(node: Node | None) -> bool:
    """Whether an argument is the address of one variable: `&total`."""
    while node is not None and node.kind == "cast" and node.kids:
        node = node.kids[0]
    return node is not None and node.kind == "addr" and _is_name(node.kids[0])
