"""Readers of profiler files: `open_evidence(path)` tells formats apart by content."""

from gpuadvisor.readers.sniff import open_evidence

__all__ = ["open_evidence"]
