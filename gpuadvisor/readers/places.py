"""Whose code a source position is: the user's, or a toolkit's and other libraries'.

A hot line often sits in a header that was inlined; the line to change is the nearest one of the
user's own in the chain of call sites.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gpuadvisor.evidence import Frame

_FOLDERS = re.compile(
    r"""
    /(?:site-packages|dist-packages|node_modules|vcpkg_installed|_deps)/
    | /third[-_]?party/
    | /targets/[^/]+/include/              # the toolkit, as installed
    | /cuda(?:[-/]?v?\d[\d.]*)?/(?:[^/]+/)*include/
    | /(?:cccl|libcudacxx|cooperative_groups)/
    | /(?:cub|thrust)/(?:.*\.(?:cuh|h|hpp|inl)$)
    | /include/(?:cutlass|cute|cub|thrust|cuda|nv|crt|c\+\+|eigen3?)/
    | /cutlass/(?:include|tools/(?:util|library)/(?:include|src))/
    | ^/usr/(?:include|lib|local/include)/
    | /vc/tools/msvc/
    | /lib/python\d[.\d]*/
    | /triton/(?:language|runtime)/
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TOOLKIT_HEADERS = re.compile(
    r"(?:sm_\d+_[a-z_]+|cuda_(?:fp|bf)\d+|device_(?:[a-z]+_)?functions|math_(?:double_)?functions"
    r"|cuda_(?:pipeline|awbarrier)(?:_[a-z]+)*|common_functions|(?:sub_byte_|async_)?mma"
    r"|cooperative_groups)\.hp?p?|device_launch_parameters\.h"
)


@dataclass(frozen=True)
class Place:
    """Where to point. `frame` is the nearest of the user's own lines; `inlined` holds the library
    lines inside it, innermost first (the related locations). In a chain with no user code `user`
    is False, `frame` is the outermost line and `inlined` all the others."""

    frame: Frame
    inlined: tuple[Frame, ...]
    user: bool


@lru_cache(maxsize=4096)
def is_user_path(path: str) -> bool:
    """Whether a path looks like the user's own code: not of the CUDA toolkit, the C++ or Python
    installation, or a vendored library."""
    if not path or path.startswith("<"):
        return False
    plain = path.replace("\\", "/")
    if _FOLDERS.search(plain):
        return False
    return _TOOLKIT_HEADERS.fullmatch(plain.rsplit("/", 1)[-1]) is None


def place(chain: Sequence[Frame], is_user: Callable[[str], bool] = is_user_path) -> Place | None:
    """The place of an instruction's chain (innermost frame first); None for an empty chain."""
    if not chain:
        return None
    for depth, frame in enumerate(chain):
        if is_user(frame.file):
            return Place(frame, tuple(chain[:depth]), True)
    return Place(chain[-1], tuple(chain[:-1]), False)
