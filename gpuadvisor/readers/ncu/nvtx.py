"""The NVTX ranges a result was measured in."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

from gpuadvisor.readers.ncu import limits
from gpuadvisor.readers.ncu.messages import decode, text
from gpuadvisor.readers.ncu.problems import ProblemLog

_DEFAULT_DOMAIN = "<default domain>"


class NvtxReader:
    """Decodes the NVTX states of a report's results, up to a limit for all of them."""

    def __init__(self, log: ProblemLog) -> None:
        self._log = log
        self._left = limits.NVTX_BYTES

    def ranges(self, head: Any) -> tuple[str, ...]:
        """Names of the open ranges: those of the whole process, then those pushed by the
        launching thread, outermost first. In another domain than the default they read
        `domain@range`."""
        if "nvtx" not in head.DESCRIPTOR.fields_by_name or not head.nvtx:
            return ()
        self._left -= len(head.nvtx)
        try:
            if self._left < 0:
                raise ValueError
            return _names(decode("Nvtx", head.nvtx), head.thread_id)
        except ValueError:
            self._log.add("NVTX ranges of some results are damaged or too many")
            return ()


def _names(state: Any, thread_id: int) -> tuple[str, ...]:
    domains = {domain.id: text(domain.name) for domain in islice(state.domains, limits.REPEATED)}
    opened = list(islice(state.process, limits.REPEATED))
    for thread in islice(state.threads, limits.REPEATED):
        if thread.thread_id == thread_id:
            opened.extend(islice(thread.domains, limits.REPEATED))
    names: list[str] = []
    for stack in opened:
        domain = domains.get(stack.domain, "")
        prefix = f"{domain}@" if domain and domain != _DEFAULT_DOMAIN else ""
        names.extend(prefix + text(each.name) for each in chain(stack.started, stack.pushed))
    return tuple(names)
