"""What the analysis of one function notes down. Positions are byte offsets from the start of the
function, so that a function that only moved keeps its records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Space = Literal["global", "shared", "local", "constant", "generic"]
AccessKind = Literal["load", "store", "atomic"]
Subscript = Literal["", "constant", "loop", "runtime"]


@dataclass(frozen=True)
class Stride:
    """How far apart neighbouring lanes access.

    kind: uniform (all lanes the same address), linear (a known distance), symbolic (a distance
        made of run-time values, in `text`), irregular (known lane addresses, no one distance),
        unknown.
    bytes, elements: the distance for uniform and linear; None otherwise. text: the distance in
        elements as source text.
    sectors: 32-byte sectors that one request of a full warp touches when its first lane is
        aligned; None when that is not known. ideal: sectors were the lanes packed.
    wraps: the distance holds but for places where a run-time quotient changes.
    """

    kind: Literal["uniform", "linear", "symbolic", "irregular", "unknown"]
    bytes: int | None = None
    elements: float | None = None
    text: str = ""
    sectors: int | None = None
    ideal: int | None = None
    wraps: bool = False


UNKNOWN_STRIDE = Stride("unknown")


@dataclass(frozen=True)
class Access:
    """One access in the source. `base` is the array or pointer it goes through as the function
    calls it; `element` the type that is indexed, `type` the type that is moved. `struct` and
    `member` are set when a member of an indexed struct is accessed (`struct` alone when the
    whole). `index_array` is the array whose loaded value makes the address of each access, for
    lanes that differ; `run_array` the one whose value only says where a run starts. `bank_ways`
    is for shared memory: how many times the wavefronts of the conflict-free pattern.
    `offset_bytes` is the constant part of the address modulo 32 where the rest is a
    multiple of 32. `shift` names kernel arguments added to the address as they are. `lead` is the
    constant part of lane 0's address where lanes are a known distance apart; `filled` when a loop
    with constant bounds walks through the gap between lanes; `misaligned` when some lane's address
    is known to be no multiple of the vector that is moved."""

    start: int
    end: int
    kind: AccessKind
    space: Space
    base: str
    element: str
    element_bytes: int | None
    type: str
    bytes: int | None
    stride: Stride = UNKNOWN_STRIDE
    struct: str = ""
    struct_bytes: int | None = None
    member: str = ""
    index_array: str = ""
    run_array: str = ""
    subscript: Subscript = ""
    bank_ways: int | None = None
    offset_bytes: int | None = None
    shift: str = ""
    loop_depth: int = 0
    guard_threads: int | None = None
    repeats: bool = False
    serial_depth: int = 0
    lead: int | None = None
    filled: bool = False
    misaligned: bool = False


@dataclass(frozen=True)
class Atomic:
    """An atomic call. `lanes` says how a warp's addresses relate: uniform (one), few
    (`addresses` of them), spread (all differ), data (depends on loaded data: one of `addresses`
    where a mask or the width of the data bounds them), unknown.
    `per_block` and `per_grid` say whether the address is the same in the whole block or grid."""

    start: int
    end: int
    function: str
    target: str
    space: Space
    lanes: Literal["uniform", "few", "spread", "data", "unknown"]
    addresses: int | None
    per_block: bool
    per_grid: bool
    guard_threads: int | None
    loop_depth: int
    type: str = ""


@dataclass(frozen=True)
class MathCall:
    """A call of a mathematical function. `name` is the float or double function really called
    (`sin(x)` of a float is sinf); `exponent` is pow's when a whole constant. `leaf`: the loop
    around it holds no other loop."""

    start: int
    end: int
    name: str
    written: str
    double: bool
    exponent: int | None
    loop_depth: int
    serial_depth: int = 0
    leaf: bool = False


@dataclass(frozen=True)
class DoubleUse:
    """Double arithmetic. kind: literal (an unsuffixed literal among float operands, where the
    compiler does not narrow the operation by itself), operand (double data), math (a double
    function)."""

    start: int
    end: int
    kind: Literal["literal", "operand", "math"]
    text: str
    loop_depth: int = 0


@dataclass(frozen=True)
class Division:
    """An integer division or modulo. `constant` is the divisor where it is known; `fixed` when it
    is a compile-time constant of unknown value (a template parameter)."""

    start: int
    end: int
    operator: str
    divisor: str
    constant: int | None
    fixed: bool
    loop_depth: int
    bits: int = 32
    serial_depth: int = 0
    varying: bool = True
    """Whether lanes of a warp may divide different numbers."""


@dataclass(frozen=True)
class Guard:
    """A condition on the thread index. `threads` of a block of 1024 pass it (None: unknown);
    `splits` when lanes of one warp take different ways; start..end is the condition, body_start
    ..body_end what it guards: for `if (..) return;` the rest of the block (`leaves`).
    `split_share` is the share of a block's warps whose lanes part (None unknown)."""

    start: int
    end: int
    body_start: int
    body_end: int
    threads: int | None
    splits: bool | None
    text: str
    has_else: bool
    loop_depth: int
    work: int = 0
    """Nodes of the guarded body, loops counted several times: how much work it holds."""
    loops: bool = False
    split_share: float | None = None
    leaves: bool = False
    rest_threads: int | None = None


