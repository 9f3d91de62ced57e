"""What to call a kernel where several are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from gpuadvisor.evidence.findings import KernelSummary
from gpuadvisor.render.escape import visible
from gpuadvisor.render.wording import launch_shape


def display_names(kernels: Sequence[KernelSummary]) -> dict[str, str]:
    """By kernel id: the plain name, or where kernels share it the shortest of these that tells
    them apart: with template arguments, with the launch shape, with the input."""
    ways: tuple[Callable[[KernelSummary], str], ...] = (
        lambda kernel: kernel.name,
        lambda kernel: signature(kernel.demangled) or kernel.name,
        lambda kernel: f"{kernel.name} [{launch_shape(kernel)}]",
        lambda kernel: f"{kernel.name} ({kernel.input})",
        lambda kernel: f"{signature(kernel.demangled) or kernel.name} [{launch_shape(kernel)}]",
        lambda kernel: f"{kernel.name} [{launch_shape(kernel)}] ({kernel.input})",
        lambda kernel: f"{kernel.name} ({kernel.id})",
    )
    names: dict[str, str] = {}
    for _, group in _grouped(kernels).items():
        for way in ways:
            called = {kernel.id: visible(way(kernel)) for kernel in group}
            if max(Counter(called.values()).values()) == 1 or way is ways[-1]:
                names.update(called)
                break
    return names


def signature(demangled: str) -> str:
    """A demangled name without return type and parameters: `f<int>` of `void f<int>(int *)`."""
    depth = 0
    end = len(demangled)
    for index in range(len(demangled) - 1, -1, -1):
        char = demangled[index]
        depth += (char == ")") - (char == "(")
        if char == "(" and depth == 0:
            end = index
            break
    name = demangled[:end].strip()
    depth = 0
    for index in range(len(name) - 1, -1, -1):
        char = name[index]
        depth += (char in ">)") - (char in "<(")
        if char == " " and depth == 0:
            return name[index + 1 :]
    return name


def _grouped(kernels: Sequence[KernelSummary]) -> dict[str, list[KernelSummary]]:
    groups: dict[str, list[KernelSummary]] = {}
    for kernel in kernels:
        groups.setdefault(kernel.name, []).append(kernel)
    return groups
