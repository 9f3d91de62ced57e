"""Reports that appear, change, break and go while they are in use."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp.editor import SHARED, Editor, StartEditor, sample

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
    assert editor.client.progress_reports  # the worker's own start takes long enough
    for reports in editor.client.progress_reports.values():
        assert isinstance(reports[0], types.WorkDoneProgressBegin)
        assert reports[0].title == "Reading transpose.ncu-rep"
        assert isinstance(reports[-1], types.WorkDoneProgressEnd)


async def test_kernels_without_line_information_are_found_by_name(
    start_editor: StartEditor, transpose: Path
) -> None:
    report = SHARED / "modes" / "transpose_nolineinfo.ncu-rep"
    if not report.is_file():
        pytest.skip("the report without line information is not at hand")
    shutil.copy(report, transpose / "transpose.ncu-rep")
    editor, uri = await opened(start_editor, transpose)
    found = editor.diagnostics(uri)
    assert {item.range.start.line + 1 for item in found} == {18, 26, 41}
    assert "GA001" in {item.code for item in found}
    assert types.DiagnosticSeverity.Warning not in {item.severity for item in found}
    lenses = await editor.client.text_document_code_lens_async(
        types.CodeLensParams(types.TextDocumentIdentifier(uri))
    )
    titles = [lens.command.title for lens in lenses or () if lens.command]
    assert len(titles) == 3
    assert all("no line information" in title for title in titles)
    assert await editor.hover(uri, 21) == ""


async def test_sources_edited_before_the_editor_started(
    start_editor: StartEditor, transpose: Path
) -> None:
    source = transpose / "transpose.cu"
    original = source.read_text()
    lines = original.split("\n")
    lines[21] = lines[21].replace("x * height + y", "y * width + x")
    source.write_text("\n".join(["// new first line", *lines]))
    editor, uri = await opened(start_editor, transpose)
    found = {item.range.start.line + 1: item for item in editor.diagnostics(uri)}
    assert found[23].severity == types.DiagnosticSeverity.Hint
    assert found[38].severity == types.DiagnosticSeverity.Warning
    assert editor.status["staleLines"] == 1
    assert "edited since it was profiled" in await editor.hover(uri, 22)
    # undone and saved: it is the profiled line again
    source.write_text(original)
    where = types.Range(types.Position(0, 0), types.Position(1_000, 0))
    editor.change(uri, types.TextDocumentContentChangePartial(where, original))
    editor.client.text_document_did_save(
        types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
    )
    await editor.until(lambda: editor.status["staleLines"] == 0, "no stale line")
    await editor.until(
        lambda: (
            types.DiagnosticSeverity.Hint not in {item.severity for item in editor.diagnostics(uri)}
        ),
        "no memory",
    )


async def test_triton_sources_have_findings_and_hovers(
    start_editor: StartEditor, tmp_path: Path
) -> None:
    report = SHARED.parent / "wild/AlpriElse+cs599k/silu/triton/silu-2025-04-18-v7.ncu-rep"
    if not report.is_file():
        pytest.skip("the report of a Triton kernel is not at hand")
    folder = tmp_path / "workspace"
    folder.mkdir()
    shutil.copy(report, folder)
    text = "".join(f"# line {number}\n" for number in range(1, 126))
    text += "def silu_kernel_non_strided(x):\n" + "    pass\n" * 50
    (folder / "silu-triton.py").write_text(text)
    editor = await start_editor(folder)
    uri = editor.open("silu-triton.py", language="python")
    await editor.ready()
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")
    hover = await editor.hover(uri, 152)
    assert "`silu_kernel_non_strided`" in hover
    assert "| samples |" in hover
    lenses = await editor.client.text_document_code_lens_async(
        types.CodeLensParams(types.TextDocumentIdentifier(uri))
    )
    assert [lens.range.start.line + 1 for lens in lenses or ()] == [126]
    line = editor.diagnostics(uri)[0].range.start.line
    (ignore,) = [
        item for item in await editor.actions(uri, line) if item.title.endswith("on this line")
    ]
    assert "# gpuadvisor: ignore[" in editor.apply(ignore)
