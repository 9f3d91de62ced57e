"""A Python source that a report names (Triton): functions, statements, loads and stores.

The same questions as `syntax.CudaSource` answers, as far as Python has them. A file that does not
parse still has lines, functions (by indentation) and loads (by their text).
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from functools import cached_property

from gpuadvisor.evidence import Problem
from gpuadvisor.source.function_facts import LineFacts
from gpuadvisor.source.model import Span
from gpuadvisor.source.suppress import Suppressions, parse_suppressions
from gpuadvisor.source.text import LineIndex
from gpuadvisor.source.triton_strides import offset_stride

_DEF = re.compile(r"^(\s*)(?:async\s+)?def\s+(\w+)")
_ACCESS = re.compile(r"\b(?:tl|triton\.language|ttgl|gl)\.(load|store|atomic_\w+)\s*\(")
_KINDS = {"global-load": "load", "global-store": "store", "atomic": "atomic"}


@dataclass(frozen=True)
class PythonFunction:
    """A function; `jit` when a decorator makes it a Triton kernel."""

    name: str
    line: int
    end_line: int
    jit: bool


@dataclass(frozen=True)
class TritonAccess:
    """A `tl.load`, `tl.store` or `tl.atomic_*` call. `stride` is what neighbouring elements are
    apart as text, empty where the pattern is not plain."""

    kind: str
    span: Span
    text: str
    stride: str


class PythonSource:
    """See the module. Lines and columns count from 1, columns in code points."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.index = LineIndex(text.encode("utf-8", errors="replace"))

    @classmethod
    def parse(cls, text: str, previous: object = None) -> PythonSource:
        """The source of a text."""
        return cls(text)

    @cached_property
    def _tree(self) -> ast.Module | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Whether the file could not be parsed."""
        if self._tree is not None:
            return ()
        return (Problem("not valid Python, read line by line", "fix the syntax error"),)

    @cached_property
    def functions(self) -> tuple[PythonFunction, ...]:
        """All functions, outer ones first."""
        if self._tree is None:
            return self._functions_by_indentation()
        found = [
            PythonFunction(node.name, node.lineno, node.end_lineno or node.lineno, _is_jit(node))
            for node in ast.walk(self._tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        return tuple(sorted(found, key=lambda one: (one.line, -one.end_line)))

    @cached_property
    def accesses(self) -> tuple[TritonAccess, ...]:
        """The loads, stores and atomics of the file, in order."""
        if self._tree is None:
            return self._accesses_by_text()
        found: list[TritonAccess] = []
        for function in ast.walk(self._tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    kind = _access_kind(node.func)
                    if kind:
                        stride = offset_stride(function, node) if kind != "atomic" else ""
                        found.append(self._access(kind, node, stride))
        unique = {(one.span.line, one.span.column): one for one in found}
        return tuple([unique[key] for key in sorted(unique)])

    @cached_property
    def suppressions(self) -> Suppressions:
        """The comments that silence rules."""
        return parse_suppressions(self.text, python=True)

    @property
    def facts(self) -> PythonSource:
        """What lines access; `at` answers."""
        return self

    def at(self, line: int) -> LineFacts:
        """The facts of a line: its function, and the text and stride of loads and stores."""
        first, last = self.statement_at(line)
        function = self.function_at(line)
        values: dict[str, str | float | None] = {"function": function.name if function else ""}
        for one in self.accesses:
            if not first <= one.span.line <= last:
                continue
            if one.kind == "atomic":
                values["atomic"] = one.text.split("(")[0].rsplit(".", 1)[-1]
                values["atomic_lanes"] = "unknown"
            else:
                values[f"{one.kind}_text"] = one.text
                values[f"{one.kind}_stride_text"] = one.stride
                number = float(one.stride) if one.stride.isdigit() else None
                values[f"{one.kind}_stride"] = number
        return LineFacts(**values)  # type: ignore[arg-type]

    def lines(self) -> list[int]:
        """The lines with accesses, in order."""
        return sorted({one.span.line for one in self.accesses})

    def function_at(self, line: int) -> PythonFunction | None:
        """The innermost function that holds a line."""
        found = None
        for one in self.functions:
            if one.line <= line <= one.end_line:
                found = one
        return found

    @cached_property
    def _statements(self) -> dict[int, tuple[int, int]]:
        found: dict[int, tuple[int, int]] = {}
        nodes = list(ast.walk(self._tree)) if self._tree is not None else []
        for node in nodes:
            if isinstance(node, ast.stmt):
                last = node.end_lineno or node.lineno
                body = getattr(node, "body", None)
                if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                    last = max(node.lineno, body[0].lineno - 1)
                    last = min(last, max(node.lineno, _head_end(node)))
                for number in range(node.lineno, last + 1):
                    found[number] = (node.lineno, last)
        return found

    def statement_at(self, line: int) -> tuple[int, int]:
        """(first line, last line) of the statement a line belongs to; of a compound statement
        only the head counts."""
        return self._statements.get(line, (line, line))

    def is_closing_brace(self, line: int) -> bool:
        """Whether a line only closes brackets."""
        body = self.index.line_bytes(line).split(b"#")[0].strip()
        return bool(body) and not body.strip(b")]},")

    def expression_span(self, line: int, kind: str) -> Span:
        """The load, store or atomic on a line or in its statement; else the trimmed line."""
        first, last = self.statement_at(line)
        wanted = _KINDS.get(kind)
        candidates = [
            one.span
            for one in self.accesses
            if one.kind == wanted and first <= one.span.line <= last
        ]
        own = [span for span in candidates if span.line == line]
        return next(iter(own or candidates), None) or self.trimmed_span(line)

    def trimmed_span(self, line: int) -> Span:
        """A line without its blanks."""
        start, end = self.index.bounds(line)
        raw = self.index.data[start:end]
        start += len(raw) - len(raw.lstrip())
        end = max(start, end - (len(raw) - len(raw.rstrip())))
        return Span(*self.index.position(start), *self.index.position(end))

    def _access(self, kind: str, node: ast.Call, stride: str) -> TritonAccess:
        start = self.index.bounds(node.lineno)[0] + node.col_offset
        end = self.index.bounds(node.end_lineno or node.lineno)[0] + (node.end_col_offset or 0)
        raw = self.index.data[start:end].decode("utf-8", errors="replace")
        span = Span(*self.index.position(start), *self.index.position(end))
        return TritonAccess(kind, span, " ".join(raw.split()), stride)

    def _accesses_by_text(self) -> tuple[TritonAccess, ...]:
        found: list[TritonAccess] = []
        for number, line in enumerate(self.text.split("\n"), 1):
            for match in _ACCESS.finditer(line):
                kind = "atomic" if match[1].startswith("atomic") else match[1]
                end = len(line.rstrip()) + 1
                span = Span(number, match.start() + 1, number, end)
                found.append(TritonAccess(kind, span, line[match.start() :].strip(), ""))
        return tuple(found)

    def _functions_by_indentation(self) -> tuple[PythonFunction, ...]:
        lines = self.text.split("\n")
        found: list[PythonFunction] = []
        for number, line in enumerate(lines, 1):
            match = _DEF.match(line)
            if match is None:
                continue
            depth, last = len(match[1]), number
            for at in range(number, len(lines)):
                body = lines[at]
                if body.strip() and len(body) - len(body.lstrip()) <= depth:
                    if body.strip().startswith(")"):
                        continue
                    break
                if body.strip():
                    last = at + 1
            before = "\n".join(lines[max(0, number - 4) : number - 1])
            found.append(PythonFunction(match[2], number, last, "jit" in before))
        return tuple(found)


def _head_end(node: ast.stmt) -> int:
    """The last line of what stands before a compound statement's body."""
    last = node.lineno
    for name in ("test", "iter", "target", "subject", "returns"):
        part = getattr(node, name, None)
        if isinstance(part, ast.AST):
            last = max(last, getattr(part, "end_lineno", last) or last)
    arguments = getattr(node, "args", None)
    if isinstance(arguments, ast.arguments):
        for one in ast.walk(arguments):
            last = max(last, getattr(one, "end_lineno", last) or last)
    return last


def _is_jit(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("jit" in ast.unparse(one) for one in node.decorator_list)


def _access_kind(function: ast.Attribute) -> str:
    """load, store or atomic for a call through `tl` and its kin, else empty."""
    owner = function.value
    name = owner.id if isinstance(owner, ast.Name) else ""
    if isinstance(owner, ast.Attribute):
        name = "tl" if owner.attr == "language" else ""
    if name not in ("tl", "ttgl", "gl", "language"):
        return ""
    if function.attr in ("load", "store"):
        return function.attr
    return "atomic" if function.attr.startswith("atomic_") else ""
