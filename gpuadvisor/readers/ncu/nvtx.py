"""The NVTX ranges a launch was made in."""

from __future__ import annotations

from typing import Any

from gpuadvisor.readers.ncu.messages import text

_DEFAULT_DOMAIN = "<default domain>"


def ranges(head: Any) -> tuple[str, ...]:
    """Names of the open ranges: those of the whole process, then those pushed by the launching
    thread, outermost first. In another domain than the default they read `domain@range`."""
    if not head.HasField("nvtx"):
        return ()
    domains = {domain.id: text(domain.name) for domain in head.nvtx.domains}
    opened = list(head.nvtx.process)
    for thread in head.nvtx.threads:
        if thread.thread_id == head.thread_id:
            opened.extend(thread.domains)
    names: list[str] = []
    for stack in opened:
        domain = domains.get(stack.domain, "")
        prefix = f"{domain}@" if domain and domain != _DEFAULT_DOMAIN else ""
        names.extend(prefix + text(each.name) for each in (*stack.started, *stack.pushed))
    return tuple(names)
