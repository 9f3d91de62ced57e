"""From per-instruction metrics to source lines: the instruction table of a launch.

Metrics name instructions by absolute address. The cubin gives the code words and, through its
line program, the chain of source positions; where a function was loaded the report says, or else
the smallest measured address is the kernel's first instruction.
"""

from __future__ import annotations

import numpy as np

from gpuadvisor.evidence import (
    NO_CHAIN,
    InstructionTable,
    Launch,
    Problem,
    ProgramImage,
)
from gpuadvisor.readers.aligned import Addresses, AlignedMetrics, measured_addresses
from gpuadvisor.readers.callers import with_callers
from gpuadvisor.readers.cubin.image import Cubin, load_cubin
from gpuadvisor.readers.cubin.line_table import Chain
from gpuadvisor.readers.places import Place, is_user_path, place

__all__ = ["Place", "instruction_table", "is_user_path", "place", "read_instructions"]

_NOTHING_MEASURED = Problem(
    "nothing was measured per instruction",
    "collect it with: ncu --set full (or --section SourceCounters)",
)
_NO_CODE = Problem(
    "the report does not hold the kernel's code", "profile again with: ncu --set full"
)
_NOT_THERE = Problem(
    "the kernel is not in the code that the report holds", "profile again with: ncu --set full"
)
_NO_LINES = Problem(
    "the kernel was built without line information",
    "build with: nvcc -lineinfo (the code stays the same)",
)
_LIMIT = 1 << 62


def read_instructions(
    launch: Launch, measured_only: bool = True
) -> tuple[InstructionTable | None, tuple[Problem, ...]]:
    """The instruction table of a launch and what is missing from it.

    Without measurements per instruction there is no table, unless `measured_only` is False: then
    the rows come from the cubin alone and `metrics` is empty. Never raises on a damaged report.
    """
    if launch.scope != "kernel":
        hint = "profile single kernels: ncu --replay-mode kernel"
        return None, (Problem(f"a {launch.scope} has no measurements per instruction", hint),)
    addresses, complete = measured_addresses(launch.instances)
    if measured_only and not len(addresses):
        return None, (_NOTHING_MEASURED,)
    program = launch.program
    if program is None or not program.cubin:
        return _bare(launch, addresses), (_NO_CODE,)
    cubin = load_cubin(program.cubin)
    if not complete:
        addresses = _all_addresses(launch, program, cubin, addresses)
    regions = _regions(launch, program, cubin, addresses)
    if not regions:
        return _bare(launch, addresses), (_damage(cubin) or _NOT_THERE,)
    table = _table(launch, cubin, addresses, regions)
    problems = [] if cubin.has_lines else [_NO_LINES]
    damage = _damage(cubin)
    return table, (*problems, damage) if damage else tuple(problems)


def instruction_table(launch: Launch) -> InstructionTable | None:
    """The instruction table of a launch, None when nothing was measured per instruction."""
    return read_instructions(launch)[0]


def _damage(cubin: Cubin) -> Problem | None:
    if not cubin.damage:
        return None
    return Problem(f"the code in the report is damaged: {cubin.damage}", "profile again")


def _bare(launch: Launch, addresses: Addresses) -> InstructionTable | None:
    """The measured addresses without code; None when there is not even one."""
    count = len(addresses)
    if not count:
        return None
    return InstructionTable(
        address=addresses,
        function=np.zeros(count, np.int32),
        offset=(addresses - addresses[0]).astype(np.int64),
        words=np.zeros((count, 2), np.uint64),
        chain=np.full(count, NO_CHAIN, np.int32),
        functions=(launch.mangled or launch.name,),
        chains=(),
        metrics=AlignedMetrics(launch.instances, addresses),
    )


def _all_addresses(
    launch: Launch, program: ProgramImage, cubin: Cubin, addresses: Addresses
) -> Addresses:
    """The addresses of the kernel's whole code when the measured ones may leave some out."""
    code = cubin.code.get(launch.mangled)
    if code is None:
        return addresses
    loaded = program.functions.get(launch.mangled) or code.loaded
    step = cubin.instruction_bytes
    count = cubin.used(code.section)
    base = loaded - code.start if loaded else 0
    if not 0 <= base < _LIMIT or not count or (len(addresses) and not loaded):
        return addresses
    end = base + count * step
    if len(addresses) and not (base <= addresses[0] and addresses[-1] <= np.uint64(end)):
        return addresses
    whole = np.arange(base, end, step, dtype=np.uint64)
    return np.union1d(whole, addresses)


def _table(
    launch: Launch,
    cubin: Cubin,
    addresses: Addresses,
    regions: list[tuple[int, int, int, int]],
) -> InstructionTable:
    count = len(addresses)
    function = np.zeros(count, np.int32)
    offset = (addresses - addresses[0]).astype(np.int64)
    words = np.zeros((count, 2), np.uint64)
    chain = np.full(count, NO_CHAIN, np.int32)
    functions: list[str] = []
    chains: dict[Chain, int] = {}
    for section, base, low, high in regions:
        offsets = (addresses[low:high] - np.uint64(base)).astype(np.int64)
        code = cubin.words(section)
        row = offsets // cubin.instruction_bytes
        held = row < len(code)
        words[low:high][held] = code[row[held]]
        parts = cubin.parts(section) or [(0, launch.mangled)]
        starts = np.array([at for at, _ in parts], np.int64)
        part = np.maximum(np.searchsorted(starts, offsets, side="right") - 1, 0)
        function[low:high] = part + len(functions)
        offset[low:high] = offsets - starts[part]
        functions += [name for _, name in parts]
        lines = cubin.lines(section)
        numbers = [chains.setdefault(one, len(chains)) for one in lines.chains]
        chain[low:high] = np.array([*numbers, NO_CHAIN], np.int32)[lines.lookup(offsets)]
    metrics = AlignedMetrics(launch.instances, addresses)
    sm = cubin.elf.sm
    if len(functions) > 1:
        executed = metrics.get("inst_executed")
        chain = with_callers(chain, function, offset, words, addresses, executed, sm)
    return InstructionTable(
        address=addresses,
        function=function,
        offset=offset,
        words=words,
        chain=chain,
        functions=tuple(functions),
        chains=tuple(chains),
        metrics=metrics,
        sm=sm,
    )


def _regions(
    launch: Launch, program: ProgramImage, cubin: Cubin, addresses: Addresses
) -> list[tuple[int, int, int, int]]:
    """(section, absolute base, first row, row after the last) of each stretch of code."""
    if not len(addresses):
        return []
    first, last = int(addresses[0]), int(addresses[-1])
    sections = cubin.elf.sections
    bases: dict[int, int] = {}
    for name, code in cubin.code.items():
        address = program.functions.get(name) or code.loaded
        if address and first <= address <= last and 0 <= address - code.start < _LIMIT:
            bases[address - code.start] = code.section
    kernel = cubin.code.get(launch.mangled)
    if kernel is not None and kernel.section not in bases.values():
        free = np.ones(count := len(addresses), bool)
        for base, section in bases.items():
            end = min(base + sections[section].size, _LIMIT)
            free &= (addresses < np.uint64(base)) | (addresses >= np.uint64(end))
        if count and free.any():
            bases[int(addresses[free.argmax()])] = kernel.section
    regions = []
    taken = 0
    for base, section in sorted(bases.items()):
        end = min(base + sections[section].size, _LIMIT)
        low = max(int((addresses < np.uint64(base)).sum()), taken)
        high = int((addresses < np.uint64(end)).sum())
        if high > low:
            regions.append((section, base, low, high))
            taken = high
    return regions
