"""The package of the extension, and the tests of its parts that need no VS Code."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.vscode.codeserver import EXTENSION, Tools

pytestmark = [pytest.mark.xdist_group("vscode"), pytest.mark.slow]


def test_parts_without_vscode(tools: Tools) -> None:
    done = subprocess.run(
        ["npm", "test"], cwd=EXTENSION, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_package_holds_what_is_needed_and_nothing_else(vsix: Path) -> None:
    with zipfile.ZipFile(vsix) as package:
        names = {name.removeprefix("extension/") for name in package.namelist()}
        manifest = json.loads(package.read("extension/package.json"))
    assert {"dist/extension.js", "dist/report.js", "dist/report.css", "LICENSE.txt"} <= names
    assert manifest["icon"] in names
    for step in manifest["contributes"]["walkthroughs"][0]["steps"]:
        media = step["media"]
        assert (media.get("markdown") or media.get("image")) in names
    strays = [
        name
        for name in names
        if "node_modules" in name or name.endswith((".ts", ".map", ".mjs", "lock.json"))
    ]
    assert strays == []
    assert vsix.stat().st_size < 2_000_000


def test_settings_are_those_of_the_server() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text())
    schema = json.loads((EXTENSION.parent / "gpuadvisor/lsp/settings.schema.json").read_text())
    assert manifest["contributes"]["configuration"]["properties"] == schema["properties"]


def test_lock_file_names_no_host() -> None:
    packages = json.loads((EXTENSION / "package-lock.json").read_text())["packages"]
    assert not [name for name, entry in packages.items() if "resolved" in entry]
    assert all("integrity" in entry for name, entry in packages.items() if name)
