"""A real VS Code for the tests: code-server with the packaged extension, and Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vscode.codeserver import EXTENSION, HERE, ROOT, CodeServer, Driver, Tools, find_tools

SAMPLES = ROOT / "samples"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without the programs one test stands for all: it says in one line what is missing."""
    if isinstance(find_tools(), Tools):
        return
    here = [item for item in items if HERE in item.path.parents]
    others = [item for item in here if "tools" in getattr(item, "fixturenames", ())][1:]
    if others:
        config.hook.pytest_deselected(items=others)
        dropped = set(others)
        items[:] = [item for item in items if item not in dropped]


@pytest.fixture(scope="session")
def tools() -> Tools:
    """The programs; without them the tests are skipped, and on CI they fail."""
    found = find_tools()
    if isinstance(found, Tools):
        return found
    if os.environ.get("CI") == "true":
        pytest.fail(found)
    pytest.skip(found)


@pytest.fixture(scope="session")
def vsix(tools: Tools) -> Path:
    """The extension, packaged as a user would get it."""
    made = subprocess.run(
        ["npm", "run", "package"], cwd=EXTENSION, capture_output=True, text=True, timeout=300
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return EXTENSION / "gpuadvisor.vsix"


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where screenshots go. The README's are made with
    `GPUADVISOR_PICTURES=vscode-extension/images pytest tests/vscode -k pictured`."""
    wanted = os.environ.get("GPUADVISOR_PICTURES")
    return ROOT / wanted if wanted else tmp_path_factory.mktemp("pictures")


@pytest.fixture(scope="session")
def host_result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that the tests in the extension host write."""
    return tmp_path_factory.mktemp("host") / "result.json"


@pytest.fixture(scope="session")
def code_server(
    tools: Tools, vsix: Path, host_result: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CodeServer]:
    folder = tmp_path_factory.mktemp("code-server")
    python = python_extension(folder / "python.vsix")
    environment = {
        "PYTHONPATH": str(ROOT),
        "GPUADVISOR_HOST_RESULT": str(host_result),
        "GPUADVISOR_TEST_PYTHON": sys.executable,
    }
    server = CodeServer(tools, folder, (python, vsix), environment)
    yield server
    server.stop()


def python_extension(vsix: Path) -> Path:
    """Packages the stand-in for the Python extension, which says what interpreter is chosen."""
    source = HERE / "python-extension"
    manifest = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata><Identity Language="en-US" Id="python" Version="1.0.0" Publisher="ms-python"/>
<DisplayName>python</DisplayName></Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
</PackageManifest>"""
    with zipfile.ZipFile(vsix, "w") as package:
        package.writestr("extension.vsixmanifest", manifest)
        for file in sorted(source.iterdir()):
            package.write(file, f"extension/{file.name}")
    return vsix


@pytest.fixture(scope="session")
def driver(
    tools: Tools, pictures: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Driver]:
    failures = ROOT / "build/failed-in-vscode"
    failures.mkdir(parents=True, exist_ok=True)
    running = Driver(tools, tmp_path_factory.mktemp("browser"), pictures, failures)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The transpose sample beside its report, in a folder of its own."""
    return copy_of(tmp_path_factory, "transpose", "transpose")


@pytest.fixture(scope="session")
def particles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The particles sample beside its report."""
    return copy_of(tmp_path_factory, "particles", "particles")


@pytest.fixture(scope="session")
def odd_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report that is none and one that lacks its second half."""
    folder = tmp_path_factory.mktemp("work") / "odd"
    folder.mkdir()
    shutil.copy(SAMPLES / "transpose/transpose.cu", folder)
    (folder / "junk.ncu-rep").write_bytes(b"NVR\0" + bytes(range(256)))
    whole = (SAMPLES / "transpose/transpose.ncu-rep").read_bytes()
    (folder / "cut.ncu-rep").write_bytes(whole[: len(whole) // 2])
    return folder


def copy_of(factory: pytest.TempPathFactory, name: str, sample: str) -> Path:
    """A new folder with a sample's source and report."""
    folder = factory.mktemp("work") / name
    folder.mkdir()
    for file in (f"{sample}.cu", f"{sample}.ncu-rep"):
        shutil.copy(SAMPLES / sample / file, folder)
    return folder
