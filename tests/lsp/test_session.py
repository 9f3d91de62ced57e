"""A session as VS Code has it: initialize, open, change, save, hover, actions, lens, shutdown."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from tests.lsp.editor import Editor, StartEditor

WARNING = types.DiagnosticSeverity.Warning


def warnings(editor: Editor, uri: str) -> dict[int, types.Diagnostic]:
    """The warnings of a document by line from 1."""
    return {
        item.range.start.line + 1: item
        for item in editor.diagnostics(uri)
        if item.severity == WARNING
    }


async def opened(start_editor: StartEditor, folder: Path) -> tuple[Editor, str]:
    editor = await start_editor(folder)
    uri = editor.open("transpose.cu")
    await editor.ready()
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")
    return editor, uri


async def test_findings_stand_on_their_expressions(
    start_editor: StartEditor, transpose: Path
) -> None:
    editor, uri = await opened(start_editor, transpose)
    found = warnings(editor, uri)
    assert set(found) == {22, 37}  # and so none in the padded kernel
    store = found[22]
    assert store.code == "GA101"
    assert store.source == "gpuadvisor"
    assert store.code_description is not None
    assert store.code_description.href.endswith("rules/README.md#ga101")
    line = editor.texts[uri].splitlines()[21]
    covered = line[store.range.start.character : store.range.end.character]
    assert covered.startswith("dst[x * height + y]")
    assert len(covered) < len(line.strip())
    assert store.range.end.line == 21
    assert found[37].code == "GA201"
    related = found[37].related_information or []
    assert all(item.location.uri == uri for item in related)


async def test_hover_tells_what_was_measured(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await opened(start_editor, transpose)
    store = await editor.hover(uri, 21)
    assert "transpose_naive" in store
    assert "| samples |" in store
    assert "share of the kernel" in store
    assert "stall: " in store
    assert "L2 sectors" in store
    assert "x** ideal" in store
    assert "**Why**" in store
    assert "**Fix**" in store
    brace = await editor.hover(uri, 23, 4)
    assert "samples here are not this line's own" in brace
    assert "wait for the stores of line 22" in brace
    assert "`dst[x * height + y] = src[y * width + x];`" in brace
    assert "but show on line 24" in store
    assert await editor.hover(uri, 2) == ""


async def test_a_fix_is_offered_applied_and_ends_the_finding(
    start_editor: StartEditor, transpose: Path
) -> None:
    editor, uri = await opened(start_editor, transpose)
    actions = await editor.actions(uri, 36)
    titles = [item.title for item in actions]
    (pad,) = [item for item in actions if item.title.startswith("Pad the shared array")]
    assert "unsafe" in pad.title
    assert pad.kind == types.CodeActionKind.QuickFix
    assert pad.diagnostics
    assert "Explain rule shared-bank-conflict" in titles
    assert "Hide profile data" in titles
    text = editor.apply(pad)
    assert text.splitlines()[26].strip() == "__shared__ float tile[kTile][kTile + 1];"
    await editor.until(lambda: 37 not in warnings(editor, uri), "the warning to go")
    stale = [item for item in editor.diagnostics(uri) if item.range.start.line == 36]
    assert all(item.severity == types.DiagnosticSeverity.Hint for item in stale)
    assert all("Edited since" in item.message for item in stale)
    assert 22 in warnings(editor, uri)
    remaining = await editor.actions(uri, 36)
    assert not [item for item in remaining if item.title.startswith("Pad")]


async def test_a_comment_silences_a_line(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await opened(start_editor, transpose)
    actions = {item.title: item for item in await editor.actions(uri, 21)}
    text = editor.apply(actions["Ignore uncoalesced-global-access on this line"])
    assert text.splitlines()[21].strip() == "// gpuadvisor: ignore[uncoalesced-global-access]"
    assert text.splitlines()[21].startswith("        //")
    await editor.until(lambda: set(warnings(editor, uri)) == {38}, "line 22 to fall silent")


async def test_a_comment_silences_a_file(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await opened(start_editor, transpose)
    actions = {item.title: item for item in await editor.actions(uri, 36)}
    editor.apply(actions["Ignore shared-bank-conflict in this file"])
    await editor.until(lambda: set(warnings(editor, uri)) == {23}, "line 37 to fall silent")


async def test_a_wrong_comment_is_said_to_be_wrong(
    start_editor: StartEditor, transpose: Path
) -> None:
    editor, uri = await opened(start_editor, transpose)
    editor.insert(uri, 21, "        // gpuadvisor: ignore[]\n")

    def told() -> bool:
        return any("silences nothing" in item.message for item in editor.diagnostics(uri))

    await editor.until(told, "a word on the comment")
    assert 23 in warnings(editor, uri)


async def test_lenses_stand_above_their_kernels(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await opened(start_editor, transpose)
    lenses = await editor.client.text_document_code_lens_async(
        types.CodeLensParams(types.TextDocumentIdentifier(uri))
    )
    by_line = {lens.range.start.line + 1: lens.command for lens in lenses or ()}
    assert set(by_line) == {18, 26, 41}
    naive = by_line[18]
    assert naive is not None
    assert " us" in naive.title
    assert "bound" in naive.title
    assert "line 22" in naive.title
    assert naive.command == "gpuadvisor.explainKernel"
    page = await editor.command("explainKernel", *(naive.arguments or ()))
    assert "transpose_naive" in page["markdown"]
    assert "GA101" in page["markdown"]
    assert "GA201" not in page["markdown"]


async def test_rules_are_explained(start_editor: StartEditor, transpose: Path) -> None:
    editor = await start_editor(transpose)
    by_name = await editor.command("explainRule", "shared-bank-conflict")
    assert by_name["markdown"].startswith("# GA201 shared-bank-conflict")
    assert "## What to do" in by_name["markdown"]
    assert (await editor.command("explainRule", "GA201"))["markdown"] == by_name["markdown"]
    assert await editor.command("explainRule", "no-such-rule") is None


async def test_heat_and_hotspots(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await opened(start_editor, transpose)
    heat = {item["line"]: item for item in await editor.command("heat", uri)}
    assert heat[24]["step"] == 5
    assert heat[24]["local_share"] > 50
    assert all(1 <= item["step"] <= 5 for item in heat.values())
    first = await editor.command("nextHotspot", {"uri": uri, "line": 1})
    assert first["uri"] == uri
    seen = [first["line"]]
    while (
        step := (await editor.command("nextHotspot", {"uri": uri, "line": seen[-1]}))["line"]
    ) not in seen:
        seen.append(step)
    assert 24 in seen
    assert seen == sorted(seen)
    back = await editor.command("previousHotspot", {"uri": uri, "line": seen[0]})
    assert back["line"] == seen[-1]


async def test_profile_data_can_be_hidden(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await opened(start_editor, transpose)
    assert (await editor.command("toggleProfileData"))["show"] is False
    assert "| samples |" not in await editor.hover(uri, 21)
    assert "**Fix**" in await editor.hover(uri, 21)
    assert await editor.command("heat", uri) == []
    lenses = await editor.client.text_document_code_lens_async(
        types.CodeLensParams(types.TextDocumentIdentifier(uri))
    )
    assert not lenses
    assert "Show profile data" in [item.title for item in await editor.actions(uri, 21)]
    assert (await editor.command("toggleProfileData"))["show"] is True
    assert "| samples |" in await editor.hover(uri, 21)


async def test_inlay_hints_are_off_until_asked_for(
    start_editor: StartEditor, transpose: Path
) -> None:
    editor, uri = await opened(start_editor, transpose)
    params = types.InlayHintParams(
        types.TextDocumentIdentifier(uri),
        types.Range(types.Position(0, 0), types.Position(100, 0)),
    )
    assert not await editor.client.text_document_inlay_hint_async(params)
    editor.configure(inlayHints={"enabled": True})
    hints: list[types.InlayHint] = []
    for _ in range(100):
        hints = list(await editor.client.text_document_inlay_hint_async(params) or ())
        if hints:
            break
    assert 24 in {hint.position.line + 1 for hint in hints}
    assert all(str(hint.label).endswith(" %") for hint in hints)


async def test_paths_of_reports_are_links(start_editor: StartEditor, transpose: Path) -> None:
    editor = await start_editor(transpose)
    text = "// report: transpose.ncu-rep, not gone.ncu-rep\nint x; // é ./transpose.ncu-rep\n"
    uri = editor.open("linked.cu", text)
    links = await editor.client.text_document_document_link_async(
        types.DocumentLinkParams(types.TextDocumentIdentifier(uri))
    )
    found = [
        (link.range.start.line, link.range.start.character, link.range.end.character)
        for link in links or ()
    ]
    assert found == [(0, 11, 28), (1, 12, 31)]
    assert {link.target for link in links or ()} == {editor.uri("transpose.ncu-rep")}


async def test_the_report_view_holds_the_whole_report(
    start_editor: StartEditor, transpose: Path
) -> None:
    editor, _ = await opened(start_editor, transpose)
    view = await editor.command("reportView", str(transpose / "transpose.ncu-rep"))
    assert view["schema"] == "gpuadvisor/findings/1"
    assert [kernel["name"] for kernel in view["kernels"]] == [
        "transpose_naive",
        "transpose_tiled",
        "transpose_padded",
    ]
    assert view["lines"]
    assert all(item["why"] for item in view["findings"] if item["severity"] == "warning")


async def test_debug_information_names_versions_reports_and_settings(
    start_editor: StartEditor, transpose: Path
) -> None:
    editor, uri = await opened(start_editor, transpose)
    text = (await editor.command("debugInfo"))["text"]
    assert "gpuadvisor " in text
    assert "pygls " in text
    assert f"{transpose / 'transpose.ncu-rep'}: ready" in text
    assert f"{uri}: " in text
    assert "setting heat_scope: 'kernel'" in text


async def test_status_counts_lines(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await opened(start_editor, transpose)
    status = editor.status
    assert [Path(item["path"]).name for item in status["reports"]] == ["transpose.ncu-rep"]
    assert status["kernels"] == 3
    assert status["linesTotal"] >= 10
    assert status["linesMatched"] == status["linesTotal"]
    assert status["staleLines"] == 0
    editor.replace_line(uri, 21, "        dst[y * width + x] = src[y * width + x];")
    await editor.until(lambda: editor.status["staleLines"] == 1, "a stale line")
    assert editor.status["linesMatched"] == editor.status["linesTotal"] - 1


async def test_closing_takes_the_diagnostics_away(
    start_editor: StartEditor, transpose: Path
) -> None:
    editor, uri = await opened(start_editor, transpose)
    editor.close(uri)
    await editor.until(lambda: not editor.diagnostics(uri), "no diagnostics")
    again = editor.open("transpose.cu")
    await editor.until(lambda: set(warnings(editor, again)) == {22, 37}, "them to be back")


async def test_no_report_means_silence(start_editor: StartEditor, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "a.cu").write_text("__global__ void k(float* x) { x[threadIdx.x] = 1; }\n")
    editor = await start_editor(folder)
    uri = editor.open("a.cu")
    assert await editor.hover(uri, 0) == ""
    assert await editor.actions(uri, 0) == []
    assert await editor.command("heat", uri) == []
    assert await editor.command("nextHotspot", {"uri": uri, "line": 1}) is None
    editor.insert(uri, 0, "// a line\n")
    assert await editor.hover(uri, 1) == ""
    assert editor.client.diagnostics == {}
    assert editor.messages() == []
    assert editor.statuses == []
    assert editor.client.progress_reports == {}
