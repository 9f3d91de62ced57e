"""The wheel works somewhere else: built, installed into an environment of its own, and run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from email import message_from_bytes
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*command, str(root)], check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `gpuadvisor` command of an environment that holds the wheel. The dependencies are those
    of this environment, put behind by a path, so that nothing is fetched; an editable install of
    gpuadvisor here stays invisible, since .pth files on such a path are not read."""
    folder = tmp_path_factory.mktemp("elsewhere")
    venv.create(folder / "env", with_pip=False, symlinks=True)
    (site,) = (folder / "env").glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(
        "\n".join(path for path in sys.path if path.endswith("site-packages"))
    )
    python = folder / "env/bin/python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "-q"]
    subprocess.run([*pip, "--no-index", "--disable-pip-version-check", str(wheel)], check=True)
    return folder / "env/bin/gpuadvisor"


def run(command: Path, *args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    variables = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(
        [command, *args], cwd=cwd, env=variables, capture_output=True, text=True, timeout=120
    )


def test_explain_works_elsewhere(installed: Path, samples: Path, tmp_path: Path) -> None:
    report = str(samples / "transpose/transpose.ncu-rep")
    done = run(installed, "explain", report, "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert [k["name"] for k in document["kernels"]] == [
        "transpose_naive",
        "transpose_tiled",
        "transpose_padded",
    ]
    assert "uncoalesced-global-access" in {f["rule"] for f in document["findings"]}


def test_it_is_the_wheel_that_ran(installed: Path, root: Path, tmp_path: Path) -> None:
    code = "import gpuadvisor; print(gpuadvisor.__file__)"
    python = installed.parent / "python"
    shown = subprocess.run([python, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert Path(shown.stdout.strip()).is_relative_to(installed.parents[1])


def test_the_rules_came_along(installed: Path, root: Path, wheel: Path, tmp_path: Path) -> None:
    packed = {
        name.removeprefix("gpuadvisor/_rules/")
        for name in zipfile.ZipFile(wheel).namelist()
        if name.startswith("gpuadvisor/_rules/")
    }
    here = {str(path.relative_to(root / "rules")) for path in (root / "rules").rglob("*.*")}
    assert packed == here
    assert run(installed, "rules", "list", cwd=tmp_path).returncode == 0


def test_the_wheel_holds_data_and_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("gpuadvisor/py.typed", "gpuadvisor/render/findings.schema.json"):
        assert needed in names
    assert any(name.endswith("/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "samples/"))]


def test_every_dependency_is_locked_and_fits(wheel: Path, root: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (meta,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
    needs = message_from_bytes(archive.read(meta)).get_all("Requires-Dist") or []
    assert needs
    locked = (root / "requirements.lock").read_text().lower()
    for need in map(Requirement, needs):
        if need.marker is None or need.marker.evaluate():
            assert metadata.version(need.name) in need.specifier
            assert f"{need.name.lower()}=={metadata.version(need.name)}" in locked
