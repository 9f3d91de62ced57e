"""Every measured pair of fault and line shows as a diagnostic on that line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.lsp.editor import SHARED, StartEditor

EXPECTED = SHARED / "expected.json"
RULE_SEVERITIES = (types.DiagnosticSeverity.Warning, types.DiagnosticSeverity.Information)


def cases() -> dict[str, list[dict[str, Any]]]:
    """The expectations by report, for reports whose source is at hand."""
    if not EXPECTED.is_file():
        return {}
    reports = json.loads(EXPECTED.read_text())["reports"]
    return {name: kernels for name, kernels in reports.items() if name.startswith("samples/")}


@pytest.mark.parametrize("report", sorted(cases()) or [pytest.param("", marks=pytest.mark.skip)])
async def test_faults_show_on_their_lines(
    start_editor: StartEditor, tmp_path: Path, report: str
) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    source = (SHARED / report).with_suffix(".cu")
    shutil.copy(SHARED / report, folder)
    shutil.copy(source, folder)
    editor = await start_editor(folder)
    uri = editor.open(source.name)
    await editor.ready()
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")
    shown = [
        (item.data["rule"], item.range.start.line + 1, item.range.end.line + 1)
        for item in editor.diagnostics(uri)
        if item.severity in RULE_SEVERITIES and isinstance(item.data, dict)
    ]
    missing = []
    for kernel in cases()[report]:
        for want in kernel["expect"]:
            lines = want["lines"]
            hit = any(
                rule in want["any_of"]
                and (
                    lines is None
                    or any(name == source.name and first <= line <= last for name, line in lines)
                )
                for rule, first, last in shown
            )
            if not hit:
                missing.append((kernel["kernel"], want))
    assert not missing, shown
