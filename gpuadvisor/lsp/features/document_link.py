"""Links from the paths of reports in comments and settings to the reports."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from lsprotocol import types

from gpuadvisor.lsp.documents import uri_of
from gpuadvisor.lsp.feature import Feature

if TYPE_CHECKING:
    from gpuadvisor.lsp.documents import Document
    from gpuadvisor.lsp.server import Server

_PATH = re.compile(r"[^\s\"'`<>|*?()\[\]{},;=]+\.ncu-repz?\b")
MAX_LINKS = 200


class DocumentLinks(Feature):
    """Answers `textDocument/documentLink`."""

    def register(self, server: Server) -> None:
        server.answer(types.TEXT_DOCUMENT_DOCUMENT_LINK, self._links, types.DocumentLinkOptions())

    def _links(self, params: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
        document = self.session.document(params.text_document.uri)
        if document is None or ".ncu-rep" not in document.text:
            return None
        links: list[types.DocumentLink] = []
        for number, line in enumerate(document.lines):
            if ".ncu-rep" not in line:
                continue
            for match in _PATH.finditer(line):
                target = self._target(document, match[0])
                if target is not None and len(links) < MAX_LINKS:
                    links.append(
                        types.DocumentLink(
                            range=types.Range(
                                types.Position(number, document.units(number, match.start())),
                                types.Position(number, document.units(number, match.end())),
                            ),
                            target=uri_of(target),
                            tooltip="Show the report",
                        )
                    )
        return links

    def _target(self, document: Document, text: str) -> str | None:
        """The report that a path in a document means: beside it, or in a workspace folder."""
        folders = [os.path.dirname(document.path)] if document.path else []
        for folder in (*folders, *self.session.folders):
            path = os.path.normpath(os.path.join(folder, os.path.expanduser(text)))
            if os.path.isfile(path):
                return path
        return None
