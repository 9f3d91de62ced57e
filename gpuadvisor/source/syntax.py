"""A CUDA source file: its functions, launches and arrays, its statements and what they access.

`CudaSource.parse` never fails; what could not be read is in `problems`. Give the previous source
of the same file to re-parse only what changed: functions whose text did not change keep what was
found out about them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar, cast

from gpuadvisor.evidence import Problem
from gpuadvisor.source.fold import fold_number
from gpuadvisor.source.model import Array, Dim, Function, Launch, Macro, Parameter, Span
from gpuadvisor.source.records import FunctionRecords
from gpuadvisor.source.text import LineIndex

if TYPE_CHECKING:
    from tree_sitter import Node as TsNode

    from gpuadvisor.source.environment import Environment
    from gpuadvisor.source.layout import Layout
    from gpuadvisor.source.line_facts import LineFactIndex
    from gpuadvisor.source.outline import Outline, RawFunction
    from gpuadvisor.source.suppress import Suppressions
    from gpuadvisor.source.tree import Parsed

_STATEMENTS = frozenset({"declaration", "expression_statement", "return_statement",
                         "field_declaration", "preproc_call", "alias_declaration",
                         "type_definition", "break_statement", "continue_statement",
                         "preproc_def", "preproc_function_def", "using_declaration"})  # fmt: skip
_HEADS = frozenset({"if_statement", "for_statement", "while_statement", "switch_statement",
                    "for_range_loop", "do_statement", "function_definition", "case_statement",
                    "template_declaration", "struct_specifier", "else_clause"})  # fmt: skip
MAX_PROBLEMS = 20
_T = TypeVar("_T")


@dataclass(frozen=True)
class _Done:
    """What was found out about a function, with the look-ups it rests on."""

    result: object
    used: dict[tuple[str, str], Hashable]


class CudaSource:
    """See the module. Lines and columns count from 1, columns in code points."""

    def __init__(
        self,
        text: str,
        parsed: Parsed,
        kept: dict[bytes, _Done],
        before: Outline | None = None,
    ) -> None:
        self.text = text
        self.parsed = parsed
        self._before = before
        self.index = LineIndex(parsed.data)
        self._kept = kept
        self._new: dict[bytes, _Done] = {}

    @classmethod
    def parse(cls, text: str, previous: CudaSource | None = None) -> CudaSource:
        """The source of a text; `previous` is an earlier version of the same file."""
        from gpuadvisor.source.tree import Parsed

        data = text.encode("utf-8", errors="replace")
        parsed = Parsed(data, previous.parsed if previous is not None else None)
        if previous is None:
            return cls(text, parsed, {})
        known = previous.__dict__.get("environment")
        before = known.outline if known is not None else previous._before
        return cls(text, parsed, previous._new or previous._kept, before)

    @cached_property
    def environment(self) -> Environment:
        """The names that functions of the file see."""
        from gpuadvisor.source.environment import Environment
        from gpuadvisor.source.outline import Outliner

        outline = Outliner(self.parsed, self._before).run()
        return Environment(outline, self.parsed, self.index)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """The functions with bodies and the declared kernels, in file order."""
        return tuple([self._function(raw) for raw in self.environment.outline.functions])

    @property
    def kernels(self) -> tuple[Function, ...]:
        """The `__global__` functions that have a body."""
        return tuple([one for one in self.functions if one.kind == "kernel" and one.has_body])

    @cached_property
    def launches(self) -> tuple[Launch, ...]:
        """The kernel launches, in file order."""
        from gpuadvisor.source.launches import LaunchFinder

        finder = LaunchFinder(self.environment)
        found: list[Launch] = []
        for raw in self.environment.outline.functions:
            if raw.has_body and finder.holds_launch(raw):
                launches = self.remember(b"launches", raw, partial(finder.find, raw))
                found.extend(one.placed(self.span, raw.start) for one in launches)
        return tuple(sorted(found, key=lambda one: (one.span.line, one.span.column)))

    @cached_property
    def blocks(self) -> dict[str, Dim]:
        """The block shape of each kernel that the file launches; an extent is None where it is
        not known or where launches differ."""
        found: dict[str, Dim] = {}
        for launch in self.launches:
            known = found.get(launch.callee, launch.block)
            one, other = known, launch.block
            found[launch.callee] = (
                one[0] if one[0] == other[0] else None,
                one[1] if one[1] == other[1] else None,
                one[2] if one[2] == other[2] else None,
            )
        return found

    @property
    def macros(self) -> dict[str, Macro]:
        """The macros the file defines, by name; the last definition counts."""
        return self.environment.outline.macros

    @property
    def structs(self) -> dict[str, Layout]:
        """The structs whose layout is known, by name."""
        return dict(self.environment.types.structs)

    @cached_property
    def suppressions(self) -> Suppressions:
        """The comments that silence rules."""
        from gpuadvisor.source.suppress import parse_suppressions

        return parse_suppressions(self.text)

    @cached_property
    def arrays(self) -> tuple[Array, ...]:
        """Shared and per-thread arrays of all device code, in file order."""
        found: list[Array] = []
        for raw, records in self.analysed():
            for one in records.arrays:
                span = self.span(raw.start + one.start, raw.start + one.end)
                ctype = next((d.type for d in _declared(self, raw, one.name)), None)
                if ctype is not None:
                    found.append(
                        Array(one.name, one.space, ctype, one.dims, one.bytes, span, raw.name)
                    )
        return tuple(found)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Places that could not be read."""
        if not self.parsed.root.has_error:
            return ()
        found: list[Problem] = []
        stack: list[TsNode] = [self.parsed.root]
        while stack and len(found) < MAX_PROBLEMS:
            node = stack.pop()
            if node.is_error or node.is_missing:
                line = node.start_point[0] + 1
                what = f"missing {node.type}" if node.is_missing else "not understood"
                found.append(Problem(f"line {line}: {what}", "analysed around it"))
            elif node.has_error:
                stack.extend(reversed(node.children))
        return tuple(found)

    def analysed(self) -> list[tuple[RawFunction, FunctionRecords]]:
        """Each device function with its records, in file order."""
        return [
            (raw, self.records(raw))
            for raw in self.environment.outline.functions
            if raw.has_body and raw.kind != "host"
        ]

    def records(self, raw: RawFunction) -> FunctionRecords:
        """What was found out about a function, kept while its text and what it rests on stay."""
        from gpuadvisor.source.analysis import analyse

        env, masked = self.environment, self.parsed.masked
        block = self.blocks.get(raw.name, (None, None, None))
        what = f"{raw.kind} {block}".encode()
        return self.remember(what, raw, lambda: analyse(raw, env, masked, block))

    def remember(self, what: bytes, raw: RawFunction, make: Callable[[], _T]) -> _T:
        """The result of `make` for a function, kept from the previous source where the function
        and all it looked up are the same."""
        env = self.environment
        key = what + self.parsed.data[raw.start : raw.end]
        done = self._new.get(key)
        if done is None:
            done = self._kept.get(key)
            if done is None or any(env.look_up(*one) != was for one, was in done.used.items()):
                env.used = {}
                done = _Done(make(), env.used)
                env.used = None
            self._new[key] = done
        return cast("_T", done.result)

    @cached_property
    def facts(self) -> LineFactIndex:
        """What each line accesses and computes."""
        from gpuadvisor.source.line_facts import LineFactIndex

        return LineFactIndex(self)

    def span(self, start: int, end: int) -> Span:
        """A range of bytes as lines and columns."""
        return Span(*self.index.position(start), *self.index.position(end))

    def function_at(self, line: int) -> Function | None:
        """The innermost function whose definition holds a line."""
        found = None
        for function in self.functions:
            if function.span.line <= line <= function.span.end_line and function.has_body:
                found = function
        return found

    def statement_at(self, line: int) -> tuple[int, int]:
        """(first line, last line) of the statement a line belongs to; of a compound statement
        only the head counts. A line outside any statement is a statement of its own."""
        start, end = self.index.trimmed(line)
        if start == end:
            return line, line
        node = self.parsed.root.descendant_for_byte_range(start, start + 1)
        while node is not None:
            kind = node.type
            if kind in _STATEMENTS:
                last = self.index.line_of(max(node.end_byte - 1, node.start_byte))
                return self.index.line_of(node.start_byte), max(last, line)
            if kind in _HEADS:
                return self._head(node, line)
            if kind in ("compound_statement", "translation_unit", "declaration_list"):
                break
            node = node.parent
        return line, line

    def _head(self, node: TsNode, line: int) -> tuple[int, int]:
        first = self.index.line_of(node.start_byte)
        body = node.child_by_field_name("body") or node.child_by_field_name("consequence")
        if body is None:
            blocks = (c for c in node.named_children if c.type == "compound_statement")
            body = next(blocks, None)
        if body is None:
            return first, first
        opening = self.index.line_of(body.start_byte)
        if body.type != "compound_statement" and opening > first:
            before = body.prev_sibling
            opening = self.index.line_of(before.end_byte - 1) if before is not None else first
        return (first, opening) if first <= line <= opening else (line, line)

    def is_closing_brace(self, line: int) -> bool:
        """Whether a line holds nothing but closing braces (and `;` or a comment)."""
        body = self.index.line_bytes(line).split(b"//")[0].strip()
        return bool(body) and not body.strip(b"};) \t")

    def expression_span(self, line: int, kind: str) -> Span:
        """The expression on a line that a finding of a kind is about; the trimmed line when
        there is none. See `spans.KINDS`."""
        from gpuadvisor.source.spans import expression_span

        return expression_span(self, line, kind)

    def trimmed_span(self, line: int) -> Span:
        """A line without its blanks and its trailing comment."""
        return self.span(*self.index.trimmed(line))

    def _function(self, raw: RawFunction) -> Function:
        env = self.environment
        bounds: list[int | None] = []
        for node in raw.launch_bounds:
            value = fold_number(node, env.number, env.types.size)
            bounds.append(value if isinstance(value, int) else None)
        parameters = []
        for one in raw.parameters:
            dims = []
            for extent in one.dims:
                value = fold_number(extent, env.number, env.types.size)
                dims.append(value if isinstance(value, int) else None)
            parameters.append(Parameter(one.name, one.type, tuple(dims)))
        return Function(
            raw.name,
            raw.kind,
            self.span(raw.start, raw.end),
            self.span(raw.name_start, raw.name_end),
            raw.start,
            raw.end,
            raw.body_start if raw.has_body else raw.end,
            raw.body_end if raw.has_body else raw.end,
            tuple(parameters),
            tuple(bounds),
            raw.templates,
            raw.type_templates,
            raw.has_body,
        )


def _declared(source: CudaSource, raw: RawFunction, name: str) -> list[Parameter]:
    """The declarator of a local name as a parameter-like pair of name and type."""
    from gpuadvisor.source.syntax_nodes import Declarator

    body = source.environment.body(raw)
    found: list[Parameter] = []
    for node in body.walk() if body is not None else ():
        if node.kind == "decl" and isinstance(node.extra, tuple):
            found.extend(
                Parameter(one.name, one.type)
                for one in node.extra
                if isinstance(one, Declarator) and one.name == name
            )
    return found
