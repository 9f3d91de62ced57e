"""code-server and the browser that looks at it, started and stopped for the tests."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "vscode-extension"
HERE = Path(__file__).parent

SETTINGS: Mapping[str, Any] = {
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "workbench.welcomePage.walkthroughs.openOnInstall": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.colorTheme": "Default Dark Modern",
    "workbench.editor.enablePreview": False,
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "extensions.autoUpdate": False,
    "extensions.autoCheckUpdates": False,
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "editor.hover.delay": 100,
    "editor.hover.above": False,
    "editor.minimap.enabled": False,
    "chat.disableAIFeatures": True,
    "chat.commandCenter.enabled": False,
}


@dataclass(frozen=True)
class Tools:
    """Programs the tests need, and the folder that install-code-server.sh filled."""

    node: str
    chromium: str
    install: Path

    @property
    def entry(self) -> Path:
        return self.install / "node_modules/code-server/out/node/entry.js"

    @property
    def playwright(self) -> Path:
        return self.install / "node_modules/playwright-core"


def find_tools() -> Tools | str:
    """The tools, or one line that says what is missing and how to get it."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return "the tests in VS Code need node 20 and npm"
    chromium = shutil.which("chromium")
    if chromium is None:
        return "the tests in VS Code need chromium (tests/vscode/install.sh)"
    install = Path(os.environ.get("GPUADVISOR_CODE_SERVER", ROOT / "build/code-server"))
    tools = Tools(node, chromium, install)
    if not (install / "installed").is_file():
        return "the tests in VS Code need code-server (tests/vscode/install.sh)"
    if not (EXTENSION / "node_modules").is_dir():
        return "the tests in VS Code need the extension's packages (tests/vscode/install.sh)"
    return tools


class CodeServer:
    """A running code-server with extensions installed, of its own process group."""

    def __init__(
        self, tools: Tools, folder: Path, packages: Sequence[Path], env: Mapping[str, str]
    ) -> None:
        user = folder / "user"
        (user / "User").mkdir(parents=True)
        (user / "User/settings.json").write_text(json.dumps(SETTINGS))
        self.port = _free_port()
        config = folder / "config.yaml"
        config.write_text(f"bind-addr: 127.0.0.1:{self.port}\nauth: none\ncert: false\n")
        command = [
            tools.node,
            str(tools.entry),
            *("--config", str(config)),
            *("--user-data-dir", str(user)),
            *("--extensions-dir", str(folder / "extensions")),
        ]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("VSCODE_")}
        environment.update(env)
        subprocess.run(
            [*command, *(f"--install-extension={package}" for package in packages), "--force"],
            env=environment,
            check=True,
            capture_output=True,
            timeout=120,
        )
        quiet = (
            "--disable-telemetry",
            "--disable-update-check",
            "--disable-workspace-trust",
            "--disable-getting-started-override",
        )
        self._log = (folder / "log").open("wb")
        self._process = subprocess.Popen(
            [*command, *quiet],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._wait()

    def url(self, folder: Path, **query: str) -> str:
        """The address that shows a folder."""
        return f"http://127.0.0.1:{self.port}/?" + urllib.parse.urlencode(
            {"folder": str(folder), **query}
        )

    def remote(self, path: Path) -> str:
        """A path of this machine as the browser names it."""
        return f"vscode-remote://127.0.0.1:{self.port}{path}"

    def stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(10)
        self._log.close()

    def _wait(self) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        self.stop()
        raise RuntimeError("code-server did not come up within a minute")


class Driver:
    """Runs the functions of driver/specs.mjs in one browser."""

    def __init__(self, tools: Tools, folder: Path, pictures: Path, failures: Path) -> None:
        self._errors = (folder / "stderr").open("wb")
        self._process = subprocess.Popen(
            [
                tools.node,
                str(HERE / "driver/main.mjs"),
                str(tools.playwright),
                tools.chromium,
                str(folder / "profile"),
                str(pictures),
                str(failures),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            start_new_session=True,
        )

    def run(self, spec: str, url: str, **args: Any) -> Any:
        """The result of one function on the window of that address; fails the test on its error."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"spec": spec, "url": url, "args": args}) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        assert line, f"the browser's driver ended with {process.poll()}"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def stop(self) -> None:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)
        process.stdout.close()
        self._errors.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
