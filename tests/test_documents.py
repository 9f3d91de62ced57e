"""What the documents show is what the program says.

Blocks that begin with `$ gpuadvisor ...` are run in the document's folder; UPDATE_EXPECTED=1
writes what they say now.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from gpuadvisor.cli import main

DOCUMENTS = ("README.md", "samples/README.md")
BLOCK = re.compile(r"^```console\n\$ gpuadvisor ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)\)")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_shown_output_is_the_real_one(
    name: str, root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = root / name
    monkeypatch.chdir(path.parent)

    def run(block: re.Match[str]) -> str:
        assert main(shlex.split(block[1])) == 0
        return f"```console\n$ gpuadvisor {block[1]}\n{capfd.readouterr().out}```"

    text = path.read_text()
    now, count = BLOCK.subn(run, text)
    assert count
    if os.environ.get("UPDATE_EXPECTED"):
        path.write_text(now)
    assert path.read_text() == now


@pytest.mark.parametrize("name", [*DOCUMENTS, "CONTRIBUTING.md", "rules/FORMAT.md"])
def test_links_lead_somewhere(name: str, root: Path) -> None:
    path = root / name
    for target in LINK.findall(path.read_text()):
        assert (path.parent / target).exists(), target
