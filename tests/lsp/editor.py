"""A real server in a process of its own, talked to as VS Code talks to it."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Union

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.protocol import default_converter
from pygls.uris import from_fs_path
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import register_lsp_features

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "reports" / "h200"
PATIENCE_S = 60.0
UNION = Union[types.Command, types.CodeAction]  # noqa: UP007 - the library looks it up so


class Editor:
    """A client with one workspace folder, and what it was told by the server."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.status: dict[str, Any] = {}
        self.statuses: list[dict[str, Any]] = []
        self.published: list[types.PublishDiagnosticsParams] = []
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.initialize_s = 0.0
        self.capabilities: types.ServerCapabilities

        listen: Any = client.feature

        def on_status(params: Any) -> None:
            reports = [report._asdict() for report in params.reports]
            self.status = {**params._asdict(), "reports": reports}
            self.statuses.append(self.status)

        listen("gpuadvisor/status")(on_status)
        for request in (
            types.CLIENT_REGISTER_CAPABILITY,
            types.WORKSPACE_CODE_LENS_REFRESH,
            types.WORKSPACE_INLAY_HINT_REFRESH,
        ):
            listen(request)(_agree())

    def uri(self, name: str) -> str:
        return str(from_fs_path(str(self.folder / name)))

    def open(self, name: str, text: str | None = None, language: str = "cuda-cpp") -> str:
        """Open a file of the workspace as an editor does; its uri."""
        uri = self.uri(name)
        if text is None:
            text = (self.folder / name).read_bytes().decode("utf-8")
        self.texts[uri], self.versions[uri] = text, 1
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        """Send edits; the caller keeps `texts` right where it matters."""
        self.versions[uri] += 1
        identifier = types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(identifier, list(changes))
        )

    def insert(self, uri: str, line: int, text: str) -> None:
        """Insert text before a line (from 0)."""
        at = types.Position(line, 0)
        self.change(uri, types.TextDocumentContentChangePartial(types.Range(at, at), text))

    def replace_line(self, uri: str, line: int, text: str) -> None:
        """Put another content in the place of a line (from 0), up to its end."""
        where = types.Range(types.Position(line, 0), types.Position(line, 10_000))
        self.change(uri, types.TextDocumentContentChangePartial(where, text))

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )

    def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        return list(self.client.diagnostics.get(uri, ()))

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Wait for something to become true."""
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > deadline:
                messages = [item.message for item in self.client.messages]
                pytest.fail(f"waited in vain for {what}; status {self.status}, told {messages}")
            await asyncio.sleep(0.01)

    async def ready(self, reports: int = 1) -> None:
        """Wait until so many reports were read."""

        def read() -> bool:
            states = [item["state"] for item in self.status.get("reports", ())]
            return states.count("ready") >= reports and "reading" not in states

        await self.until(read, f"{reports} reports to be read")

    async def hover(self, uri: str, line: int, character: int = 8) -> str:
        """The Markdown of a hover, empty without one."""
        params = types.HoverParams(
            types.TextDocumentIdentifier(uri), types.Position(line, character)
        )
        hover = await self.client.text_document_hover_async(params)
        if hover is None:
            return ""
        assert isinstance(hover.contents, types.MarkupContent)
        return hover.contents.value

    async def actions(
        self, uri: str, line: int, only: Sequence[str] | None = None
    ) -> list[types.CodeAction]:
        """The code actions on a line, asked for with its diagnostics."""
        here = [item for item in self.diagnostics(uri) if item.range.start.line == line]
        where = (
            here[0].range if here else types.Range(types.Position(line, 0), types.Position(line, 0))
        )
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(uri),
            where,
            types.CodeActionContext(here, only, types.CodeActionTriggerKind.Invoked),
        )
        actions = await self.client.text_document_code_action_async(params)
        return [item for item in actions or () if isinstance(item, types.CodeAction)]

    def apply(self, action: types.CodeAction) -> str:
        """Apply an action's edit as the editor would, tell the server, and return the text."""
        assert action.edit is not None
        assert action.edit.document_changes is not None
        (change,) = action.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        uri = change.text_document.uri
        assert change.text_document.version == self.versions[uri]
        for edit in sorted(
            change.edits, key=lambda item: (item.range.start.line, item.range.start.character)
        )[::-1]:
            assert isinstance(edit, types.TextEdit)
            self.texts[uri] = replaced(self.texts[uri], edit.range, edit.new_text)
            self.change(uri, types.TextDocumentContentChangePartial(edit.range, edit.new_text))
        return self.texts[uri]

    async def command(self, name: str, *arguments: Any) -> Any:
        """The result of a command of ours."""
        params = types.ExecuteCommandParams(f"gpuadvisor.{name}", list(arguments))
        return await self.client.workspace_execute_command_async(params)

    def configure(self, **settings: Any) -> None:
        """Change settings as VS Code tells it: a notification, and an answer when asked."""
        self.client.set_configuration(settings, section="gpuadvisor")
        self.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"gpuadvisor": settings})
        )

    def watched(self, path: Path, kind: types.FileChangeType) -> None:
        """Tell of a change on disk, as the client's watcher does."""
        uri = from_fs_path(str(path))
        assert uri is not None
        self.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams([types.FileEvent(uri, kind)])
        )

    def messages(self) -> list[str]:
        return [item.message for item in self.client.messages]


