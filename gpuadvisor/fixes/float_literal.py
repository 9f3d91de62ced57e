"""`2.0` to `2.0f` on a line whose arithmetic is meant to be single precision."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuadvisor.fixes.edit import TextEdit, at_bytes
from gpuadvisor.fixes.place import Place

if TYPE_CHECKING:
    from gpuadvisor.evidence.findings import Location

_DECIMAL = re.compile(rb"(?:\d[\d']*\.[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?\Z|\d[\d']*[eE][+-]?\d+\Z")
_HEX = re.compile(rb"0[xX][\da-fA-F']*\.?[\da-fA-F']*[pP][+-]?\d+\Z")


def float_literal(text: str, location: Location) -> list[TextEdit]:
    """The f suffix for every double literal in the place. The values are rounded to single
    precision, which is what the fix is for; nothing else changes."""
    place = Place(text, location)
    edits = []
    for node in place.covered("number_literal"):
        literal = place.data[node.start_byte : node.end_byte]
        if _DECIMAL.match(literal) or _HEX.match(literal):
            edits.append(at_bytes(place.index, node.end_byte, node.end_byte, "f"))
    return edits
