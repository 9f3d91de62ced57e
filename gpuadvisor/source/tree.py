"""Parsing: the masked text, the tree, and re-parsing only what an edit touched."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Tree

# What the grammar does not know is blanked byte for byte, so that positions stay true: alignment
# and other attributes, parentheses of a reference to an array, execution space marks on a lambda,
# macros that stand for such marks. `unsigned(x)` is spelt `uint(x)`. Attributes of interest are
# read from the unmasked text.
_MASKS = (
    (
        (b"__align__", b"alignas", b"__attribute__", b"__declspec", b"__cluster_dims__"),
        re.compile(
            rb"\b(?:__align__|alignas|__attribute__|__declspec|__cluster_dims__)"
            rb"\s*\((?:[^()\n]|\([^()\n]*\))*\)"
        ),
    ),
    (
        (b"__grid_constant__", b"__builtin_align__", b"__maxnreg__", b"__nv_pure__"),
        re.compile(rb"\b__(?:grid_constant__|builtin_align__|nv_pure__|maxnreg__\s*\([^()\n]*\))"),
    ),
    (
        (b"] __", b"]__"),
        re.compile(rb"(?<=\])\s*__(?:host|device)__(?:\s*__(?:host|device)__)?(?=\s*[({])"),
    ),
)
UNSEEN_SPECIFIER = re.compile(
    rb"(?<![\w#])(?<!define )(?:[A-Z][A-Z0-9]*_)*(?:HOST_DEVICE|HOSTDEVICE|DEVICE|GLOBAL|HOST"
    rb"|INLINE|FORCE_INLINE|FORCEINLINE|KERNEL|UNROLL|PRAGMA_UNROLL|PRAGMA_NO_UNROLL)(?:_(?:INLINE|FORCEINLINE|FUNC"
    rb"|FUNCTION|DEVICE|HOST|NOINLINE|CONSTEXPR))*(?=[ \t\r\n]+[A-Za-z_#:<])"
)
"""Macros of headers that are not here, by the names that the field gives to specifiers
(`CUTLASS_HOST_DEVICE`, `TORCH_GLOBAL`)."""
_UNSEEN_WORDS = (b"DEVICE", b"GLOBAL", b"INLINE", b"KERNEL", b"UNROLL", b"HOST")
_ARRAY_REFERENCE = re.compile(rb"(?<=\w )(?<!return )(?<!case )\((&)(\s*\w+\s*)\)(?=\s*\[)")
_SPECIFIER_MACRO = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+"
    rb"((?:(?:__global__|__device__|__host__|__forceinline__|__noinline__|inline|static|void"
    rb"|extern|\"C\"|__restrict__|__inline__|const|constexpr)[ \t]*)+)(?://.*)?\r?$",
    re.MULTILINE,
)
_MAY_HOLD_MACRO = re.compile(rb"#[ \t]*define[ \t][^\n]*\b(?:__\w+__|inline|static|void)\b")
GLOBAL_MARK = b"__global__"


class Parsed:
    """A tree with the text it was made from. `global_macros` are names that stand for specifiers
    with __global__ among them, `specifier_macros` all names that stand for specifiers only."""

    def __init__(self, data: bytes, previous: Parsed | None = None) -> None:
        self.data = data
        self.specifier_macros: dict[bytes, bytes] = {}
        if _MAY_HOLD_MACRO.search(data):
            self.specifier_macros = {one[1]: one[2] for one in _SPECIFIER_MACRO.finditer(data)}
        self.masked = mask(data, self.specifier_macros)
        parser = _parser()
        if previous is None:
            self.tree: Tree = parser.parse(self.masked)
        else:
            self.tree = parser.parse(self.masked, _edited(previous, self.masked))

    @property
    def root(self) -> Node:
        """The root of the tree; its positions are those of the unmasked text."""
        return self.tree.root_node

    def is_global_macro(self, name: bytes) -> bool:
        """Whether `name` is a macro of this file that stands for `__global__` and the like."""
        return GLOBAL_MARK in self.specifier_macros.get(name, b"")


def mask(data: bytes, macros: dict[bytes, bytes]) -> bytes:
    """The text as the grammar wants it, of the same length."""
    for words, pattern in _MASKS:
        if any(word in data for word in words):
            data = pattern.sub(_blank, data)
    if any(word in data for word in _UNSEEN_WORDS):
        data = UNSEEN_SPECIFIER.sub(_blank, data)
    if b"unsigned(" in data:
        data = re.sub(rb"\bunsigned\(", b"uint    (", data)
    if b"(&" in data:
        data = _ARRAY_REFERENCE.sub(rb" \1\2 ", data)
    if macros:
        names = b"|".join(re.escape(name) for name in sorted(macros))
        data = re.sub(rb"(?m)^(?![ \t]*#)(.*?)$", _macro_blanker(names), data)
    return data


def _macro_blanker(names: bytes) -> Callable[[re.Match[bytes]], bytes]:
    pattern = re.compile(rb"\b(?:" + names + rb")\b")
    return lambda match: pattern.sub(_blank, match[0])


def _blank(match: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", match[0])


@lru_cache(maxsize=1)
def _language() -> Language:
    import tree_sitter_cuda
    from tree_sitter import Language

    return Language(tree_sitter_cuda.language())


def _parser() -> Parser:
    from tree_sitter import Parser

    return Parser(_language())


def _edited(previous: Parsed, data: bytes) -> Tree:
    """The old tree with the one changed range marked, as the incremental parser wants it."""
    old = previous.masked
    start = common_prefix(old, data)
    tail = min(common_suffix(old, data), len(old) - start, len(data) - start)
    tree = previous.tree.copy()
    old_end, new_end = len(old) - tail, len(data) - tail
    tree.edit(
        start_byte=start,
        old_end_byte=old_end,
        new_end_byte=new_end,
        start_point=_point(old, start),
        old_end_point=_point(old, old_end),
        new_end_point=_point(data, new_end),
    )
    return tree


def _point(data: bytes, offset: int) -> tuple[int, int]:
    line_start = data.rfind(b"\n", 0, offset) + 1
    return data.count(b"\n", 0, offset), offset - line_start


def common_prefix(left: bytes, right: bytes) -> int:
    """How many leading bytes are equal (binary search over slice comparisons)."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(left: bytes, right: bytes) -> int:
    """How many trailing bytes are equal."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if (
            left[len(left) - middle : len(left) - low]
            == right[len(right) - middle : len(right) - low]
        ):
            low = middle
        else:
            high = middle - 1
    return low
