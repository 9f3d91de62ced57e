"""Settings as they come in: at the start, by notification, by request; wrong ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp.editor import StartEditor


@pytest.mark.parametrize("asked", [True, False])
async def test_a_wrong_type_is_told_once_and_the_default_kept(
    start_editor: StartEditor, transpose: Path, asked: bool
) -> None:
    wrong = {"heat": {"enabled": "yes", "scope": "planet"}, "reports": 7}
    editor = await start_editor(transpose, settings=wrong, configuration=asked)
    uri = editor.open("transpose.cu")
    await editor.ready()
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics in spite of it")
    assert sorted(editor.messages()) == [
        'Setting gpuadvisor.heat.enabled must be true or false, not "yes"; using the default true.',
        'Setting gpuadvisor.heat.scope must be "kernel" or "file", not "planet"; '
        'using the default "kernel".',
        "Setting gpuadvisor.reports must be a list, not 7; using the default [].",
    ]
    assert await editor.command("heat", uri)
    editor.configure(**wrong)
    editor.configure(**wrong)
    assert (await editor.command("debugInfo"))["text"]
    assert len(editor.messages()) == 3


async def test_ignored_rules_go_and_come_back(start_editor: StartEditor, transpose: Path) -> None:
    editor = await start_editor(transpose)
    uri = editor.open("transpose.cu")

    def codes() -> set[str]:
        return {
            str(item.code)
            for item in editor.diagnostics(uri)
            if item.severity == types.DiagnosticSeverity.Warning
        }

    await editor.until(lambda: codes() == {"GA101", "GA201"}, "both warnings")
    editor.configure(ignore=["GA2"])
    await editor.until(lambda: codes() == {"GA101"}, "one warning")
    editor.configure(ignore=[])
    await editor.until(lambda: codes() == {"GA101", "GA201"}, "both again")


async def test_discovery_can_be_switched_off(start_editor: StartEditor, transpose: Path) -> None:
    editor = await start_editor(transpose, settings={"discoverReports": False})
    uri = editor.open("transpose.cu")
    assert await editor.hover(uri, 21) == ""
    editor.configure(discoverReports=True)
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")


async def test_reports_may_be_named_by_folder(start_editor: StartEditor, transpose: Path) -> None:
    runs = transpose.parent / "runs"
    runs.mkdir()
    shutil.move(transpose / "transpose.ncu-rep", runs / "one.ncu-rep")
    editor = await start_editor(transpose, settings={"reports": ["${workspaceFolder}/../runs"]})
    uri = editor.open("transpose.cu")
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")


async def test_rules_that_cannot_be_used_are_told(
    start_editor: StartEditor, transpose: Path
) -> None:
    editor = await start_editor(transpose, settings={"select": ["no-such-rule"]})
    uri = editor.open("transpose.cu")
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics by the shipped rules")
    (message,) = editor.messages()
    assert "no-such-rule" in message


async def test_a_project_file_counts(start_editor: StartEditor, transpose: Path) -> None:
    (transpose / "gpuadvisor.toml").write_text('ignore = ["GA2"]\n')
    editor = await start_editor(transpose)
    uri = editor.open("transpose.cu")
    await editor.ready()
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")
    assert "GA201" not in {item.code for item in editor.diagnostics(uri)}
    (transpose / "gpuadvisor.toml").write_text("ignore = 3\n")
    editor.watched(transpose / "gpuadvisor.toml", types.FileChangeType.Changed)
    await editor.until(lambda: editor.messages(), "a word on the file")
    assert "gpuadvisor.toml" in editor.messages()[0]
