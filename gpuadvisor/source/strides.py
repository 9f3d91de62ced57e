"""From byte offsets of the lanes of a warp to strides, sectors and banks."""

from __future__ import annotations

from gpuadvisor.source.lanes import (
    ONE,
    WARP,
    Poly,
    lanes_of,
    text,
)
from gpuadvisor.source.records import UNKNOWN_STRIDE, Stride
from gpuadvisor.source.values import Atoms, plain_name

SECTOR = 32
BANKS = 32
ALL_LANES = tuple(range(WARP))
BANK_BYTES = 4


def stride_of(
    offset: Poly,
    element_bytes: int,
    access_bytes: int | None,
    atoms: Atoms,
    active: tuple[int, ...] = ALL_LANES,
) -> Stride:
    """The stride of an access at byte `offset` of elements of `element_bytes` that moves
    `access_bytes` (None when its type's size is not known) from the lanes `active`."""
    if atoms.hidden(offset):
        return UNKNOWN_STRIDE
    wraps = any(atom.slow for atom in atoms.of(offset))
    ideal = -(-len(active) * access_bytes // SECTOR) if access_bytes else None
    differing = {m: value for m, value in offset.items() if isinstance(value, tuple)}
    if not differing:
        one = 1 if access_bytes is None else -(-access_bytes // SECTOR)
        if wraps:
            return Stride("uniform", 0, 0.0, "0", None, ideal, True)
        return Stride("uniform", 0, 0.0, "0", one, ideal)
    if set(differing) == {ONE}:
        lanes = lanes_of(differing[ONE])
        return _known(lanes, element_bytes, access_bytes, ideal, wraps, active, atoms.row)
    slope: Poly = {}
    for monomial, many in differing.items():
        step = _step(lanes_of(many), atoms.row)
        if step is None:
            return UNKNOWN_STRIDE
        if step:
            slope[monomial] = step
    if not slope:
        return Stride("uniform", 0, 0.0, "0", None, ideal, True)
    wraps = wraps or atoms.row < WARP
    if set(slope) == {ONE}:
        number = lanes_of(slope[ONE])[0]
        elements = number / element_bytes
        return Stride("linear", number, elements, f"{elements:g}", None, ideal, wraps)
    if any(atoms.known[name].slow for monomial in slope for name in monomial
           if name in atoms.known):  # fmt: skip
        return UNKNOWN_STRIDE
    shown: Poly = {}
    for monomial, value in slope.items():
        assert isinstance(value, int)
        if value % element_bytes:
            return Stride("symbolic", None, None, _named(slope) + " bytes", None, ideal, wraps)
        shown[monomial] = value // element_bytes
    return Stride("symbolic", None, None, _named(shown), None, ideal, wraps)


def _named(poly: Poly) -> str:
    renamed: Poly = {}
    for monomial, value in poly.items():
        renamed[tuple(plain_name(name) for name in monomial)] = value
    return text(renamed)


def _known(
    lanes: tuple[int, ...],
    element: int,
    access: int | None,
    ideal: int | None,
    wraps: bool,
    active: tuple[int, ...],
    row: int,
) -> Stride:
    step = _step(lanes, row)
    running = tuple([lanes[lane] for lane in active])
    sectors = None if access is None else sectors_touched(running, access)
    if step is None:
        return Stride("irregular", None, None, "", sectors, ideal, wraps)
    elements = step / element
    shown = str(step // element) if step % element == 0 else f"{elements:g}"
    return Stride("linear", step, elements, shown, sectors, ideal, wraps)


def _step(lanes: tuple[int, ...], row: int) -> int | None:
    """What neighbouring lanes of a row of threads are apart, None when that differs."""
    step = lanes[1] - lanes[0]
    inside = (at for at in range(WARP - 1) if (at + 1) % row)
    return step if all(lanes[at + 1] - lanes[at] == step for at in inside) else None


def sectors_touched(lanes: tuple[int, ...], access_bytes: int) -> int:
    """Distinct 32-byte sectors of one request, the first lane's address being aligned."""
    first = min(lanes)
    touched: set[int] = set()
    for lane in lanes:
        low = (lane - first) // SECTOR
        high = (lane - first + access_bytes - 1) // SECTOR
        touched.update(range(low, high + 1))
    return len(touched)


def bank_ways(
    offset: Poly, access_bytes: int, atoms: Atoms, active: tuple[int, ...] = ALL_LANES
) -> int | None:
    """How many wavefronts the worst part of a shared-memory request needs, 1 without conflict;
    None when lane addresses are not known. A shift that is the same for all lanes does not
    matter. Accesses of 8 (16) bytes are served a half (quarter) warp at a time."""
    differing = {m: value for m, value in offset.items() if isinstance(value, tuple)}
    rows = False
    for monomial in offset:
        if not any(atom.varying for atom in atoms.of({monomial: 1})):
            if monomial in differing and monomial != ONE:
                return None
            continue
        # What moves a lane by whole rows of banks leaves its bank alone.
        if any(value % (BANKS * BANK_BYTES) for value in lanes_of(offset[monomial])):
            return None
        rows = True
    lanes = lanes_of(differing.get(ONE, 0))
    if rows and len({lane // BANK_BYTES % BANKS for lane in lanes}) < WARP:
        return None
    first = min(lanes)
    group = WARP if access_bytes <= 4 else 16 if access_bytes <= 8 else 8
    worst = 1
    for start in range(0, WARP, group):
        words: dict[int, set[int]] = {}
        for number in range(start, start + group):
            if number not in active:
                continue
            lane = lanes[number]
            low = (lane - first) // BANK_BYTES
            high = (lane - first + access_bytes - 1) // BANK_BYTES
            for word in range(low, high + 1):
                words.setdefault(word % BANKS, set()).add(word)
        worst = max(worst, max((len(found) for found in words.values()), default=1))
    return worst


def uniform_shift(offset: Poly, atoms: Atoms) -> tuple[int | None, str]:
    """(constant part of the offset modulo a sector where all else is a multiple of one, names of
    kernel arguments that shift the whole access)."""
    rest = lanes_of(offset.get(ONE, 0))[0] % SECTOR
    names: list[str] = []
    aligned = True
    for monomial, value in offset.items():
        if monomial == ONE:
            continue
        kinds = [atoms.known[name].kind for name in monomial if name in atoms.known]
        multiple = lanes_of(value)[0]
        for name in monomial:
            multiple *= atoms.multiple_of(name)
        if multiple % SECTOR:
            aligned = False
            if len(monomial) == 1 and kinds == ["param"] and isinstance(value, int):
                names.append(plain_name(monomial[0]))
    return (rest if aligned else None), ", ".join(names)
