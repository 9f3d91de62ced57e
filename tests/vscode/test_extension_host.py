"""The tests of host/index.js, which run inside VS Code's extension host, one by one."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.vscode.codeserver import EXTENSION, HERE, CodeServer, Driver

pytestmark = [pytest.mark.xdist_group("vscode"), pytest.mark.slow]

HOST_TESTS = HERE / "host"
NAMES = re.findall(r'^test\("([^"]+)"', (HOST_TESTS / "index.js").read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def results(
    code_server: CodeServer,
    driver: Driver,
    workspace: Path,
    host_result: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Mapping[str, str]:
    """Name of each test to its error, empty where there was none."""
    folder = tmp_path_factory.mktemp("host-work") / "transpose"
    shutil.copytree(workspace, folder)
    payload = [
        ["extensionDevelopmentPath", code_server.remote(EXTENSION)],
        ["extensionTestsPath", code_server.remote(HOST_TESTS / "index.js")],
    ]
    url = code_server.url(folder, payload=json.dumps(payload))
    driver.run("hostTests", url, result=str(host_result), seconds=150)
    found = json.loads(host_result.read_text())["results"]
    return {entry["name"]: entry["error"] for entry in found}


@pytest.mark.parametrize("name", NAMES)
def test_in_extension_host(results: Mapping[str, str], name: str) -> None:
    assert results[name] == ""
