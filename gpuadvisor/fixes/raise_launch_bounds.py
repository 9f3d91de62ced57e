"""`__launch_bounds__(256, 4)` to `__launch_bounds__(256)`: more registers a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuadvisor.fixes.edit import TextEdit, at_bytes
from gpuadvisor.fixes.place import Place

if TYPE_CHECKING:
    from gpuadvisor.evidence.findings import Location

_NAME = b"__launch_bounds__"


def raise_launch_bounds(text: str, location: Location) -> list[TextEdit]:
    """Drops what the launch bounds of the kernel around the place ask of residency, which caps
    the registers. Unsafe: fewer blocks may be resident."""
    place = Place(text, location)
    function = place.function()
    if function is None:
        return []
    # The bounds stand before the name, and some grammars end the function's node after them.
    body = function.child_by_field_name("body")
    head_end = body.start_byte if body is not None else function.end_byte
    at = place.data.find(_NAME, function.start_byte, head_end)
    opening = place.data.find(b"(", at, head_end) if at >= 0 else -1
    if opening < 0:
        return []
    commas, closing = _arguments(place.data, opening, head_end)
    if not commas or closing < 0:
        return []
    return [at_bytes(place.index, commas[0], closing, "")]


def _arguments(data: bytes, opening: int, limit: int) -> tuple[list[int], int]:
    """The offsets of the commas between the arguments and of the closing parenthesis (-1 when
    it is not there)."""
    depth = 0
    commas: list[int] = []
    for at in range(opening, limit):
        char = data[at : at + 1]
        if char in b"([{":
            depth += 1
        elif char in b")]}":
            depth -= 1
            if depth == 0:
                return commas, at
        elif char == b"," and depth == 1:
            commas.append(at)
    return commas, -1
