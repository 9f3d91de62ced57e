"""Types of CUDA source: sizes and alignments as nvcc lays them out on 64-bit Linux and Windows
(but for `long`, taken as 8 bytes as on Linux)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

POINTER_BYTES = 8

_SCALARS: dict[str, int] = {
    "bool": 1, "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2,
    "int": 4, "unsigned": 4, "long": 8, "unsigned long": 8, "long long": 8,
    "unsigned long long": 8, "float": 4, "double": 8, "int8_t": 1, "uint8_t": 1, "int16_t": 2,
    "uint16_t": 2, "int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8, "size_t": 8,
    "ssize_t": 8, "ptrdiff_t": 8, "intptr_t": 8, "uintptr_t": 8, "half": 2, "__half": 2,
    "nv_bfloat16": 2, "__nv_bfloat16": 2, "bfloat16": 2, "__nv_fp8_e4m3": 1, "__nv_fp8_e5m2": 1,
    "uchar": 1, "ushort": 2, "uint": 4, "ulong": 8, "char8_t": 1, "wchar_t": 4, "float_t": 4,
    "cudaTextureObject_t": 8,
}  # fmt: skip

_VECTOR_BASES = {
    "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8,
    "longlong": 8, "ulonglong": 8, "float": 4, "double": 8,
}  # fmt: skip

_HALF = re.compile(r"^(?:__)?(?:nv_)?(half|bfloat16|bfloat162|half2|half_raw)$")
_INTEGER = re.compile(
    r"^(?:bool|char|signed char|unsigned char|(?:unsigned )?(?:short|int|long|long long)|unsigned"
    r"|u?int\d+_t|s?size_t|ptrdiff_t|u?intptr_t|u(?:char|short|int|long))$"
)


@dataclass(frozen=True)
class CType:
    """A type: a name, how many pointers deep, its qualifiers. Array extents are kept apart."""

    name: str
    pointers: int = 0
    const: bool = False
    restrict: bool = False
    reference: bool = False
    volatile: bool = False

    def pointee(self) -> CType:
        """The type behind one pointer."""
        return replace(self, pointers=max(self.pointers - 1, 0), restrict=False, reference=False)

    def pointer(self) -> CType:
        """A pointer to this type."""
        return replace(self, pointers=self.pointers + 1, reference=False)

    def __str__(self) -> str:
        return self.name + "*" * self.pointers


NO_TYPE = CType("")
"""A type that is not known."""


@dataclass(frozen=True)
class Field:
    """A member of a struct with its byte offset. `count` is the product of its extents."""

    name: str
    type: CType
    offset: int
    size: int
    dims: tuple[int, ...] = ()


@dataclass(frozen=True)
class Layout:
    """Size, alignment and members of a struct; `vector` for the built-in float4 and its kin,
    which one instruction loads whole where it is 4, 8 or 16 bytes and so aligned."""

    name: str
    size: int
    align: int
    fields: tuple[Field, ...] = ()
    vector: bool = False
    line: int = 0

    def field(self, name: str) -> Field | None:
        """The member called `name`."""
        return next((one for one in self.fields if one.name == name), None)


@dataclass
class TypeTable:
    """The types a file knows: structs, aliases, and the built-in ones."""

    structs: Mapping[str, Layout] = field(default_factory=dict)
    aliases: Mapping[str, CType] = field(default_factory=dict)

    def resolve(self, ctype: CType) -> CType:
        """The type behind `using` and `typedef` names."""
        for _ in range(8):
            alias = self.aliases.get(ctype.name)
            if alias is None:
                break
            ctype = replace(
                ctype,
                name=alias.name,
                pointers=ctype.pointers + alias.pointers,
                const=ctype.const or alias.const,
            )
        return ctype

    def layout(self, ctype: CType) -> Layout | None:
        """The layout of a struct or vector type, None for anything else."""
        ctype = self.resolve(ctype)
        if ctype.pointers:
            return None
        return self.structs.get(ctype.name) or vector_layout(ctype.name)

    def size(self, ctype: CType) -> int | None:
        """sizeof, None for a type that is not known here."""
        ctype = self.resolve(ctype)
        if ctype.pointers:
            return POINTER_BYTES
        known = _SCALARS.get(ctype.name)
        if known is not None:
            return known
        layout = self.layout(ctype)
        return layout.size if layout else None

    def align(self, ctype: CType) -> int | None:
        """alignof, None for a type that is not known here."""
        ctype = self.resolve(ctype)
        layout = self.layout(ctype)
        return layout.align if layout else self.size(ctype)


def is_integer(name: str) -> bool:
    """Whether a type name is a built-in integer."""
    return bool(_INTEGER.match(name))


def is_half(name: str) -> bool:
    """Whether a type name is a 16-bit float, alone or in pairs."""
    return bool(_HALF.match(name)) or name in ("__nv_bfloat162", "nv_bfloat162", "__half2")


_VECTORS: dict[str, Layout | None] = {}


def vector_layout(name: str) -> Layout | None:
    """The layout of float2, uchar4, half2, dim3 and so on (CUDA C++ Programming Guide, built-in
    vector types): 2- and 4-vectors align to their size up to 16 bytes, 1- and 3-vectors to
    their element."""
    if name not in _VECTORS:
        _VECTORS[name] = _make_vector(name)
    return _VECTORS[name]


def _make_vector(name: str) -> Layout | None:
    if name in ("half2", "__half2", "nv_bfloat162", "__nv_bfloat162"):
        base = name.rstrip("2")
        return _vector(name, base, 2, 2, 4)
    if name == "dim3":
        return _vector(name, "unsigned", 4, 3, 4)
    match = re.match(r"^(u?(?:char|short|int|longlong|long)|float|double)([1-4])$", name)
    if match is None:
        return None
    size, count = _VECTOR_BASES[match[1]], int(match[2])
    align = size if count in (1, 3) else min(size * count, 16)
    base = match[1].replace("longlong", "long long")
    if base.startswith("u"):
        base = "unsigned " + base[1:]
    return _vector(name, base, size, count, align)


def _vector(name: str, base: str, size: int, count: int, align: int) -> Layout:
    fields = tuple(Field("xyzw"[at], CType(base), at * size, size) for at in range(count))
    return Layout(name, size * count, align, fields, vector=True)


def struct_layout(
    name: str,
    members: list[tuple[str, CType, tuple[int | None, ...]]],
    types: TypeTable,
    union: bool = False,
    align: int = 1,
    line: int = 0,
) -> Layout | None:
    """Lays members out in order with natural alignment, None when a member's size or extent is
    not known."""
    offset = size = 0
    fields: list[Field] = []
    for member, ctype, dims in members:
        one, alignment = types.size(ctype), types.align(ctype)
        if one is None or alignment is None or None in dims:
            return None
        total = one
        for extent in dims:
            total *= extent or 0
        start = 0 if union else -(-offset // alignment) * alignment
        fields.append(Field(member, ctype, start, total, tuple(d or 0 for d in dims)))
        offset = start + total
        size, align = max(size, offset), max(align, alignment)
    if not fields:
        size = 1
    return Layout(name, -(-size // align) * align, align, tuple(fields), line=line)
