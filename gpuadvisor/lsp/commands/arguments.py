"""Reading the arguments of commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuadvisor.lsp.documents import canonical, path_of
from gpuadvisor.lsp.protocol import invalid


def text(arguments: Sequence[Any], *keys: str) -> str:
    """The first argument as text, or one of its members when it is an object."""
    value = arguments[0] if arguments else None
    if isinstance(value, Mapping):
        value = next((value[key] for key in keys if value.get(key)), None)
    if not isinstance(value, str) or not value:
        raise invalid(f"expected text or an object with {' or '.join(keys)} as argument")
    return value


def member(arguments: Sequence[Any], key: str) -> Any:
    """A member of the first argument, None when it is no object or has no such member."""
    value = arguments[0] if arguments else None
    return value.get(key) if isinstance(value, Mapping) else None


def file_path(arguments: Sequence[Any]) -> str:
    """The file that the first argument names by path or by uri."""
    given = text(arguments, "path", "uri")
    path = path_of(given) if "://" in given else canonical(given)
    if path is None:
        raise invalid(f"{given} is not a file on this machine")
    return path


def place(arguments: Sequence[Any]) -> tuple[str, int]:
    """(uri, line) of an object with these members."""
    uri, line = member(arguments, "uri"), member(arguments, "line")
    if not isinstance(uri, str) or not isinstance(line, int):
        raise invalid('expected {"uri": text, "line": number} as argument')
    return uri, line
