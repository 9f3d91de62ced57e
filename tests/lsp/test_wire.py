"""The bytes on the wire: hostile messages, both transports, a clean standard output."""

from __future__ import annotations

import json
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests.lsp.editor import environment

INITIALIZE: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}


def frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def message(method: str, params: Any, number: int | None = None) -> bytes:
    content: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        content["id"] = number
    return frame(json.dumps(content).encode())


def read_message(stream: IO[bytes]) -> Any:
    length = 0
    while line := stream.readline().strip():
        name, _, value = line.partition(b":")
        if name == b"Content-Length":
            length = int(value)
    return json.loads(stream.read(length)) if length else None


def answer(stream: IO[bytes], number: int) -> Any:
    """The response to a request, past whatever comes before it."""
    while (found := read_message(stream)) is not None:
        if found.get("id") == number and "method" not in found:
            return found
    pytest.fail("the server ended")


@pytest.fixture
def server() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "gpuadvisor", "lsp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    yield process
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        assert stream is not None
        stream.close()


def started(server: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(message("initialize", INITIALIZE, 1))
    server.stdin.flush()
    assert "capabilities" in answer(server.stdout, 1)["result"]
    server.stdin.write(message("initialized", {}))
    return server.stdin, server.stdout


HOSTILE = [
    b"this is no JSON",
    b"[1, 2, 3]",
    b"17",
    b'"text"',
    b"null",
    b"{}",
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "1.0", "id": 5, "method": "shutdown"}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "textDocument/hover", "params": {}}',
    b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 3}}',
    b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": null}',
    b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 99}}',
    b'{"jsonrpc": "2.0", "method": "no/such", "params": {"a": {"jsonrpc": "2.0"}}}',
    b'{"jsonrpc": "2.0", "id": 77, "result": {"unasked": true}}',
    b'{"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "unasked"}}',
    b"\xff\xfe\x00",
    b"[" * 100_000,
]


def test_hostile_messages_do_not_end_the_server(server: subprocess.Popen[bytes]) -> None:
    requests, answers = started(server)
    for number, body in enumerate(HOSTILE, 1000):
        requests.write(frame(body))
        requests.write(message("gpuadvisor/unknown", {}, number))
        requests.flush()
        assert answer(answers, number)["error"]["code"] == -32601
    requests.write(message("workspace/executeCommand", {"command": "gpuadvisor.debugInfo"}, 2))
    requests.flush()
    assert "text" in answer(answers, 2)["result"]


def test_a_request_with_wrong_parameters_gets_an_error(server: subprocess.Popen[bytes]) -> None:
    requests, answers = started(server)
    requests.write(message("textDocument/hover", {"textDocument": 3}, 4))
    requests.flush()
    assert answer(answers, 4)["error"]["code"] in (-32602, -32603)


def test_shutdown_and_exit_end_the_process(server: subprocess.Popen[bytes]) -> None:
    requests, answers = started(server)
    requests.write(message("shutdown", None, 9))
    requests.flush()
    assert answer(answers, 9)["result"] is None
    requests.write(message("exit", None))
    requests.flush()
    assert server.wait(10) == 0


def test_the_end_of_the_input_ends_the_process(server: subprocess.Popen[bytes]) -> None:
    requests, _ = started(server)
    requests.close()
    assert server.wait(10) is not None


def test_tcp(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "gpuadvisor", "lsp", "--tcp", f"127.0.0.1:{port}"],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=environment(),
    )
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", port), 5)
                break
            except ConnectionRefusedError:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        with connection, connection.makefile("rb") as answers:
            connection.sendall(message("initialize", INITIALIZE, 1))
            assert "capabilities" in answer(answers, 1)["result"]
            connection.sendall(message("shutdown", None, 2))
            answer(answers, 2)
            connection.sendall(message("exit", None))
        assert process.wait(10) is not None
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:notaport"])
def test_a_wrong_address_is_wrong_usage(address: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gpuadvisor", "lsp", "--tcp", address],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=30,
    )
    assert done.returncode == 2
    assert address in done.stderr


def test_what_is_printed_does_not_reach_the_protocol(tmp_path: Path) -> None:
    """A stray print in the server goes to stderr."""
    program = tmp_path / "noisy.py"
    program.write_text(
        "import argparse\n"
        "from gpuadvisor.lsp import server\n"
        "old = server.Server.tell_features\n"
        "def loud(self, *args):\n"
        "    print('a stray print', flush=True)\n"
        "    old(self, *args)\n"
        "server.Server.tell_features = loud\n"
        "server.main(argparse.Namespace(tcp=None, log_level='error'))\n"
    )
    process = subprocess.Popen(
        [sys.executable, str(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    requests, answers = started(process)
    requests.write(message("shutdown", None, 2))
    requests.flush()
    assert answer(answers, 2)["result"] is None
    requests.write(message("exit", None))
    requests.close()
    assert process.stderr is not None
    assert b"a stray print" in process.stderr.read()
    process.wait(10)
    answers.close()
    process.stderr.close()


def drained(stream: IO[bytes]) -> bool:
    """Whether nothing waits to be read."""
    return not select.select([stream], [], [], 0.2)[0]


def test_nothing_is_said_before_it_is_asked(server: subprocess.Popen[bytes]) -> None:
    assert server.stdout is not None
    assert drained(server.stdout)


def test_nothing_heavy_is_imported_before_the_first_answer() -> None:
    heavy = ("numpy", "pandas", "tree_sitter", "yaml", "jsonschema", "google.protobuf", "rich")
    program = (
        "import sys, gpuadvisor.cli, gpuadvisor.cli.run, gpuadvisor.cli.lsp\n"
        "from gpuadvisor.lsp.server import Server\n"
        "Server()\n"
        f"print([name for name in {heavy!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "[]"
