"""A profiler report: the launches it measured, their devices and programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from gpuadvisor.evidence.deferred import deferrable
from gpuadvisor.evidence.problem import Problem

Scalar = float | int | str
Dim3 = tuple[int, int, int]
Scope = Literal["kernel", "range", "graph", "cmdlist"]


@dataclass(frozen=True)
class Device:
    """One GPU as the report describes it.

    `cc` is the compute capability, (0, 0) when the report does not say. `attributes` holds the
    driver's device attributes by name, without the `device__attribute_` prefix.
    """

    id: int
    name: str
    cc: tuple[int, int]
    attributes: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True)
class Session:
    """Where and how a report was collected; empty strings and zeros where it does not say."""

    command_line: str = ""
    tool_version: str = ""
    process_name: str = ""
    process_id: int = 0
    created_unix_s: int = 0
    driver_version: str = ""
    cuda_version: str = ""


@deferrable("cubin", "ptx", "sources", "functions")
@dataclass(frozen=True)
class ProgramImage:
    """The program of a launch: cubin (ELF bytes, empty when not kept), PTX, embedded sources.

    `sources` maps the path as the compiler knew it to the text, for files that were embedded
    (`--import-source`). `functions` maps mangled device functions to the absolute address they
    were loaded at, which is how code outside the kernel's own section is found. The heavy fields
    may be given as `later(...)`.
    """

    reference: int
    cubin: bytes
    ptx: str
    sm: int
    sources: Mapping[str, str]
    functions: Mapping[str, int]


@dataclass(frozen=True)
class Instances:
    """The instances of one metric. `keys` are what they correlate with: absolute instruction
    addresses (uint64), opcode or other names (str), or 0..n-1 when the report gives none.
    `values` has the same length."""

    keys: np.ndarray[Any, np.dtype[Any]]
    values: np.ndarray[Any, np.dtype[Any]]

    @property
    def by_address(self) -> bool:
        """Whether the keys are instruction addresses."""
        return self.keys.dtype.kind == "u"


@dataclass(frozen=True)
class VendorRule:
    """A result of the vendor's own rules, kept as evidence and never shown as ours.

    `speedup_pct` is the vendor's estimate in percent, None when it gave none; `speedup_kind`
    is "global" (run time) or "local" (efficiency of one unit).
    """

    identifier: str
    name: str
    section: str
    messages: tuple[str, ...]
    speedup_kind: str = ""
    speedup_pct: float | None = None
    markers: tuple[tuple[str, int, str], ...] = ()
    """(file, line, text) of its source markers; file is empty for markers on an instruction."""


@dataclass(frozen=True)
class Launch:
    """One profiled result: a kernel launch, or a range, graph or command list.

    `name` is the plain function name (no template arguments, no parameters). `metrics` and
    `instances` are keyed by the report's own metric names and decode on access. A metric that
    the report does not hold is absent, never zero; so is one that turns out damaged. `grid` and
    `block` are (0, 0, 0) for a result that has none. `clocks_locked` says whether the profiler
    held the clocks at a fixed frequency, None when the report does not say.
    """

    index: int
    scope: Scope
    name: str
    demangled: str
    mangled: str
    grid: Dim3
    block: Dim3
    device: Device | None
    metrics: Mapping[str, Scalar]
    instances: Mapping[str, Instances]
    program: ProgramImage | None
    vendor_rules: Sequence[VendorRule] = ()
    stream_id: int | None = None
    context_id: int | None = None
    clocks_locked: bool | None = None
    nvtx: tuple[str, ...] = ()


@deferrable("sha256")
@dataclass(frozen=True)
class ProfileReport:
    """A Nsight Compute report.

    `problems` lists what of it could not be read. It may grow while metrics are decoded, so look
    at it last. `sha256` is of the file's bytes, as lowercase hex.
    """

    path: str
    kind: str
    sha256: str
    format_version: int
    session: Session
    devices: tuple[Device, ...]
    launches: tuple[Launch, ...]
    problems: Sequence[Problem] = ()
