"""The server survives whatever an editor, a user and a disk do, in any order."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import Editor, StartEditor

PIECES = ["", "x", "\n", "\r\n", "\r", "\U0001f680", "é", "{", "}", '"', "/*", "\u2028", "\x0c",
          "// gpuadvisor: ", "ignore[]", "__global__ void k(", "tile[1][2]", "\\\n", "\x00",
          ]  # fmt: skip
SETTINGS: list[Any] = [
    {}, {"heat": 3}, {"heat": {"scope": "file"}}, {"reports": "x"}, {"reports": ["gone.ncu-rep"]},
    {"select": ["GA1"]}, {"select": ["nothing"]}, {"ignore": ["GA2"]}, {"thresholds": {"a.b": 1}},
    {"pathMappings": {"/a": "/b"}}, {"inlayHints": {"enabled": True}}, None, [], "text",
    {"rules": {"directories": ["/nowhere"]}},
]  # fmt: skip
ARGUMENTS: list[list[Any]] = [
    [], [None], [1], ["x"], [{}], [{"uri": 1}], [{"uri": "file:///x", "line": -5}],
    [{"kernel": "k0"}], [{"kernel": "k0", "report": "/nowhere"}], ["file:///nowhere.ncu-rep"],
    ["x", "y", "z"], [[[]]],
]  # fmt: skip
COMMANDS = ["explainKernel", "explainRule", "nextHotspot", "previousHotspot", "debugInfo",
            "reportView", "heat", "toggleProfileData", "attachReport", "noSuchCommand"]  # fmt: skip


class Chaos:
    """Does random things to a session."""

    def __init__(self, editor: Editor, folder: Path, seed: int) -> None:
        self.editor = editor
        self.chance = random.Random(seed)
        self.report = folder / "transpose.ncu-rep"
        self.good = self.report.read_bytes()
        self.source = (folder / "transpose.cu").read_text()
        self.open: list[str] = []

    def position(self) -> types.Position:
        pick = self.chance.random()
        if pick < 0.1:
            return types.Position(self.chance.choice([0, 2**31 - 1]), 2**31 - 1)
        return types.Position(self.chance.randrange(80), self.chance.randrange(90))

    def range(self) -> types.Range:
        return types.Range(self.position(), self.position())

    def text(self) -> str:
        return "".join(self.chance.choice(PIECES) for _ in range(self.chance.randrange(6)))

    async def step(self) -> None:
        if not self.open or self.chance.random() < 0.02:
            self._open()
        acts = [self._edit] * 8 + [self._ask] * 8 + [self._command] * 2
        rare = [self._settings, self._disk, self._close, self._save]
        await self.chance.choice(acts + (rare if self.chance.random() < 0.1 else []))()

    def _open(self) -> None:
        name = self.chance.choice(["transpose.cu", "other.cu", "é.py"])
        uri = self.editor.open(name, self.chance.choice([self.source, "", self.text()]))
        if uri not in self.open:
            self.open.append(uri)

    async def _edit(self) -> None:
        uri = self.chance.choice(self.open)
        changes: list[types.TextDocumentContentChangeEvent] = [
            types.TextDocumentContentChangePartial(self.range(), self.text())
            for _ in range(self.chance.randrange(1, 4))
        ]
        if self.chance.random() < 0.1:
            changes.append(types.TextDocumentContentChangeWholeDocument(self.source))
        self.editor.change(uri, *changes)

    async def _ask(self) -> None:
        client, document = (
            self.editor.client,
            types.TextDocumentIdentifier(
                self.chance.choice([*self.open, "file:///nowhere.cu", "untitled:Untitled-1"])
            ),
        )
        context = types.CodeActionContext([], trigger_kind=types.CodeActionTriggerKind.Invoked)
        ask = self.chance.randrange(5)
        if ask == 0:
            await client.text_document_hover_async(types.HoverParams(document, self.position()))
        elif ask == 1:
            await client.text_document_code_action_async(
                types.CodeActionParams(document, self.range(), context)
            )
        elif ask == 2:
            await client.text_document_code_lens_async(types.CodeLensParams(document))
        elif ask == 3:
            await client.text_document_inlay_hint_async(
                types.InlayHintParams(document, self.range())
            )
        else:
            await client.text_document_document_link_async(types.DocumentLinkParams(document))

    async def _command(self) -> None:
        arguments = self.chance.choice(ARGUMENTS)
        if self.chance.random() < 0.3:
            arguments = [{"uri": self.chance.choice(self.open), "line": self.chance.randrange(90)}]
        with contextlib.suppress(JsonRpcException):
            await self.editor.command(self.chance.choice(COMMANDS), *arguments)

    async def _settings(self) -> None:
        settings = self.chance.choice(SETTINGS)
        self.editor.client.set_configuration(settings, section="gpuadvisor")
        self.editor.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"gpuadvisor": settings})
        )

    async def _disk(self) -> None:
        act = self.chance.randrange(4)
        if act == 0:
            self.report.unlink(missing_ok=True)
        elif act == 1:
            cut = self.chance.randrange(len(self.good))
            self.report.write_bytes(self.good[:cut])
        elif act == 2:
            damaged = bytearray(self.good)
            for _ in range(50):
                damaged[self.chance.randrange(len(damaged))] = self.chance.randrange(256)
            self.report.write_bytes(bytes(damaged))
        else:
            self.report.write_bytes(self.good)
        self.editor.watched(self.report, self.chance.choice(list(types.FileChangeType)))

    async def _close(self) -> None:
        self.editor.close(self.open.pop(self.chance.randrange(len(self.open))))

    async def _save(self) -> None:
        identifier = types.TextDocumentIdentifier(self.chance.choice(self.open))
        self.editor.client.text_document_did_save(types.DidSaveTextDocumentParams(identifier))

    async def calm(self) -> str:
        """Everything as it should be again; the uri of the source."""
        self.report.write_bytes(self.good)
        self.editor.configure()
        self.editor.watched(self.report, types.FileChangeType.Changed)
        for uri in self.open:
            self.editor.close(uri)
        return self.editor.open("transpose.cu", self.source)


async def survive(start_editor: StartEditor, folder: Path, seed: int, steps: int) -> None:
    log = folder.parent / "log"
    server = f'exec "{sys.executable}" -m gpuadvisor lsp 2>"{log}"'
    editor = await start_editor(folder, command=("sh", "-c", server))
    chaos = Chaos(editor, folder, seed)
    for _ in range(steps):
        await asyncio.wait_for(chaos.step(), 30)
    uri = await chaos.calm()

    def right() -> bool:
        warnings = [
            item.range.start.line + 1
            for item in editor.diagnostics(uri)
            if item.severity == types.DiagnosticSeverity.Warning
        ]
        return sorted(warnings) == [22, 37]

    await editor.until(right, "the findings of the good report")
    await editor.ready()
    # what the random questions did wrong was answered; nothing in the server went wrong
    assert "Traceback" not in log.read_text()


async def test_random_edits_and_requests(start_editor: StartEditor, transpose: Path) -> None:
    await survive(start_editor, transpose, seed=1, steps=400)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
async def test_ten_thousand_random_edits_and_requests(
    start_editor: StartEditor, transpose: Path, seed: int
) -> None:
    await survive(start_editor, transpose, seed, steps=10_000)
