"""Which frame of an inlined chain is the place: the user's own line, not a header's."""

from __future__ import annotations

from collections.abc import Sequence

from gpuadvisor.evidence import Frame

_LIBRARY_PARTS = frozenset(
    {
        "cub",
        "thrust",
        "cutlass",
        "cute",
        "libcudacxx",
        "cccl",
        "site-packages",
        "dist-packages",
        "cooperative_groups",
        "crt",
        "nv",
        "cudnn",
        "cudnn_frontend",
        "aten",
        "c10",
        "nccl",
    }
)
"""Directory names of libraries, where they stand below an include or package directory."""

_INCLUDE_PARTS = frozenset({"include", "includes", "targets", "site-packages", "dist-packages"})

Place = tuple[str, int, bool, tuple[tuple[str, int], ...]]
"""(file, line, whether it is user code, other positions of the chain inside it)."""


def is_library(path: str) -> bool:
    """Whether a source path belongs to the toolkit or a library rather than to the user: system
    and toolkit includes, the usual header libraries below an include folder, Python packages."""
    parts = [part for part in path.replace("\\", "/").lower().split("/") if part]
    folders = set(parts[:-1])
    if folders & {"site-packages", "dist-packages"}:
        return True
    if parts[:2] == ["usr", "include"] or parts[:3] == ["usr", "local", "include"]:
        return True
    if any(part.startswith(("cuda-", "cuda_")) or part == "cuda" for part in parts[:-1]) and (
        folders & _INCLUDE_PARTS
    ):
        return True
    if folders & _INCLUDE_PARTS and folders & _LIBRARY_PARTS:
        return True
    # Triton's own library, wherever it was installed
    return "triton" in folders and "language" in folders


def is_builtin(path: str) -> bool:
    """Whether a header only declares what the compiler builds in (atomics, intrinsics, types): it
    stands right in an include folder of the toolkit, or in its crt folder."""
    parts = [part for part in path.replace("\\", "/").lower().split("/") if part]
    return is_library(path) and len(parts) > 1 and parts[-2] in ("include", "crt")


def place_of(chain: Sequence[Frame]) -> Place | None:
    """The innermost user frame of a chain (innermost first); the innermost frame when all of it
    is library code; None for an empty chain."""
    frames = [frame for frame in chain if frame.line > 0 and frame.file]
    if not frames:
        return None
    for index, frame in enumerate(frames):
        if not is_library(frame.file):
            others = tuple((inner.file, inner.line) for inner in frames[:index])
            return frame.file, frame.line, True, others
    return frames[0].file, frames[0].line, False, ()