def replaced(text: str, where: types.Range, new: str) -> str:
    """A text after one edit; for texts without characters outside the basic plane."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    start = starts[where.start.line] + where.start.character
    end = starts[where.end.line] + where.end.character
    return text[:start] + new + text[end:]


def _agree() -> Callable[[Any], None]:
    """A handler of a request that wants nothing but an answer."""

    def agree(params: Any) -> None:
        return None

    return agree


def make_client() -> LanguageClient:
    """A client that tells code actions with a command from commands, which the library mixes up."""

    def converter() -> Any:
        made: Any = default_converter()  # type: ignore[no-untyped-call]

        def either(item: Any, _: Any) -> Any:
            kind = types.Command if isinstance(item.get("command"), str) else types.CodeAction
            return made.structure(item, kind)

        made.register_structure_hook(UNION, either)
        return made

    client = LanguageClient(converter_factory=converter)
    register_lsp_features(client)
    return client


StartEditor = Callable[..., Awaitable[Editor]]


@pytest_asyncio.fixture
async def start_editor(tmp_path: Path) -> AsyncIterator[StartEditor]:
    """Starts servers, each with an editor; they are shut down at the end of the test."""
    editors: list[Editor] = []

    async def start(
        folder: Path | None = None,
        settings: Any = None,
        configuration: bool = True,
        client: str = "visual-studio-code",
        encodings: Sequence[str] | None = None,
        command: Sequence[str] = (sys.executable, "-m", "gpuadvisor", "lsp"),
    ) -> Editor:
        folder = folder or tmp_path / "workspace"
        folder.mkdir(exist_ok=True)
        config = ClientServerConfig(list(command), make_client, environment())
        started = time.perf_counter()
        language_client = await config.start()
        assert isinstance(language_client, LanguageClient)
        editor = Editor(language_client, folder)
        language_client.set_configuration(settings or {}, section="gpuadvisor")
        capabilities = client_capabilities(client)
        assert capabilities.workspace is not None
        capabilities.workspace.configuration = configuration
        if encodings is not None:
            general = types.GeneralClientCapabilities(position_encodings=list(encodings))
            capabilities.general = general
        uri = from_fs_path(str(folder))
        assert uri is not None
        result = await language_client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities,
                client_info=types.ClientInfo("Visual Studio Code", "1.100.3"),
                root_path=str(folder),
                root_uri=uri,
                workspace_folders=[types.WorkspaceFolder(uri, folder.name)],
                initialization_options={"settings": settings or {}},
            )
        )
        editor.initialize_s = time.perf_counter() - started
        editor.capabilities = result.capabilities
        editors.append(editor)
        return editor

    yield start
    for editor in editors:
        await asyncio.wait_for(editor.client.shutdown_session(), 10)
        await editor.client.stop()  # type: ignore[no-untyped-call]


def environment() -> dict[str, str]:
    """The environment of the server: this checkout first on the path."""
    env = dict(os.environ)
    paths = [str(ROOT), *filter(None, [env.get("PYTHONPATH")])]
    return {**env, "PYTHONPATH": os.pathsep.join(paths)}


def sample(name: str) -> tuple[Path, Path]:
    """(source, report) of one of the measured programs."""
    for folder in (ROOT / "samples" / name, SHARED / "samples"):
        source, report = folder / f"{name}.cu", folder / f"{name}.ncu-rep"
        if source.is_file() and report.is_file():
            return source, report
    pytest.skip(f"the sample {name} is not at hand")


@pytest.fixture
def transpose(tmp_path: Path) -> Path:
    """A workspace with the transpose program and its report."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    for path in sample("transpose"):
        shutil.copy(path, folder)
    return folder
