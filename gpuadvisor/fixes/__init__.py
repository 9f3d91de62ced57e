"""Named source edits that rules refer to. Each knows whether it applies to a text at a place."""

from gpuadvisor.fixes.edit import TextEdit, apply_edits
from gpuadvisor.fixes.registry import FIXES, Fix, edits_for

__all__ = ["FIXES", "Fix", "TextEdit", "apply_edits", "edits_for"]