@dataclass(frozen=True)
class Barrier:
    """A block-wide barrier. `divergent` when a condition that differs between threads of a block
    guards it; `bounds` when the check of an index against a size does, which only differs in the
    last block."""

    start: int
    end: int
    name: str
    divergent: bool
    bounds: bool
    loop_depth: int


@dataclass(frozen=True)
class Loop:
    """A loop. `trips` when constant; `unroll` is the pragma's factor, 0 for full, None without.
    `spread` when its trips are dealt out to threads (it starts at an index that differs between
    them and steps over the others' elements); `scales` when its variable is multiplied or divided
    in each trip; `leaf` when it holds no other loop; `condition` as written."""

    start: int
    end: int
    body_start: int
    body_end: int
    depth: int
    variable: str
    trips: int | None
    constant_bounds: bool
    unroll: int | None
    spread: bool = False
    scales: bool = False
    leaf: bool = True
    condition: str = ""


@dataclass(frozen=True)
class Accumulation:
    """A variable of outside an innermost loop that each trip computes from itself: a chain of
    dependent operations. `chains` is how many such variables the loop has; `product` when each
    step adds a product; `spread` as for its loop."""

    start: int
    end: int
    variable: str
    type: str
    chains: int
    product: bool
    spread: bool
    loop_start: int
    loop_end: int


@dataclass(frozen=True)
class SharedCopy:
    """A store to shared memory of a value that comes straight from global memory."""

    start: int
    end: int
    target: str
    source: str
    bytes: int | None
    loop_depth: int


@dataclass(frozen=True)
class Chain:
    """A load in a loop whose address comes from the same load one trip earlier."""

    start: int
    end: int
    array: str
    variable: str


@dataclass(frozen=True)
class ArrayDecl:
    """An array declared in the body (see `model.Array`)."""

    start: int
    end: int
    name: str
    space: Literal["shared", "local"]
    type: str
    dims: tuple[int | None, ...]
    bytes: int | None
    element_bytes: int | None


@dataclass
class FunctionRecords:
    """Everything noted about one function."""

    name: str
    accesses: list[Access] = field(default_factory=list)
    atomics: list[Atomic] = field(default_factory=list)
    math: list[MathCall] = field(default_factory=list)
    doubles: list[DoubleUse] = field(default_factory=list)
    divisions: list[Division] = field(default_factory=list)
    guards: list[Guard] = field(default_factory=list)
    barriers: list[Barrier] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    chains: list[Chain] = field(default_factory=list)
    arrays: list[ArrayDecl] = field(default_factory=list)
    accumulations: list[Accumulation] = field(default_factory=list)
    copies: list[SharedCopy] = field(default_factory=list)
    escapes: set[str] = field(default_factory=set)
    """Arrays and pointers that were handed to code which is not seen here."""
    inlined: dict[str, list[FunctionRecords]] = field(default_factory=dict)
    """Records of device functions by name, one for each call from here."""
    facts: object = None
    """The facts of its lines, once made (see `function_facts`)."""
