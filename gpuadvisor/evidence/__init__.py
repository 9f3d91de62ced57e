"""What the stages hand to each other: frozen dataclasses and tables. Imports nothing of ours."""

from gpuadvisor.evidence.deferred import deferrable, later
from gpuadvisor.evidence.instructions import NO_CHAIN, Frame, InstructionTable
from gpuadvisor.evidence.problem import Problem, UnreadableInput
from gpuadvisor.evidence.report import (
    Device,
    Instances,
    Launch,
    ProfileReport,
    ProgramImage,
    Scalar,
    Session,
    VendorRule,
)
from gpuadvisor.evidence.table import Table

__all__ = [
    "NO_CHAIN",
    "Device",
    "Frame",
    "Instances",
    "InstructionTable",
    "Launch",
    "Problem",
    "ProfileReport",
    "ProgramImage",
    "Scalar",
    "Session",
    "Table",
    "UnreadableInput",
    "VendorRule",
    "deferrable",
    "later",
]
