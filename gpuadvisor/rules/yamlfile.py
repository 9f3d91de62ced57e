"""Reads a rule's YAML as plain data with the position of every key.

A rule may come from a stranger, so the file is only ever composed to nodes: no tag makes an
object, anchors and aliases are refused (a few lines of them expand to gigabytes), and size and
nesting are limited. Scalars follow YAML 1.2's core schema, so `no`, `on` and `1:30` are text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gpuadvisor.rules.errors import RuleError

MAX_BYTES = 256 * 1024
MAX_DEPTH = 12

_PREFIX = "tag:yaml.org,2002:"
_INT = re.compile(r"[-+]?[0-9]{1,18}\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?\Z")
_CONSTANTS = {
    "": "null",
    "~": "null",
    "null": "null",
    "Null": "null",
    "NULL": "null",
    "true": "bool",
    "True": "bool",
    "TRUE": "bool",
    "false": "bool",
    "False": "bool",
    "FALSE": "bool",
}


class _Resolver:
    """What the parser asks for while it builds nodes: the tag of a plain scalar, and a hook that
    is called on the way down, which limits the depth before anything recurses further."""

    depth = 0

    def descend_resolver(self, parent: Any, index: Any) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            mark = getattr(parent, "start_mark", None)
            raise yaml.MarkedYAMLError(problem=f"nested deeper than {MAX_DEPTH}", problem_mark=mark)

    def ascend_resolver(self) -> None:
        self.depth -= 1

    def check_resolver_prefix(self, depth: int, path: Any, kind: Any) -> bool:
        return False

    def resolve(self, kind: type, value: str | None, implicit: tuple[bool, bool]) -> str:
        if kind is yaml.SequenceNode:
            return _PREFIX + "seq"
        if kind is yaml.MappingNode:
            return _PREFIX + "map"
        if not implicit[0] or value is None:
            return _PREFIX + "str"
        if value in _CONSTANTS:
            return _PREFIX + _CONSTANTS[value]
        if _INT.match(value):
            return _PREFIX + "int"
        if _FLOAT.match(value):
            return _PREFIX + "float"
        return _PREFIX + "str"


if yaml.__with_libyaml__:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    class _Loader(_Resolver, CParser):
        pass

else:
    from yaml.composer import Composer
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class _Loader(_Resolver, Reader, Scanner, Parser, Composer):  # type: ignore[no-redef]
        def __init__(self, stream: str) -> None:
            Reader.__init__(self, stream)
            Scanner.__init__(self)
            Parser.__init__(self)
            Composer.__init__(self)


@dataclass(frozen=True)
class Document:
    """One YAML file: its data (dicts, lists, strings, numbers, booleans, None) and its nodes."""

    path: str
    data: Any
    node: Any

    def error(self, keys: Sequence[str | int], reason: str) -> RuleError:
        """An error at the value that `keys` lead to, or at the deepest of them that exists."""
        node = self.node
        for key in keys:
            child = _child(node, key)
            if child is None:
                break
            node = child
        mark = node.start_mark
        return RuleError(
            reason,
            path=self.path,
            line=mark.line + 1,
            column=mark.column + 1,
            key=key_path(keys),
        )


def key_path(keys: Sequence[str | int]) -> str:
    """`("tests", 0, "row")` as `tests[0].row`."""
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def _child(node: Any, key: str | int) -> Any:
    if isinstance(key, int):
        known = isinstance(node, yaml.SequenceNode) and key < len(node.value)
        return node.value[key] if known else None
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == key:
                return value
    return None


def load_yaml(path: Path) -> Document:
    """Reads one file. RuleError says what is wrong with it and where."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise RuleError(f"cannot be read: {error.strerror or error}", path=str(path)) from None
    if len(raw) > MAX_BYTES:
        raise RuleError(f"larger than {MAX_BYTES // 1024} KB", path=str(path))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise RuleError("not UTF-8 text", path=str(path), line=line, column=1) from None
    return parse_yaml(text, str(path))


def parse_yaml(text: str, path: str) -> Document:
    """The same for a text; `path` only names it in errors."""
    try:
        node = _Loader(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        reason = error.problem or error.context or "not YAML"
        raise RuleError(f"not usable YAML: {reason}", path=path, line=line, column=column) from None
    except (yaml.YAMLError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else "not YAML"
        raise RuleError(f"not usable YAML: {reason}", path=path) from None
    if not isinstance(node, yaml.MappingNode):
        raise RuleError("a mapping of keys was expected", path=path, line=1, column=1)
    return Document(path, _Builder(path, node).build(node, ()), node)


class _Builder:
    """Nodes to data, refusing what a rule never needs."""

    def __init__(self, path: str, root: Any) -> None:
        self.path = path
        self.seen = {id(root)}

    def error(self, node: Any, keys: Sequence[str | int], reason: str) -> RuleError:
        mark = node.start_mark
        return RuleError(
            reason,
            path=self.path,
            line=mark.line + 1,
            column=mark.column + 1,
            key=key_path(keys),
        )

    def build(self, node: Any, keys: tuple[str | int, ...]) -> Any:
        kind = node.tag[len(_PREFIX) :] if node.tag.startswith(_PREFIX) else ""
        if isinstance(node, yaml.MappingNode) and kind == "map":
            return dict(self._pairs(node, keys))
        if isinstance(node, yaml.SequenceNode) and kind == "seq":
            return [self._item(node, item, (*keys, i)) for i, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode) and kind in _SCALARS:
            return _SCALARS[kind](node.value)
        raise self.error(node, keys, f"the YAML tag {node.tag!r} is not allowed in a rule")

    def _pairs(self, node: Any, keys: tuple[str | int, ...]) -> Iterator[tuple[str, Any]]:
        names: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag != _PREFIX + "str":
                raise self.error(key, keys, "keys must be plain text")
            name = key.value
            if name in names:
                raise self.error(key, (*keys, name), "this key is there twice")
            names.add(name)
            yield name, self._item(node, value, (*keys, name))

    def _item(self, parent: Any, node: Any, keys: tuple[str | int, ...]) -> Any:
        # an alias is the very node that its anchor stands at, so only its parent has its place
        if id(node) in self.seen:
            raise self.error(parent, keys, "anchors and aliases are not allowed in a rule")
        self.seen.add(id(node))
        return self.build(node, keys)


_SCALARS: dict[str, Any] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": lambda text: text.lower() == "true",
    "null": lambda text: None,
}
