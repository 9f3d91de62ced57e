"""What a source holds: functions, launches, arrays, macros. Lines and columns count from 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gpuadvisor.source.layout import CType

FunctionKind = Literal["kernel", "device", "host", "host-device"]


@dataclass(frozen=True)
class Span:
    """A range of the text; columns are code points, `end_column` is after the last one."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Parameter:
    """A function parameter. `dims` are extents where they are known numbers, else None."""

    name: str
    type: CType
    dims: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class Function:
    """A function with a body (or, `has_body` false, the declaration of a kernel).

    start, end: byte offsets of the whole definition, specifiers and template head included.
    body_start, body_end: those of its braces. launch_bounds: the numbers (None where unknown).
    templates: names of template parameters that are values (compile-time constants).
    type_templates: names of template parameters that are types.
    """

    name: str
    kind: FunctionKind
    span: Span
    name_span: Span
    start: int
    end: int
    body_start: int
    body_end: int
    parameters: tuple[Parameter, ...] = ()
    launch_bounds: tuple[int | None, ...] = ()
    templates: tuple[str, ...] = ()
    type_templates: tuple[str, ...] = ()
    has_body: bool = True

    @property
    def on_device(self) -> bool:
        """Whether its body runs on the device."""
        return self.kind != "host"


@dataclass(frozen=True)
class Macro:
    """A `#define`. `parameters` is None for an object-like one."""

    name: str
    body: str
    line: int
    parameters: tuple[str, ...] | None = None


Dim = tuple[int | None, int | None, int | None]


@dataclass(frozen=True)
class Launch:
    """A kernel launch. Extents are None where they are not known numbers; `grid_text` and
    `block_text` are as written. `how` is chevrons, cudaLaunchKernel, cudaLaunchKernelEx or
    cudaLaunchCooperativeKernel."""

    callee: str
    span: Span
    how: str
    function: str
    grid: Dim
    block: Dim
    grid_text: str
    block_text: str
    block_span: Span
    shared_text: str = ""
    stream_text: str = ""
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Array:
    """An array that a function declares: shared (by the block) or local (by each thread).
    `dims` are None where they are not known; `bytes` is None then."""

    name: str
    space: Literal["shared", "local", "constant", "device"]
    type: CType
    dims: tuple[int | None, ...]
    bytes: int | None
    span: Span
    function: str
