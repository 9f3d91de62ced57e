"""What the editor's user waits for: the start, the first diagnostics, a hover, many edits."""

from __future__ import annotations

import asyncio
import json
import lzma
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp.editor import SHARED, Editor, StartEditor, environment, start_editor, transpose

__all__ = ["start_editor", "transpose"]

pytestmark = pytest.mark.bench

INITIALIZE_MS, DIAGNOSTICS_MS, HOVER_MS = 400, 50, 10
STARTS = 11
PLAIN = """\
from lsprotocol import types
from pygls.lsp.server import LanguageServer
server = LanguageServer("plain", "1")
@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(params):
    return None
server.start_io()
"""


def initialize_ms(command: Sequence[str]) -> tuple[float, float]:
    """(time, processor time) from starting the process to its answer to `initialize`."""
    params: dict[str, object] = {
        "processId": os.getpid(),
        "rootUri": None,
        "capabilities": {"workspace": {}},
    }
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    with subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body.encode()))
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"Content-Length")
        spent = time.perf_counter() - started
        process.kill()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent * 1e3, used * 1e3


def test_initialize(tmp_path: Path) -> None:
    plain = tmp_path / "plain.py"
    plain.write_text(PLAIN)
    ours, theirs = [], []
    for _ in range(STARTS):  # in turns, so that a busy machine is busy for both
        ours.append(initialize_ms((sys.executable, "-m", "gpuadvisor", "lsp")))
        theirs.append(initialize_ms((sys.executable, str(plain))))
    (our, our_used), (their, their_used) = (
        [statistics.median(column) for column in zip(*rows, strict=True)] for rows in (ours, theirs)
    )
    print(
        f"\ninitialize: {our:.0f} ms ({our_used:.0f} ms of processor time); "
        f"a bare pygls server {their:.0f} ms ({their_used:.0f} ms)"
    )
    # On a machine that is busy with other things, the processor's time is what can be compared.
    assert our < INITIALIZE_MS or our_used < max(INITIALIZE_MS, 1.25 * their_used)


async def milliseconds(act: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await act()
    return (time.perf_counter() - started) * 1e3


def report(what: str, times: Sequence[float], budget: float) -> None:
    ordered = sorted(times)
    late = ordered[int(len(ordered) * 0.95)]
    print(
        f"\n{what}: {statistics.median(times):.1f} ms, 95 % under {late:.1f} ms (budget {budget})"
    )
    assert statistics.median(times) < budget


async def ready(start_editor: StartEditor, folder: Path) -> tuple[Editor, str]:
    editor = await start_editor(folder)
    uri = editor.open("transpose.cu")
    await editor.ready()
    await editor.until(lambda: editor.diagnostics(uri), "diagnostics")
    return editor, uri


async def test_open_to_diagnostics(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await ready(start_editor, transpose)
    times = []
    for _ in range(30):
        editor.close(uri)
        await editor.until(lambda: not editor.diagnostics(uri), "none")

        async def reopen() -> None:
            editor.open("transpose.cu")
            while not editor.diagnostics(uri):
                await asyncio.sleep(0)

        times.append(await milliseconds(reopen))
    report("open to diagnostics", times, DIAGNOSTICS_MS)


async def test_hover(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await ready(start_editor, transpose)
    chance = random.Random(1)
    times = [
        await milliseconds(lambda: editor.hover(uri, chance.randrange(70))) for _ in range(300)
    ]
    report("hover", times, HOVER_MS)


async def test_hover_in_a_long_file_being_edited(
    start_editor: StartEditor, transpose: Path
) -> None:
    path = transpose / "transpose.cu"
    path.write_text(path.read_text() + "".join(f"int pad{at};\n" for at in range(50_000)))
    editor, uri = await ready(start_editor, transpose)
    times = []
    for at in range(50):
        editor.insert(uri, 30_000 + at, "// edited\n")
        times.append(await milliseconds(lambda: editor.hover(uri, 21)))
    report("hover after an edit in 50,000 lines", times, 10 * HOVER_MS)


def resident_mb(editor: Editor) -> float:
    server = editor.client._server
    assert server is not None
    status = Path(f"/proc/{server.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_memory_stays_flat_under_edits(start_editor: StartEditor, transpose: Path) -> None:
    editor, uri = await ready(start_editor, transpose)
    chance = random.Random(3)

    async def edits(count: int) -> None:
        for _ in range(count):
            line = chance.randrange(60)
            editor.insert(uri, line, "// edited\n")
            where = types.Range(types.Position(line, 0), types.Position(line + 1, 0))
            editor.change(uri, types.TextDocumentContentChangePartial(where, ""))
        await editor.hover(uri, 21)

    for _ in range(8):  # until the allocator has what the bursts of messages need
        await edits(250)
    first = resident_mb(editor)
    spent = await milliseconds(lambda: edits(250))
    for _ in range(16):
        await edits(250)
    last = resident_mb(editor)
    print(f"\n500 edits: {spent:.0f} ms; server {first:.1f} MB, {last:.1f} MB after 8,000 more")
    assert last - first < 8  # one kilobyte kept for each edit would show


async def test_a_report_of_159_mb(start_editor: StartEditor, tmp_path: Path) -> None:
    packed = SHARED / "scale" / "big160.ncu-rep.xz"
    if not packed.is_file():
        pytest.skip("the large report is not at hand")
    folder = tmp_path / "workspace"
    folder.mkdir()
    with lzma.open(packed) as source, (folder / "big.ncu-rep").open("wb") as target:
        shutil.copyfileobj(source, target, 1 << 22)
    (folder / "a.cu").write_text("int x;\n")
    started = time.perf_counter()
    editor = await start_editor(folder)
    uri = editor.open("a.cu")
    during = []
    while not [item for item in editor.status.get("reports", ()) if item["state"] == "ready"]:
        during.append(await milliseconds(lambda: editor.hover(uri, 0)))
        await asyncio.sleep(0.01)
        assert time.perf_counter() - started < 120
    spent = time.perf_counter() - started
    print(f"\n159 MB: {spent:.1f} s from start to ready, server {resident_mb(editor):.0f} MB")
    assert editor.status["kernels"] > 0
    report("hover meanwhile", during, HOVER_MS)
