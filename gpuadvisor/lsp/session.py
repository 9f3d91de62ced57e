"""The state of one client's session: settings, reports, the current snapshot, open documents.

Features ask it for views of documents and are told when something changed.
"""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from gpuadvisor.lsp.discovery import Discovery, discover, in_folder
from gpuadvisor.lsp.documents import Document, canonical, path_of
from gpuadvisor.lsp.heads import Head, find_heads
from gpuadvisor.lsp.progress import progress
from gpuadvisor.lsp.reader import Reader
from gpuadvisor.lsp.reports import ReportKeeper
from gpuadvisor.lsp.settings import Settings, expand_path, read_settings
from gpuadvisor.lsp.snapshot import FileEvidence, Snapshot, build_snapshot
from gpuadvisor.lsp.tasks import Debounce, Tasks
from gpuadvisor.lsp.view import DocumentView, is_python

if TYPE_CHECKING:
    from gpuadvisor.lsp.reader import Tell
    from gpuadvisor.lsp.reports import Entry
    from gpuadvisor.lsp.server import Server

logger = logging.getLogger(__name__)


class Session:
    """Everything the features share."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.settings = Settings()
        self.show_profile_data: bool | None = None
        """Set by the user for this session; None leaves it to the settings."""
        self.snapshot = Snapshot()
        self.tasks = Tasks()
        self.reader = Reader()
        self.keeper = ReportKeeper(self.reader, self, self.tasks)
        self.discovery = Discovery(())
        self._attached: list[str] = []
        self._views: dict[str, tuple[int, int, DocumentView]] = {}
        self._heads: dict[str, dict[str, Head]] = {}
        self._told: set[str] = set()
        self._rebuild = Debounce(self._build_snapshot, 0.01, 0.05)
        self._discover = Debounce(self._start_update, 1.5, 5.0)
        self._updating: asyncio.Task[Any] | None = None

    @property
    def folders(self) -> list[str]:
        """The workspace folders that are folders of this machine."""
        workspace = self.server.workspace
        uris = [folder.uri for folder in workspace.folders.values()]
        if not uris and workspace.root_uri:
            uris = [workspace.root_uri]
        return [path for uri in uris if (path := path_of(uri)) is not None]

    @property
    def profile_data_shown(self) -> bool:
        """Whether measurements are shown besides the findings."""
        shown = self.show_profile_data
        return self.settings.show_profile_data if shown is None else shown

    # documents

    def document(self, uri: str) -> Document | None:
        """An open document."""
        return self.server.protocol.documents.get(uri)

    def documents(self) -> list[Document]:
        """All open documents."""
        return list(self.server.protocol.documents)

    def view(self, uri: str) -> DocumentView | None:
        """An open document as the reports see it, None when no report names it."""
        document = self.document(uri)
        evidence = self.snapshot.files.get(document.path) if document and document.path else None
        if document is None or evidence is None:
            self._views.pop(uri, None)
            return None
        key = (document.revision, self.snapshot.generation)
        known = self._views.get(uri)
        if known is not None and known[:2] == key and known[2].document is document:
            return known[2]
        view = DocumentView(document, evidence, self._heads_of(document, evidence))
        self._views[uri] = (*key, view)
        return view

    def forget(self, uri: str) -> None:
        """Drop what is kept for a closed document."""
        self._views.pop(uri, None)

    def _heads_of(self, document: Document, evidence: FileEvidence) -> dict[str, Head]:
        names = {kernel.summary.name for kernel in evidence.kernels}
        if evidence.base is None:
            return find_heads(document.lines, names, is_python(document))
        heads = self._heads.get(evidence.path)
        if heads is None:
            heads = find_heads(evidence.base, names, is_python(document))
            self._heads[evidence.path] = heads
        return heads

    # settings

    def apply_settings(self, raw: object) -> None:
        """Take settings over; say what is wrong with them, each fault once."""
        settings, problems = read_settings(raw)
        for problem in problems:
            if problem not in self._told:
                self._told.add(problem)
                self.server.show(types.MessageType.Warning, problem)
        changed = settings != self.settings
        self.settings = settings
        if changed:
            self.show_profile_data = None
            self.server.tell_features("settings_changed")
        if changed or self._updating is None:
            self._start_update()

    # reports

    def attach(self, path: str) -> None:
        """Use a report from now on, before all others."""
        path = canonical(path)
        self._attached = [path, *(other for other in self._attached if other != path)]
        self._want()

    def watched(self, path: str) -> None:
        """A file that may be a report changed on disk."""
        self.keeper.touch(path)
        self.keeper.touch(canonical(path))
        self._discover()

    def rediscover_soon(self) -> None:
        """Look for reports again, once things have calmed down."""
        self._discover()

    def _start_update(self) -> None:
        if self._updating is not None:
            self._updating.cancel()
        self._updating = self.tasks.start(self._update_reports(), "looking for reports")

    async def _update_reports(self) -> None:
        if self.settings.discover_reports:
            self.discovery = await asyncio.to_thread(discover, self.folders)
        else:
            self.discovery = Discovery(())
        self._want()

    def _want(self) -> None:
        folders = self.folders
        wanted = list(self._attached)
        for given in self.settings.reports:
            path = expand_path(given, folders)
            wanted += in_folder(path) if os.path.isdir(path) else [path]
        wanted += self.discovery.reports
        self.keeper.want(list(dict.fromkeys(canonical(path) for path in wanted)), self._options())

    def _options(self) -> Any:
        from gpuadvisor.options import AnalyzeOptions

        folders = self.folders
        settings = self.settings
        return AnalyzeOptions(
            source_dirs=(*folders, *(expand_path(path, folders) for path in settings.source_dirs)),
            path_maps=tuple(
                (given, expand_path(path, folders)) for given, path in settings.path_mappings
            ),
            lines=True,
            rule_dirs=tuple(expand_path(path, folders) for path in settings.rule_directories),
            thresholds=settings.thresholds,
            select=settings.select,
            ignore=settings.ignore,
        )

    def _build_snapshot(self) -> None:
        self.snapshot = build_snapshot(self.snapshot.generation + 1, self.keeper.analyses())
        self._heads.clear()
        self._views.clear()
        self.server.tell_features("snapshot_changed")

    # what the keeper tells

    def reports_changed(self) -> None:
        self.server.tell_features("reports_changed")

    def evidence_changed(self) -> None:
        self._rebuild()

    def report_damaged(self, path: str, reason: str, kept: bool) -> None:
        tail = " The last version that could be read stays in use." if kept else ""
        self.server.show(
            types.MessageType.Warning, f"{os.path.basename(path)} cannot be read: {reason}.{tail}"
        )

    def reading(self, path: str) -> AbstractContextManager[Tell]:
        return progress(self.server, f"Reading {os.path.basename(path)}")

    # life

    def start(self) -> None:
        """Begin to work, once the client has the answer to its first request."""
        self.tasks.start(self.keeper.poll(), "looking after reports")

    def stop(self) -> None:
        """End everything that runs."""
        self._discover.cancel()
        self._rebuild.cancel()
        self.tasks.cancel()
        self.reader.close()

    async def read_entry(self, path: str) -> Entry | None:
        """A report's entry once it was read; one that is not kept is read for this alone."""
        return await self.keeper.settled(canonical(path))
