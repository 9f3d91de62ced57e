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

from gpuadvisor.lsp.by_name import evidence_by_name
from gpuadvisor.lsp.derived import Derived
from gpuadvisor.lsp.documents import Document, canonical, path_of
from gpuadvisor.lsp.gather import build_snapshot
from gpuadvisor.lsp.library import Library
from gpuadvisor.lsp.moves import content_lines
from gpuadvisor.lsp.progress import progress
from gpuadvisor.lsp.reader import Reader
from gpuadvisor.lsp.reports import ReportKeeper
from gpuadvisor.lsp.settings import read_settings
from gpuadvisor.lsp.snapshot import Snapshot
from gpuadvisor.lsp.tasks import Debounce, Tasks
from gpuadvisor.lsp.view import DocumentView, is_python
from gpuadvisor.lsp.wishes import Wishes

if TYPE_CHECKING:
    from gpuadvisor.lsp.reader import Tell
    from gpuadvisor.lsp.server import Server
    from gpuadvisor.lsp.settings import Settings
    from gpuadvisor.lsp.snapshot import FileEvidence
    from gpuadvisor.options import AnalyzeOptions

logger = logging.getLogger(__name__)


class Session:
    """Everything the features share."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.wishes = Wishes()
        self.show_profile_data: bool | None = None
        """Set by the user for this session; None leaves it to the settings."""
        self.snapshot = Snapshot()
        self.tasks = Tasks()
        self.reader = Reader()
        self.keeper = ReportKeeper(self.reader, self, self.tasks)
        self.library = Library(self)
        self._views: dict[str, tuple[int, int, Document, DocumentView | None]] = {}
        self._derived: dict[str, Derived] = {}
        self._told: set[str] = set()
        self._rebuild = Debounce(self._build_snapshot, 0.01, 0.05)
        self._discover = Debounce(self._start_update, 1.5, 5.0)
        self._updating: asyncio.Task[Any] | None = None

    @property
    def settings(self) -> Settings:
        """The settings of the editor."""
        return self.wishes.settings

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
        if document is None or document.path is None:
            return None
        key = (document.revision, self.snapshot.generation)
        known = self._views.get(uri)
        if known is None or known[:2] != key or known[2] is not document:
            known = self._views[uri] = (*key, document, self._view(document, document.path))
        return known[3]

    def _view(self, document: Document, path: str) -> DocumentView | None:
        snapshot = self.snapshot
        evidence = snapshot.files.get(path) or evidence_by_name(snapshot, document, path)
        if evidence is None:
            return None
        return DocumentView(
            document, evidence, self._derived_of(document, evidence), snapshot.known
        )

    def saved(self, document: Document) -> None:
        """An edited file is on disk: what did not match the profiled text may match now."""
        evidence = self.snapshot.files.get(document.path or "")
        if evidence is not None and evidence.differs:
            for report in {kernel.report for kernel in evidence.kernels}:
                self.keeper.again(report)

    def forget(self, uri: str) -> None:
        """Drop what is kept for a closed document."""
        self._views.pop(uri, None)

    def _derived_of(self, document: Document, evidence: FileEvidence) -> Derived:
        if evidence.base is None:
            return Derived(evidence, content_lines(document.lines), is_python(document))
        derived = self._derived.get(evidence.path)
        if derived is None:
            derived = Derived(evidence, evidence.base, is_python(document))
            self._derived[evidence.path] = derived
        return derived

    # settings

    def apply_settings(self, raw: object) -> None:
        """Take settings over; say what is wrong with them, each fault once."""
        settings, problems = read_settings(raw)
        for problem in problems:
            self.tell_once(problem)
        changed = settings != self.settings
        self.wishes.settings = settings
        if changed:
            self.show_profile_data = None
            self.server.tell_features("settings_changed")
        if changed or self._updating is None:
            self._start_update()

    # reports

    def attach(self, path: str) -> None:
        """Use a report from now on, before all others."""
        self.wishes.attach(canonical(path))
        self._want()

    def watched(self, path: str) -> None:
        """A report or a settings file changed on disk."""
        self.keeper.touch(path)
        self._discover()

    def rediscover_soon(self) -> None:
        """Look for reports again, once things have calmed down."""
        self._discover()

    def options(self) -> AnalyzeOptions:
        """How reports are read now."""
        return self.wishes.options(self.folders)

    def rule_directories(self) -> list[str]:
        """The folders with rules of the user's own."""
        return self.wishes.rule_directories(self.folders)

    async def looked(self) -> None:
        """Wait until the search for reports that is under way has ended."""
        if self._updating is not None and not self._updating.done():
            await asyncio.wait([self._updating])

    def _start_update(self) -> None:
        if self._updating is not None:
            self._updating.cancel()
        self._updating = self.tasks.start(self._update_reports(), "looking for reports")

    async def _update_reports(self) -> None:
        problem = await self.wishes.look(self.folders)
        if problem:
            self.tell_once(problem)
        self._want()

    def _want(self) -> None:
        self.keeper.want(self.wishes.reports(self.folders), self.options())

    def _build_snapshot(self) -> None:
        self.snapshot = build_snapshot(self.snapshot.generation + 1, self.keeper.analyses())
        self._derived.clear()
        self._views.clear()
        self.server.tell_features("snapshot_changed")

    # what the keeper tells

    def reports_changed(self) -> None:
        self.server.tell_features("reports_changed")

    def evidence_changed(self) -> None:
        self._rebuild()

    def tell_once(self, message: str) -> None:
        """A warning that the user sees, the first time it is given."""
        if message not in self._told:
            self._told.add(message)
            self.server.show(types.MessageType.Warning, message)

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

    async def stop(self) -> None:
        """End everything that runs."""
        self._discover.cancel()
        self._rebuild.cancel()
        self.tasks.cancel()
        await self.reader.ended()
