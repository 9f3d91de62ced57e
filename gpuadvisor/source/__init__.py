"""CUDA and Triton source: matching report paths to files, moved lines, syntax, facts of lines."""

from gpuadvisor.source.moved import LineMap, map_lines
from gpuadvisor.source.opening import parse_source
from gpuadvisor.source.paths import ResolvedSource, SourceResolver

__all__ = ["LineMap", "ResolvedSource", "SourceResolver", "map_lines", "parse_source"]
