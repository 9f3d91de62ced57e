"""The extension in VS Code itself, seen and used through a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.vscode.codeserver import CodeServer, Driver

pytestmark = [pytest.mark.xdist_group("vscode"), pytest.mark.slow]

STORE_LINE = 22


@pytest.fixture
def run(code_server: CodeServer, driver: Driver, workspace: Path) -> Callable[..., Any]:
    """Runs a function of specs.mjs on the window with the transpose sample."""

    def run_spec(spec: str, **args: Any) -> Any:
        return driver.run(spec, code_server.url(workspace), file="transpose.cu", **args)

    return run_spec


def test_warning_is_on_the_expression_of_the_strided_store(run: Callable[..., Any]) -> None:
    found = run("squiggles", picture="squiggle")
    by_line = {entry["line"]: entry["text"] for entry in found}
    assert by_line[STORE_LINE] == "dst[x * height + y]"


def test_status_names_the_report(run: Callable[..., Any]) -> None:
    seen = run("status")
    assert "transpose.ncu-rep" in seen["text"]
    assert "3 kernels" in seen["text"]
