"""Clients that can less than VS Code."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp.editor import StartEditor, sample


@pytest.mark.parametrize("client", ["neovim", "emacs", "visual-studio-code"])
async def test_any_client_gets_findings_and_hovers(
    start_editor: StartEditor, transpose: Path, client: str
) -> None:
    editor = await start_editor(transpose, client=client, configuration=False)
    uri = editor.open("transpose.cu")
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")
    assert "samples" in await editor.hover(uri, 21)
    titles = [item.title for item in await editor.actions(uri, 36)]
    assert any(title.startswith("Pad the shared array") for title in titles)


async def test_a_client_without_watchers(start_editor: StartEditor, transpose: Path) -> None:
    """No word of the change comes from the client: the server looks itself."""
    editor = await start_editor(transpose, client="neovim")
    uri = editor.open("transpose.cu")
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")
    _, other = sample("particles")
    shutil.copy(other, transpose / "transpose.ncu-rep")
    await editor.until(lambda: not editor.diagnostics(uri), "the old findings to go")


async def test_folders_come_and_go(start_editor: StartEditor, transpose: Path) -> None:
    empty = transpose.parent / "empty"
    empty.mkdir()
    editor = await start_editor(empty)
    assert editor.statuses == []
    added = types.WorkspaceFolder(transpose.as_uri(), "added")
    editor.client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent([added], []))
    )
    await editor.ready()
    editor.client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent([], [added]))
    )
    await editor.until(lambda: editor.status["reports"] == [], "the report to go")
