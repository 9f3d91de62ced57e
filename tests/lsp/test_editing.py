"""Text that changes under the findings: they move with it, go stale with it, and never lag."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp.editor import SHARED, Editor, StartEditor, replaced, sample

STORE = "dst[x * height + y] = src[y * width + x];"
SHARED_READ = "dst[y * height + x] = tile[threadIdx.x][threadIdx.y];"


def places(editor: Editor, uri: str) -> list[tuple[int, int, str]]:
    """(line from 1, column, code) of all warnings."""
    return sorted(
        (item.range.start.line + 1, item.range.start.character, str(item.code))
        for item in editor.diagnostics(uri)
        if item.severity == types.DiagnosticSeverity.Warning
    )


def line_of(text: str, content: str) -> int:
    """The first line (from 1) that holds a content."""
    return next(at for at, line in enumerate(text.split("\n"), 1) if content in line)


async def opened(start_editor: StartEditor, folder: Path) -> tuple[Editor, str]:
    editor = await start_editor(folder)
    uri = editor.open("transpose.cu")
    await editor.ready()
    await editor.until(lambda: len(places(editor, uri)) == 2, "two warnings")
    return editor, uri


async def test_findings_move_with_their_lines(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await opened(start_editor, transpose)
    before = places(editor, uri)
    editor.insert(uri, 0, "// one\n// two\n// three\n")
    moved = [(line + 3, column, code) for line, column, code in before]
    await editor.until(lambda: places(editor, uri) == moved, "findings three lines down")
    assert "samples" in await editor.hover(uri, 24)
    where = types.Range(types.Position(0, 0), types.Position(3, 0))
    editor.change(uri, types.TextDocumentContentChangePartial(where, ""))
    await editor.until(lambda: places(editor, uri) == before, "findings back")


async def test_findings_follow_an_indentation(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await opened(start_editor, transpose)
    ((_, column, _), _) = places(editor, uri)
    editor.replace_line(uri, 21, "                " + STORE)
    wanted = column + 8
    await editor.until(lambda: places(editor, uri)[0][1] == wanted, "eight columns more")


async def test_an_edited_line_is_a_memory(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await opened(start_editor, transpose)
    editor.replace_line(uri, 21, "        dst[y * width + x] = src[y * width + x];")
    await editor.until(lambda: len(places(editor, uri)) == 1, "one warning")
    (hint,) = [item for item in editor.diagnostics(uri) if item.range.start.line == 21]
    assert hint.severity == types.DiagnosticSeverity.Hint
    assert hint.message.startswith("Edited since it was profiled")
    hover = await editor.hover(uri, 21)
    assert "edited since it was profiled" in hover
    assert "| samples |" in hover
    editor.replace_line(uri, 21, "        " + STORE)
    await editor.until(lambda: len(places(editor, uri)) == 2, "the warning to be back")


async def test_a_deleted_line_takes_its_finding_along(
    start_editor: StartEditor, transpose: Path
) -> None:
    editor, uri = await opened(start_editor, transpose)
    where = types.Range(types.Position(21, 0), types.Position(22, 0))
    editor.change(uri, types.TextDocumentContentChangePartial(where, ""))
    await editor.until(lambda: len(places(editor, uri)) == 1, "one warning")
    assert not [item for item in editor.diagnostics(uri) if "coalesced" in item.message.lower()]


async def test_five_hundred_edits_in_a_row_leave_nothing_behind(
    start_editor: StartEditor, transpose: Path
) -> None:
    editor, uri = await opened(start_editor, transpose)
    chance = random.Random(7)
    text = editor.texts[uri]
    keep = {STORE, SHARED_READ, "__shared__", "__global__"}
    for _ in range(500):
        lines = text.split("\n")
        at = chance.randrange(len(lines))
        if chance.random() < 0.6 or any(mark in lines[at] for mark in keep):
            where = types.Range(types.Position(at, 0), types.Position(at, 0))
            new = chance.choice(["\n", "// note\n", "    int unused = 0;\n"])
        else:
            where = types.Range(types.Position(at, 0), types.Position(at, len(lines[at])))
            new = lines[at] + chance.choice([" ", " // x", ""])
        text = replaced(text, where, new)
        editor.change(uri, types.TextDocumentContentChangePartial(where, new))
    wanted = [(line_of(text, STORE), "GA101"), (line_of(text, SHARED_READ), "GA201")]

    def settled() -> bool:
        return [(line, code) for line, _, code in places(editor, uri)] == wanted

    await editor.until(settled, f"warnings at {wanted}")
    again = editor.uri("again.cu")
    assert again not in editor.client.diagnostics


async def test_windows_line_ends(start_editor: StartEditor, transpose: Path) -> None:
    path = transpose / "transpose.cu"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    editor, uri = await opened(start_editor, transpose)
    assert [line for line, _, _ in places(editor, uri)] == [22, 37]
    (first, _) = sorted(editor.diagnostics(uri), key=lambda item: item.range.start.line)[:2]
    line = editor.texts[uri].split("\r\n")[first.range.start.line]
    assert first.range.end.character <= len(line)
    actions = {item.title: item for item in await editor.actions(uri, 21)}
    text = editor.apply(actions["Ignore uncoalesced-global-access on this line"])
    assert "\r\n        // gpuadvisor: ignore[uncoalesced-global-access]\r\n" in text
    (pad,) = [i for i in await editor.actions(uri, 37) if i.title.startswith("Pad")]
    assert "tile[kTile][kTile + 1];\r\n" in editor.apply(pad)


@pytest.mark.parametrize(("encoding", "width"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
async def test_positions_count_the_clients_units(
    start_editor: StartEditor, transpose: Path, encoding: str, width: int
) -> None:
    """An expression behind a character outside the basic plane. The report holds no text, so
    that the one on disk is what is judged."""
    report = SHARED / "modes" / "transpose_full_nosource.ncu-rep"
    if not report.is_file():
        pytest.skip("the report without sources is not at hand")
    shutil.copy(report, transpose / "transpose.ncu-rep")
    source = transpose / "transpose.cu"
    plain = source.read_text()
    source.write_text(plain.replace("        dst[x * h", "        /*\U0001f680*/ dst[x * h"))
    editor = await start_editor(transpose, encodings=[encoding])
    assert editor.capabilities.position_encoding == encoding
    uri = editor.open("transpose.cu")
    await editor.until(lambda: len(places(editor, uri)) == 2, "two warnings")
    (_, column, _), _ = places(editor, uri)
    assert column == 8 + len("/*") + width + len("*/ ")
    # an edit behind the character, addressed in the same units: the line is still found
    before = types.Position(21, column)
    where = types.Range(before, before)
    editor.change(uri, types.TextDocumentContentChangePartial(where, "  "))
    await editor.until(lambda: places(editor, uri)[0][1] == column, "blanks are no edit")
    editor.change(uri, types.TextDocumentContentChangePartial(where, "x"))
    await editor.until(lambda: len(places(editor, uri)) == 1, "a letter is one")


async def test_paths_that_are_not_ascii(start_editor: StartEditor, tmp_path: Path) -> None:
    folder = tmp_path / "Größe \u8a08\u7b97 \U0001f680"
    folder.mkdir()
    for path in sample("transpose"):
        shutil.copy(path, folder)
    editor, uri = await opened(start_editor, folder)
    assert "%" in uri
    assert [line for line, _, _ in places(editor, uri)] == [22, 37]
    view = await editor.command("reportView", editor.uri("transpose.ncu-rep"))
    located = [item["location"] for item in view["findings"] if item["location"]]
    assert {Path(item["file"]).parent for item in located} == {folder}


async def test_a_file_of_fifty_thousand_lines(start_editor: StartEditor, transpose: Path) -> None:
    path = transpose / "transpose.cu"
    tail = "".join(f"// padding line {number}\nint pad{number};\n" for number in range(25_000))
    path.write_text(path.read_text() + tail)
    editor, uri = await opened(start_editor, transpose)
    for _ in range(50):
        editor.insert(uri, 0, "// before\n")
    await editor.until(
        lambda: [line for line, _, _ in places(editor, uri)] == [72, 87], "findings 50 lines down"
    )
    assert "samples" in await editor.hover(uri, 71)
    titles = [item.title for item in await editor.actions(uri, 86)]
    assert any(title.startswith("Pad the shared array") for title in titles)
