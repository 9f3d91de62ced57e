"""Decoding GPU instruction words without a disassembler: sm_70 to sm_121."""

from gpuadvisor.sass.decode import decode
from gpuadvisor.sass.listing import Listing, read_listing
from gpuadvisor.sass.opcodes import Kind, Space

__all__ = ["Kind", "Listing", "Space", "decode", "read_listing"]
