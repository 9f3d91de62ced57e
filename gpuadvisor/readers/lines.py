"""From per-instruction metrics to source lines: the instruction table of a launch.

The report's per-instruction metrics name absolute addresses, the smallest of a function being
its base; the cubin gives the code words and, through its line program, the source chain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gpuadvisor.evidence import (
    NO_CHAIN,
    Frame,
    Instances,
    InstructionTable,
    Launch,
    Problem,
    ProgramImage,
)
from gpuadvisor.readers.cubin.image import Chain, Cubin, load_cubin

_COUNTED = ("inst_executed", "thread_inst_executed", "smsp__sass_inst_executed")
_SAMPLED = (
    "smsp__pcsamp_sample_count",
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard",
    "smsp__pcsamp_warp_stall_long_scoreboard",
)
_PER_INSTRUCTION = re.compile(
    r"(smsp__pcsamp|inst_executed|thread_inst_executed|memory_|derived__memory_|smsp__branch_targets"
    r"|smsp__sass_|derived__(avg|derivative)_)"
)
"""Names of what is measured per instruction; other lists may be keyed by numbers that are no
addresses."""

COLLECT_HINT = (
    "collect it with: ncu --set full --import-source yes <program> "
    "(or add --section SourceCounters --section WarpStateStats)"
)

Addresses = np.ndarray[Any, np.dtype[np.uint64]]
Numbers = np.ndarray[Any, np.dtype[np.float64]]


class AlignedMetrics(Mapping[str, Numbers]):
    """Per-instruction metrics on the rows of a table; each decodes when it is asked for.

    An instruction that a counter's list leaves out is NaN: not measured. One that a sampler's
    list leaves out is 0: no sample hit it.
    """

    def __init__(self, instances: Mapping[str, Instances], addresses: Addresses) -> None:
        self._instances = instances
        self._addresses = addresses
        self._known: dict[str, Numbers | None] = {}

    def _aligned(self, name: str) -> Numbers | None:
        if name in self._known:
            return self._known[name]
        column = None
        found = self._instances[name] if name in self._instances else None
        if found is not None and found.by_address and found.values.dtype.kind in "fiub":
            column = _align(found, self._addresses, 0.0 if "pcsamp" in name else np.nan)
        self._known[name] = column
        return column

    def __getitem__(self, name: str) -> Numbers:
        column = self._aligned(name)
        if column is None:
            raise KeyError(name)
        return column

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._aligned(name) is not None

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._instances if self._aligned(name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _align(found: Instances, addresses: Addresses, absent: float) -> Numbers | None:
    keys = found.keys
    if len(keys) == len(addresses) and np.array_equal(keys, addresses):
        return found.values.astype(np.float64)
    if not len(keys):
        return None
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    at = np.minimum(np.searchsorted(sorted_keys, addresses), len(keys) - 1)
    hit = sorted_keys[at] == addresses
    if not hit.any():
        return None
    return np.where(hit, found.values[order][at].astype(np.float64), absent)


def _addresses(instances: Mapping[str, Instances]) -> Addresses:
    """Every measured instruction's address, ascending; empty when nothing is per instruction.

    Counters list all that can execute, samples also what follows an EXIT (warps that drain
    their stores are seen there), so both lists are needed.
    """
    keys = []
    for names in (_COUNTED, _SAMPLED):
        for name in names:
            if name in instances and instances[name].by_address and len(instances[name].keys):
                keys.append(instances[name].keys)
                break
    if not keys:
        wanted = [instances[name] for name in instances if _PER_INSTRUCTION.match(name)]
        keys = [found.keys for found in wanted if found.by_address]
    if len(keys) == 2 and np.array_equal(keys[0], keys[1]):
        keys.pop()
    return np.unique(np.concatenate(keys).astype(np.uint64)) if keys else np.zeros(0, np.uint64)


def read_instructions(launch: Launch) -> tuple[InstructionTable | None, tuple[Problem, ...]]:
    """The instruction table of a launch, None when nothing was measured per instruction, and
    what of it is missing and why."""
    if launch.scope != "kernel":
        return None, (
            Problem(
                f"a {launch.scope} result has no measurements per instruction",
                "profile single kernels: ncu --replay-mode kernel",
            ),
        )
    addresses = _addresses(launch.instances)
    if not len(addresses):
        return None, (Problem("nothing was measured per instruction", COLLECT_HINT),)
    metrics = AlignedMetrics(launch.instances, addresses)
    program = launch.program
    problems: list[Problem] = []
    if program is None or not program.cubin:
        problems.append(
            Problem("the report does not hold the kernel's code", "collect it with: ncu --set full")
        )
        return _bare(launch, addresses, metrics), tuple(problems)
    cubin = load_cubin(program.cubin)
    table = _place_rows(launch, program, cubin, addresses, metrics)
    if not cubin.has_lines:
        problems.append(
            Problem(
                "the kernel was built without line information",
                "build with: nvcc -lineinfo (it does not change the code)",
            )
        )
    if cubin.damage:
        problems.append(
            Problem(f"the kernel's code in the report is damaged: {cubin.damage}", "profile again")
        )
    return table, tuple(problems)


def instruction_table(launch: Launch) -> InstructionTable | None:
    """The instruction table of a launch, None when nothing was measured per instruction."""
    return read_instructions(launch)[0]


def _bare(launch: Launch, addresses: Addresses, metrics: AlignedMetrics) -> InstructionTable:
    count = len(addresses)
    return InstructionTable(
        address=addresses,
        function=np.zeros(count, np.int32),
        offset=(addresses - addresses[0]).astype(np.int64),
        words=np.zeros((count, 2), np.uint64),
        chain=np.full(count, NO_CHAIN, np.int32),
        functions=(launch.mangled or launch.name,),
        chains=(),
        metrics=metrics,
    )


def _place_rows(
    launch: Launch,
    program: ProgramImage,
    cubin: Cubin,
    addresses: Addresses,
    metrics: AlignedMetrics,
) -> InstructionTable:
    count = len(addresses)
    function = np.zeros(count, np.int32)
    offset = (addresses - addresses[0]).astype(np.int64)
    words = np.zeros((count, 2), np.uint64)
    chain = np.full(count, NO_CHAIN, np.int32)
    functions: list[str] = []
    chains: dict[Chain, int] = {}
    for section, base, low, high in _regions(launch, program, cubin, addresses):
        inside = addresses[low:high] - np.uint64(base)
        offsets = inside.astype(np.int64)
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
        found = lines.lookup(offsets)
        numbers = [chains.setdefault(one, len(chains)) for one in lines.chains]
        renumber = np.array([*numbers, NO_CHAIN], np.int32)
        chain[low:high] = renumber[found]
    return InstructionTable(
        address=addresses,
        function=function,
        offset=offset,
        words=words,
        chain=chain,
        functions=tuple(functions) or (launch.mangled or launch.name,),
        chains=tuple(chains),
        metrics=metrics,
    )


def _regions(
    launch: Launch, program: ProgramImage, cubin: Cubin, addresses: Addresses
) -> list[tuple[int, int, int, int]]:
    """(section, absolute base, first row, row after the last) of each stretch of code.

    The kernel's base is where the program says it was loaded when that address was measured,
    else the smallest address that no other function claims.
    """
    first, last = int(addresses[0]), int(addresses[-1])
    sections = cubin.elf.sections
    bases: dict[int, int] = {}
    for name, code in cubin.code.items():
        address = program.functions.get(name, code.loaded)
        if first <= address <= last and code.start <= address:
            bases[address - code.start] = code.section
    kernel = cubin.code.get(launch.mangled)
    if kernel is not None and kernel.section not in bases.values():
        free = np.ones(len(addresses), bool)
        for base, section in bases.items():
            free &= (addresses < base) | (addresses >= base + sections[section].size)
        if free.any():
            bases[int(addresses[free.argmax()])] = kernel.section
    regions = []
    for base, section in sorted(bases.items()):
        end = base + sections[section].size
        low = int((addresses < base).sum())
        high = int((addresses < end).sum())
        if high > low:
            regions.append((section, base, low, high))
    return regions
