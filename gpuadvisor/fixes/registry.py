"""The fixes by the name that rules use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpuadvisor.fixes.edit import TextEdit
from gpuadvisor.fixes.float_literal import float_literal
from gpuadvisor.fixes.pad_shared_array import pad_shared_array
from gpuadvisor.fixes.raise_launch_bounds import raise_launch_bounds

if TYPE_CHECKING:
    from gpuadvisor.evidence.findings import Location


@dataclass(frozen=True)
class Fix:
    """A source edit: `apply(text, location)` gives the edits, none when it does not apply."""

    id: str
    apply: Callable[[str, Location], list[TextEdit]]


FIXES: Mapping[str, Fix] = {
    fix.id: fix
    for fix in (
        Fix("pad-shared-array", pad_shared_array),
        Fix("float-literal", float_literal),
        Fix("raise-launch-bounds", raise_launch_bounds),
    )
}


def edits_for(fix_id: str, text: str, location: Location) -> list[TextEdit]:
    """The edits of a fix at a place of a text; none when there is no such fix, when it does not
    apply, and for texts with lone carriage returns, whose lines everyone counts differently."""
    fix = FIXES.get(fix_id)
    if fix is None or "\r" in text.replace("\r\n", ""):
        return []
    return fix.apply(text, location)
