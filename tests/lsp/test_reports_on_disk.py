"""Reports that appear, change, break and go while they are in use."""

from __future__ import annotations

import shutil
from pathlib import Path

from lsprotocol import types

from tests.lsp.conftest import Editor, StartEditor, sample

CHANGED = types.FileChangeType.Changed
CREATED = types.FileChangeType.Created
DELETED = types.FileChangeType.Deleted


def states(editor: Editor) -> dict[str, str]:
    return {Path(item["path"]).name: item["state"] for item in editor.status.get("reports", ())}


async def opened(start_editor: StartEditor, folder: Path) -> tuple[Editor, str]:
    editor = await start_editor(folder)
    uri = editor.open("transpose.cu")
    await editor.ready()
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")
    return editor, uri


async def test_a_report_appears(start_editor: StartEditor, transpose: Path) -> None:
    report = transpose / "transpose.ncu-rep"
    elsewhere = transpose.parent / "kept.ncu-rep"
    shutil.move(report, elsewhere)
    editor = await start_editor(transpose)
    uri = editor.open("transpose.cu")
    shutil.copy(elsewhere, report)
    editor.watched(report, CREATED)
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")
    await editor.until(lambda: states(editor) == {"transpose.ncu-rep": "ready"}, "its state")


async def test_a_report_is_replaced(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await opened(start_editor, transpose)
    particles, other = sample("particles")
    shutil.copy(particles, transpose)
    particles_uri = editor.open("particles.cu")
    shutil.copy(other, transpose / "transpose.ncu-rep")
    editor.watched(transpose / "transpose.ncu-rep", CHANGED)
    await editor.until(lambda: not editor.diagnostics(uri), "the old findings to go")
    await editor.until(lambda: editor.diagnostics(particles_uri), "the new findings")
    assert editor.messages() == []


async def test_a_damaged_report_leaves_the_last_good_one(
    start_editor: StartEditor, transpose: Path
) -> None:
    editor, uri = await opened(start_editor, transpose)
    before = editor.diagnostics(uri)
    report = transpose / "transpose.ncu-rep"
    good = report.read_bytes()
    report.write_bytes(b"no report at all")
    editor.watched(report, CHANGED)
    await editor.until(lambda: editor.messages(), "a message")
    await editor.until(lambda: states(editor)["transpose.ncu-rep"] == "damaged", "the state")
    (message,) = editor.messages()
    assert message.startswith("transpose.ncu-rep cannot be read: ")
    assert "stays in use" in message
    assert editor.diagnostics(uri) == before
    assert "samples" in await editor.hover(uri, 21)
    editor.watched(report, CHANGED)
    editor.watched(report, CHANGED)
    report.write_bytes(good)
    editor.watched(report, CHANGED)
    await editor.until(lambda: states(editor)["transpose.ncu-rep"] == "ready", "recovery")
    assert len(editor.messages()) == 1
    assert editor.diagnostics(uri) == before


async def test_a_report_is_deleted_while_open(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await opened(start_editor, transpose)
    report = transpose / "transpose.ncu-rep"
    good = report.read_bytes()
    report.unlink()
    editor.watched(report, DELETED)
    await editor.until(lambda: not editor.diagnostics(uri), "the findings to go")
    assert await editor.hover(uri, 21) == ""
    assert editor.messages() == []
    report.write_bytes(good)
    editor.watched(report, CREATED)
    await editor.until(lambda: editor.diagnostics(uri), "the findings to be back")


async def test_a_report_outside_the_workspace_is_watched(
    start_editor: StartEditor, transpose: Path
) -> None:
    outside = transpose.parent / "outside"
    outside.mkdir()
    report = outside / "run.ncu-rep"
    shutil.move(transpose / "transpose.ncu-rep", report)
    editor = await start_editor(transpose, settings={"reports": [str(report)]})
    uri = editor.open("transpose.cu")
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")
    report.unlink()
    await editor.until(lambda: states(editor) == {"run.ncu-rep": "missing"}, "the loss to show")
    assert "does not exist" in editor.status["message"]
    assert not editor.diagnostics(uri)


async def test_attaching_a_report(start_editor: StartEditor, transpose: Path) -> None:
    report = transpose.parent / "other.ncu-rep"
    shutil.move(transpose / "transpose.ncu-rep", report)
    editor = await start_editor(transpose)
    uri = editor.open("transpose.cu")
    attached = await editor.command("attachReport", str(report))
    assert attached["state"] == "ready"
    assert attached["kernels"] == 3
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")
    await editor.until(lambda: states(editor) == {"other.ncu-rep": "ready"}, "its state")


async def test_the_newest_report_of_a_kernel_speaks(
    start_editor: StartEditor, transpose: Path
) -> None:
    shutil.copy(transpose / "transpose.ncu-rep", transpose / "again.ncu-rep")
    editor = await start_editor(transpose)
    uri = editor.open("transpose.cu")
    await editor.ready(2)
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")
    warnings = [
        item.range.start.line + 1
        for item in editor.diagnostics(uri)
        if item.severity == types.DiagnosticSeverity.Warning
    ]
    assert sorted(warnings) == [22, 37]
    hover = await editor.hover(uri, 21)
    assert hover.count("`transpose_naive`") == 2  # the table's column and the finding


async def test_progress_is_shown_while_a_report_is_read(
    start_editor: StartEditor, transpose: Path
) -> None:
    editor, _ = await opened(start_editor, transpose)
    for reports in editor.client.progress_reports.values():
        assert isinstance(reports[0], types.WorkDoneProgressBegin)
        assert reports[0].title == "Reading transpose.ncu-rep"
        assert isinstance(reports[-1], types.WorkDoneProgressEnd)
