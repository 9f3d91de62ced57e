"""The outline of a file: one pass over what stands outside function bodies."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gpuadvisor.source.layout import NO_TYPE, CType
from gpuadvisor.source.lower import Lowering
from gpuadvisor.source.lower_types import declarators, read_type, type_descriptor
from gpuadvisor.source.model import FunctionKind, Macro
from gpuadvisor.source.syntax_nodes import Declarator, Node
from gpuadvisor.source.tree import UNSEEN_SPECIFIER

if TYPE_CHECKING:
    from tree_sitter import Node as TsNode

    from gpuadvisor.source.tree import Parsed

_COMMENT = re.compile(
    rb"//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*(?:\\\r?\n[^\n]*)*", re.DOTALL | re.MULTILINE
)
_BLOCKS = frozenset({"namespace_definition", "linkage_specification", "declaration_list",
                     "field_declaration_list", "preproc_if", "preproc_ifdef", "preproc_else",
                     "preproc_elif", "ERROR"})  # fmt: skip
_STRUCTS = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
_ALIGN = re.compile(rb"(?:__align__|alignas|aligned)\s*\(+\s*(\d+)")


@dataclass
class RawFunction:
    """A function as found; positions are byte offsets. `body_end` is 0 without a body."""

    name: str
    kind: FunctionKind
    start: int
    end: int
    name_start: int
    name_end: int
    body_start: int
    body_end: int
    parameters: list[Declarator] = field(default_factory=list)
    launch_bounds: tuple[Node, ...] = ()
    templates: tuple[str, ...] = ()
    type_templates: tuple[str, ...] = ()
    returns: CType = NO_TYPE

    @property
    def has_body(self) -> bool:
        """Whether it is more than a declaration."""
        return self.body_end > 0

    def moved(self, distance: int) -> RawFunction:
        """The same function that many bytes on."""
        return replace(
            self,
            start=self.start + distance,
            end=self.end + distance,
            name_start=self.name_start + distance,
            name_end=self.name_end + distance,
            body_start=self.body_start + distance,
            body_end=self.body_end + distance if self.body_end else 0,
        )


@dataclass
class RawStruct:
    """A struct as found."""

    name: str
    union: bool
    align: int
    start: int
    members: list[Declarator]


@dataclass
class Outline:
    """Everything found, in file order. `constants` are initial values of constants that stand
    outside functions, `enums` the enumerators with their value node (None: one more than the
    one before). `variables` are device and constant memory."""

    functions: list[RawFunction] = field(default_factory=list)
    structs: list[RawStruct] = field(default_factory=list)
    macros: dict[str, Macro] = field(default_factory=dict)
    constants: dict[str, Node] = field(default_factory=dict)
    constant_types: dict[str, CType] = field(default_factory=dict)
    enums: list[tuple[str, Node | None]] = field(default_factory=list)
    aliases: dict[str, CType] = field(default_factory=dict)
    variables: list[Declarator] = field(default_factory=list)
    macros_key: tuple[tuple[bytes, bytes], ...] = ()
    kept: dict[bytes, tuple[int, RawFunction]] = field(default_factory=dict)
    """Functions by their text and what stands before it, with where they started: outlined once
    while they stay."""


class Outliner:
    """Builds an outline from a parsed file."""

    def __init__(self, parsed: Parsed, previous: Outline | None = None) -> None:
        self.parsed = parsed
        self.low = Lowering(parsed.masked)
        self.found = Outline(macros_key=tuple(sorted(parsed.specifier_macros.items())))
        same = previous is not None and previous.macros_key == self.found.macros_key
        self.kept = previous.kept if previous is not None and same else {}

    def run(self) -> Outline:
        """The outline of the whole file."""
        self._children(self.parsed.root, (), ())
        return self.found

    def _children(self, parent: TsNode, templates: tuple[str, ...], types: tuple[str, ...]) -> None:
        previous_end = parent.start_byte
        kind_of_body = "function_definition"
        for child in parent.named_children:
            kind = child.type
            if kind == "comment":
                continue
            if kind == "function_definition" or (
                kind == "template_declaration" and child.named_children[-1].type == kind_of_body
            ):
                self._kept_function(child, previous_end, templates, types)
            elif kind == "template_declaration":
                self._template(child, previous_end)
            elif kind in ("declaration", "field_declaration"):
                self._declaration(child, previous_end, templates, types)
            elif kind in _STRUCTS:
                self._struct(child, "")
            elif kind == "enum_specifier":
                self._enum(child)
            elif kind == "type_definition":
                self._typedef(child)
            elif kind == "alias_declaration":
                self._alias(child)
            elif kind in ("preproc_def", "preproc_function_def"):
                self._macro(child)
            elif kind in _BLOCKS:
                self._children(child, templates, types)
            previous_end = child.end_byte

    def _kept_function(
        self, ts: TsNode, previous_end: int, templates: tuple[str, ...], types: tuple[str, ...]
    ) -> None:
        """As `_function` or `_template`, taken over from the previous outline where the text is
        the same."""
        key = repr((templates, types)).encode() + self.parsed.data[previous_end : ts.end_byte]
        known = self.kept.get(key)
        if known is not None:
            start, function = known
            distance = ts.start_byte - start
            function = function.moved(distance) if distance else function
            self.found.functions.append(function)
            self.found.kept[key] = (ts.start_byte, function)
            return
        before = (len(self.found.functions), len(self.found.structs), len(self.found.constants))
        if ts.type == "template_declaration":
            self._template(ts, previous_end)
        else:
            self._function(ts, previous_end, templates, types)
        after = (len(self.found.functions), len(self.found.structs), len(self.found.constants))
        if after == (before[0] + 1, *before[1:]):
            self.found.kept[key] = (ts.start_byte, self.found.functions[-1])

    def _template(self, ts: TsNode, previous_end: int) -> None:
        values: list[str] = []
        types: list[str] = []
        parameters = ts.child_by_field_name("parameters")
        for child in parameters.named_children if parameters else ():
            if child.type in ("parameter_declaration", "optional_parameter_declaration"):
                values.extend(one.name for one, _ in declarators(self.low, child))
            elif child.type.endswith("type_parameter_declaration"):
                names = [c for c in child.children if c.type == "type_identifier"]
                types.extend(self.low.text(name) for name in names[:1])
        for child in ts.named_children:
            kind = child.type
            if kind == "function_definition":
                self._function(child, ts.start_byte, tuple(values), tuple(types))
            elif kind in ("declaration", "field_declaration"):
                self._declaration(child, ts.start_byte, tuple(values), tuple(types))
            elif kind in _STRUCTS:
                self._struct(child, "", tuple(values), tuple(types))
            elif kind == "template_declaration":
                self._template(child, previous_end)

    def _function(
        self, ts: TsNode, previous_end: int, templates: tuple[str, ...], types: tuple[str, ...]
    ) -> None:
        body = ts.child_by_field_name("body")
        declarator = ts.child_by_field_name("declarator")
        head_end = body.start_byte if body is not None else ts.end_byte
        if declarator is None or (body is not None and body.type != "compound_statement"):
            return
        described = ts.child_by_field_name("type")
        function = _find_function(declarator)
        if function is None:
            # A struct whose head the grammar did not know parses as a function without
            # parameters.
            if body is not None and described is not None and described.type in _STRUCTS:
                self._children(body, templates, types)
            return
        name = _name_of(function)
        if name is None:
            return
        parameters = function.child_by_field_name("parameters")
        found: list[Declarator] = []
        for child in parameters.named_children if parameters else ():
            found.extend(one for one, _ in declarators(self.low, child))
        bounds = next((c for c in ts.children if c.type == "launch_bounds"), None)
        if bounds is None:
            bounds = next((c for c in declarator.children if c.type == "launch_bounds"), None)
        self.found.functions.append(
            RawFunction(
                self.low.text(name).split("::")[-1],
                self._kind(previous_end, head_end, body),
                ts.start_byte,
                ts.end_byte,
                name.start_byte,
                name.end_byte,
                body.start_byte if body is not None else 0,
                body.end_byte if body is not None else 0,
                found,
                self.low.named(bounds) if bounds is not None else (),
                templates,
                types,
                self._returns(described, declarator),
            )
        )

    def _returns(self, described: TsNode | None, declarator: TsNode) -> CType:
        if described is None:
            return NO_TYPE
        ctype = read_type(self.low, described)
        if declarator.type == "reference_declarator":
            return replace(ctype, reference=True)
        return ctype.pointer() if declarator.type == "pointer_declarator" else ctype

    def _kind(self, start: int, end: int, body: TsNode | None) -> FunctionKind:
        head = _COMMENT.sub(b" ", self.parsed.data[start:end])
        if b"__global__" in head or b"__launch_bounds__" in head:
            return "kernel"
        for name, expansion in self.parsed.specifier_macros.items():
            if re.search(rb"\b" + re.escape(name) + rb"\b", head):
                head += b" " + expansion
        for unseen in UNSEEN_SPECIFIER.findall(head):
            if b"GLOBAL" in unseen or b"KERNEL" in unseen:
                head += b" __global__ "
            elif b"DEVICE" in unseen:
                head += b" __host__ __device__ " if b"HOST" in unseen else b" __device__ "
        if b"__global__" in head:
            return "kernel"
        if b"__device__" in head:
            return "host-device" if b"__host__" in head else "device"
        if body is not None:
            inside = self.parsed.masked[body.start_byte : body.end_byte]
            # The mark may hide in a macro of another file; a thread index gives it away, unless
            # it only occurs in a lambda or a comment about one.
            if b"threadIdx." in inside and b"<<<" not in inside and b"__device__" not in inside:
                return "kernel" if b"blockIdx." in inside else "device"
        return "host"

    def _declaration(
        self, ts: TsNode, previous_end: int, templates: tuple[str, ...], types: tuple[str, ...]
    ) -> None:
        described = ts.child_by_field_name("type")
        if described is not None and described.type in _STRUCTS:
            self._struct(described, "")
        elif described is not None and described.type == "enum_specifier":
            self._enum(described)
        declarator = ts.child_by_field_name("declarator")
        if declarator is not None and _find_function(declarator) is not None:
            before = len(self.found.functions)
            self._function(ts, previous_end, templates, types)
            for function in self.found.functions[before:]:
                function.body_start = function.body_end = 0
            return
        for one, value in declarators(self.low, ts):
            if one.storage in ("constant", "device"):
                self.found.variables.append(one)
            elif one.constexpr and value is not None and not one.dims:
                lowered = self.low.node(value)
                if lowered is not None:
                    self.found.constants[one.name] = lowered
                    self.found.constant_types[one.name] = one.type

    def _struct(
        self, ts: TsNode, name: str, templates: tuple[str, ...] = (), types: tuple[str, ...] = ()
    ) -> None:
        body = ts.child_by_field_name("body")
        if body is None:
            return
        node = ts.child_by_field_name("name")
        if node is not None:
            name = self.low.text(node).split("<")[0]
        members: list[Declarator] = []
        for child in body.named_children:
            if child.type != "field_declaration":
                continue
            declarator = child.child_by_field_name("declarator")
            if declarator is not None and _find_function(declarator) is not None:
                continue
            if not any(self.low.text(c) == "static" for c in child.children
                       if c.type == "storage_class_specifier"):  # fmt: skip
                members.extend(one for one, _ in declarators(self.low, child))
        head = self.parsed.data[ts.start_byte : body.start_byte]
        aligns = [int(match) for match in _ALIGN.findall(head)]
        align = max(aligns, default=1)
        self.found.structs.append(
            RawStruct(name, ts.type == "union_specifier", align, ts.start_byte, members)
        )
        self._children(body, templates, types)

    def _enum(self, ts: TsNode) -> None:
        body = ts.child_by_field_name("body")
        for child in body.named_children if body else ():
            if child.type == "enumerator":
                name = child.child_by_field_name("name")
                value = self.low.node(child.child_by_field_name("value"))
                if name is not None:
                    self.found.enums.append((self.low.text(name), value))

    def _typedef(self, ts: TsNode) -> None:
        described = ts.child_by_field_name("type")
        declarator = ts.child_by_field_name("declarator")
        if described is None or declarator is None:
            return
        if described.type in _STRUCTS and described.child_by_field_name("body") is not None:
            inner = described.child_by_field_name("name")
            alias = self.low.text(declarator)
            self._struct(described, alias)
            if inner is not None and self.low.text(inner) != alias:
                self.found.aliases[alias] = CType(self.low.text(inner))
        elif declarator.type in ("type_identifier", "primitive_type"):
            self.found.aliases[self.low.text(declarator)] = read_type(self.low, described)

    def _alias(self, ts: TsNode) -> None:
        name, described = ts.child_by_field_name("name"), ts.child_by_field_name("type")
        if name is not None and described is not None:
            self.found.aliases[self.low.text(name)] = type_descriptor(self.low, described)

    def _macro(self, ts: TsNode) -> None:
        name, value = ts.child_by_field_name("name"), ts.child_by_field_name("value")
        if name is None:
            return
        parameters = ts.child_by_field_name("parameters")
        names = None
        if parameters is not None:
            names = tuple([self.low.text(c) for c in parameters.named_children])
        body = self.low.text(value) if value is not None else ""
        body = re.sub(r"\\\r?\n", " ", body)
        body = re.sub(r"//.*$|/\*.*?\*/", " ", body).strip()
        text = self.low.text(name)
        self.found.macros[text] = Macro(text, body, ts.start_point[0] + 1, names)


def _find_function(ts: TsNode | None) -> TsNode | None:
    """The innermost function declarator of a declarator, None when it declares no function."""
    while ts is not None:
        if ts.type == "function_declarator":
            inner = ts.child_by_field_name("declarator")
            # KERNEL(name)(int x): the macro call is the declarator of the declarator.
            if inner is not None and inner.type == "parenthesized_declarator":
                return None
            return ts
        if ts.type not in ("pointer_declarator", "reference_declarator"):
            return None
        ts = ts.child_by_field_name("declarator") or next(iter(ts.named_children[-1:]), None)
    return None


def _name_of(function: TsNode) -> TsNode | None:
    inner = function.child_by_field_name("declarator")
    if inner is not None and inner.type == "function_declarator":
        # A macro that makes the name: its first argument is the best name there is.
        parameters = inner.child_by_field_name("parameters")
        first = next(iter(parameters.named_children), None) if parameters else None
        return first if first is not None else inner.child_by_field_name("declarator")
    return inner
