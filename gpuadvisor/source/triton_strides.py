"""Strides of Triton loads and stores where the pattern is plain: `ptr + offsets * stride` with
`offsets` made of one `tl.arange`."""

from __future__ import annotations

import ast

MAX_STEPS = 2000


class _UnknownError(Exception):
    """The pattern is not plain."""


def offset_stride(function: ast.FunctionDef, call: ast.Call) -> str:
    """What neighbouring elements of a one-dimensional access are apart, as text (`1`, `stride`,
    `2 * stride`); empty where that is not plain: two-dimensional offsets, loaded offsets,
    variables assigned several times before the call."""
    if not call.args:
        return ""
    values: dict[str, ast.expr | None] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                values[target.id] = None if target.id in values else node.value
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            # Advancing a pointer by the same amount for all elements keeps their stride.
            values.setdefault(node.target.id, None)
    reader = _Reader(values)
    try:
        step = reader.slope(call.args[0])
    except (_UnknownError, RecursionError):
        return ""
    return step if reader.ranges == 1 else ""


class _Reader:
    """Finds the factor of the one `tl.arange` in an offset expression."""

    def __init__(self, values: dict[str, ast.expr | None]) -> None:
        self.values = values
        self.ranges = 0
        self.steps = 0
        self.known: dict[str, str] = {}

    def slope(self, node: ast.expr) -> str:
        """The factor as text; empty when the expression holds no range."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise _UnknownError
        if isinstance(node, ast.Constant):
            return ""
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.BinOp):
            return self._operation(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Attribute):
            return ""
        raise _UnknownError

    def _name(self, name: str) -> str:
        if name in self.known:
            return self.known[name]
        if name not in self.values:
            return ""
        value = self.values[name]
        if value is None:
            raise _UnknownError
        self.known[name] = ""
        self.known[name] = found = self.slope(value)
        return found

    def _operation(self, node: ast.BinOp) -> str:
        left, right = self.slope(node.left), self.slope(node.right)
        if isinstance(node.op, ast.Add):
            if left and right:
                raise _UnknownError
            return left or right
        if isinstance(node.op, ast.Sub) and not right:
            return left
        if isinstance(node.op, ast.Mult) and not (left and right):
            slope, factor = (left, node.right) if left else (right, node.left)
            return _times(slope, ast.unparse(factor)) if slope else ""
        if left or right:
            raise _UnknownError
        return ""

    def _call(self, node: ast.Call) -> str:
        name = ast.unparse(node.func)
        if name.endswith(".arange"):
            self.ranges += 1
            return "1"
        if name.endswith((".program_id", ".num_programs", ".cdiv")):
            return ""
        if name.endswith((".max_contiguous", ".multiple_of")) and node.args:
            return self.slope(node.args[0])
        if name.endswith(".to") and isinstance(node.func, ast.Attribute):
            return self.slope(node.func.value)
        raise _UnknownError


def _times(slope: str, factor: str) -> str:
    if slope == "1":
        return factor if factor.isidentifier() or factor.isdigit() else f"({factor})"
    if slope.isdigit() and factor.isdigit():
        return str(int(slope) * int(factor))
    return f"{slope} * {factor}"
