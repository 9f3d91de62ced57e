"""Edits of open documents in the protocol's terms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from gpuadvisor.lsp.documents import Document
    from gpuadvisor.lsp.server import Server
    from gpuadvisor.lsp.view import DocumentView, Placed

_PYTHON_FIRST = re.compile(r"#!|#.*?coding[:=]")


def fix_edits(view: DocumentView, item: Placed, fix_id: str) -> list[types.TextEdit]:
    """The edits of a named fix at a finding's place in today's text."""
    from gpuadvisor.evidence.findings import Location
    from gpuadvisor.fixes import edits_for

    if view.python:
        return []
    document = view.document
    location = Location(
        document.path or document.uri,
        item.line,
        item.end_line,
        item.column + 1,
        item.end_column + 1,
        item.state,
    )
    edits = edits_for(fix_id, document.text, location)
    return [
        types.TextEdit(
            types.Range(
                _position(document, edit.line - 1, edit.column - 1),
                _position(document, edit.end_line - 1, edit.end_column - 1),
            ),
            edit.text,
        )
        for edit in edits
    ]


def ignore_on_line(view: DocumentView, line: int, rule: str) -> list[types.TextEdit]:
    """A comment before the line (from 1) that silences a rule there; none where a comment line
    would break a macro."""
    lines = view.document.lines
    if line >= 2 and lines[line - 2].rstrip().endswith("\\"):
        return []
    text = lines[line - 1]
    indent = text[: len(text) - len(text.lstrip())].rstrip("\r\n")
    return _insert(view.document, line - 1, f"{indent}{_mark(view)} gpuadvisor: ignore[{rule}]")


def ignore_in_file(view: DocumentView, rule: str) -> list[types.TextEdit]:
    """A comment at the top of the file that silences a rule in all of it."""
    at = 0
    if view.python:
        while at < min(2, len(view.document.lines)) and _PYTHON_FIRST.match(
            view.document.lines[at]
        ):
            at += 1
    return _insert(view.document, at, f"{_mark(view)} gpuadvisor: ignore-file[{rule}]")


def workspace_edit(
    server: Server, document: Document, edits: Sequence[types.TextEdit]
) -> types.WorkspaceEdit:
    """Edits of one document, tied to its version where the client can check that."""
    workspace = server.client_capabilities.workspace
    capability = workspace.workspace_edit if workspace else None
    if capability and capability.document_changes:
        identifier = types.OptionalVersionedTextDocumentIdentifier(
            uri=document.uri, version=document.version
        )
        change = types.TextDocumentEdit(text_document=identifier, edits=list(edits))
        return types.WorkspaceEdit(document_changes=[change])
    return types.WorkspaceEdit(changes={document.uri: list(edits)})


def command(title: str, name: str, *arguments: Any) -> types.Command:
    """A command of ours with its arguments."""
    return types.Command(title=title, command=name, arguments=list(arguments))


def _insert(document: Document, line: int, text: str) -> list[types.TextEdit]:
    end = "\r\n" if document.lines[0].endswith("\r\n") else "\n"
    at = types.Position(line, 0)
    return [types.TextEdit(types.Range(at, at), text + end)]


def _mark(view: DocumentView) -> str:
    return "#" if view.python else "//"


def _position(document: Document, line: int, column: int) -> types.Position:
    return types.Position(line, document.units(line, column))
