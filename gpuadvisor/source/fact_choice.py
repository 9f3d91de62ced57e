"""Which of a line's accesses speaks for the line."""

from __future__ import annotations

from gpuadvisor.source.records import Access, Stride


def pick_access(accesses: list[Access]) -> Access | None:
    """The access that costs most as far as the source tells; the first of equals."""
    return max(accesses, key=badness, default=None)


def stride_number(stride: Stride) -> float | None:
    """The stride in elements where it is a known number."""
    return stride.elements if stride.kind in ("uniform", "linear") else None


def badness(access: Access) -> float:
    """How many times the sectors of packed lanes an access seems to need; unknown ones between
    known good and known bad ones."""
    stride = access.stride
    if stride.kind == "symbolic":
        return 100.0
    if stride.kind == "unknown":
        return 60.0 if access.index_array else 50.0 if access.run_array else 1.1
    if stride.sectors is None or not stride.ideal:
        elements = stride.elements or 0.0
        return abs(elements) if stride.kind == "linear" else 1.0
    return stride.sectors / stride.ideal
