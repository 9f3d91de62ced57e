"""What an expression stands for during the analysis: an index polynomial, a type, a pointer."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuadvisor.source.lanes import Poly, constant, symbol, uniform_coefficients
from gpuadvisor.source.layout import CType
from gpuadvisor.source.syntax_nodes import Node


@dataclass(frozen=True)
class Atom:
    """An unknown of the index arithmetic.

    varying: lanes may differ in it. slow: a run-time quotient, the same for most neighbours.
    kind: param, block (blockIdx), dim (blockDim, gridDim), warp (part of threadIdx above the
    warp), loop, fixed-loop (constant bounds), template, load, div (a quotient), unknown (of a
    call or name that is not in the file), other.
    arrays: arrays it was loaded from. multiple: it is a multiple of this number.
    limit: it is below this number, None when not known.
    """

    kind: str
    varying: bool = False
    slow: bool = False
    arrays: frozenset[str] = frozenset()
    multiple: int = 1
    limit: int | None = None


@dataclass(frozen=True)
class Ptr:
    """A pointer or array: `base` names what it points into, `offset` is in bytes, `dims` the
    extents of an array that are still to be indexed. `indexed` once a subscript was applied."""

    base: str
    space: str
    element: CType
    element_bytes: int
    size_known: bool
    offset: Poly = field(default_factory=dict)
    dims: tuple[int | None, ...] = ()
    struct: str = ""
    struct_bytes: int | None = None
    member: str = ""
    struct_span: tuple[int, int] | None = None


@dataclass(frozen=True)
class Promotion:
    """How a value became a double: by `literals` without suffix, in so many `operations` with
    floats or integers. `inexact` when a literal is no float without loss."""

    literals: tuple[Node, ...]
    operations: int = 0
    inexact: bool = False
    floats: bool = False
    integers: bool = False


@dataclass(frozen=True)
class Value:
    """poly is None for what is no index (floats, structs). `promotion` for a double that is one
    only because of literals; `pure` when made of literals only.
    `place` is set for an lvalue in memory, `name` for a plain variable."""

    poly: Poly | None = None
    type: CType | None = None
    ptr: Ptr | None = None
    place: Ptr | None = None
    name: str = ""
    promotion: Promotion | None = None
    pure: bool = False
    fixed: bool = False
    """Known at compile time, though not here."""
    varies: bool = False
    """Threads differ in a value that is no index (it was loaded, or made of a thread index)."""
    whole: str = ""
    """The name of a kernel argument that is a struct: its members are the same for all threads."""


NOTHING = Value()
INT = CType("int")
BOOL = CType("bool")
FLOAT = CType("float")
DOUBLE = CType("double")


class Atoms:
    """The unknowns of one analysis by name."""

    def __init__(self) -> None:
        self.known: dict[str, Atom] = {}
        self._count: dict[str, int] = {}
        self.row = 32
        """Lanes of a warp that differ in threadIdx.x alone."""

    def get(self, name: str, atom: Atom) -> Poly:
        """The unknown `name`, made when it is new."""
        self.known.setdefault(name, atom)
        return symbol(name)

    def fresh(self, name: str, atom: Atom) -> Poly:
        """A new unknown; a number is added to a name that is taken."""
        count = self._count.get(name, 0)
        while True:
            unique = f"{name}#{count}" if count else name
            count += 1
            if unique not in self.known:
                break
        self._count[name] = count
        self.known[unique] = atom
        return symbol(unique)

    def multiple_of(self, name: str) -> int:
        """Of which number an unknown is a multiple."""
        atom = self.known.get(name)
        return atom.multiple if atom else 1

    def of(self, poly: Poly) -> list[Atom]:
        """The unknowns in a polynomial."""
        return [self.known[name] for monomial in poly for name in monomial if name in self.known]

    def varying(self, poly: Poly) -> bool:
        """Whether lanes may differ in it, in a known way or not."""
        return not uniform_coefficients(poly) or any(atom.varying for atom in self.of(poly))

    def hidden(self, poly: Poly) -> bool:
        """Whether lanes differ in a way that is not known (quotients that are nearly the same
        aside)."""
        return any(atom.varying and not atom.slow for atom in self.of(poly))

    def arrays(self, poly: Poly) -> frozenset[str]:
        """The arrays that the varying unknowns were loaded from."""
        found: frozenset[str] = frozenset()
        for atom in self.of(poly):
            if atom.varying:
                found |= atom.arrays
        return found

    def thread_dependent(self, poly: Poly) -> bool:
        """Whether threads of a block are known to differ in it: it holds a thread index, or what
        was loaded or computed by one."""
        return not uniform_coefficients(poly) or any(
            atom.kind == "warp" or (atom.varying and atom.kind not in ("unknown", "param"))
            for atom in self.of(poly)
        )


def number(value: int, ctype: CType = INT) -> Value:
    """The value of an integer constant."""
    return Value(constant(value), ctype, pure=True, fixed=True)


def plain_name(name: str) -> str:
    """An unknown's name without what made it unique."""
    return name.split("#", 1)[0].lstrip("~")
