"""The language server: transport, features and their life; what they do is in `features/`."""

from __future__ import annotations

import gc
import inspect
import logging
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO

# The protocol's classes are made while they are imported, hundreds of them: collecting garbage
# meanwhile finds none and costs a fifth of the time to the first answer.
gc.disable()
from lsprotocol import types  # noqa: E402
from pygls.exceptions import JsonRpcException  # noqa: E402
from pygls.lsp.server import LanguageServer  # noqa: E402

import gpuadvisor  # noqa: E402
from gpuadvisor.lsp.features import FEATURES  # noqa: E402
from gpuadvisor.lsp.protocol import Protocol  # noqa: E402
from gpuadvisor.lsp.session import Session  # noqa: E402

gc.freeze()
gc.enable()

if TYPE_CHECKING:
    import argparse

logger = logging.getLogger(__name__)


class Server(LanguageServer):
    """The server with its session and features."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__("gpuadvisor", gpuadvisor.__version__, protocol_cls=Protocol)
        self.initialization_options: object = None
        self.session = Session(self)
        self.features = tuple(feature(self.session) for feature in FEATURES)
        for feature in self.features:
            feature.register(self)

    def answer(
        self, method: str, handler: Callable[[Any], Any], options: Any | None = None
    ) -> None:
        """Have a method answer a request or hear a notification. The library marks what it is
        given, which methods do not allow: hence a function around each."""

        def answering(params: Any) -> Any:
            return handler(params)

        async def answering_later(params: Any) -> Any:
            return await handler(params)

        later = inspect.iscoroutinefunction(handler)
        self.feature(method, options)(answering_later if later else answering)

    def tell_features(self, event: str, *args: Any) -> None:
        """Call one of the methods of `Feature` on all features; a fault in one is logged and
        does not keep the others from hearing it."""
        for feature in self.features:
            try:
                getattr(feature, event)(*args)
            except Exception:
                logger.exception("%s of %s failed", event, type(feature).__name__)

    def register_soon(self, method: str, options: Any) -> None:
        """Register for something with the client, which may refuse."""
        registration = types.Registration(id=method, method=method, register_options=options)
        params = types.RegistrationParams(registrations=[registration])
        self.session.tasks.start(self._register(params), f"registering for {method}")

    async def _register(self, params: types.RegistrationParams) -> None:
        try:
            await self.client_register_capability_async(params)
        except JsonRpcException as error:
            logger.warning("the client refused a registration: %s", error)

    def show(self, kind: types.MessageType, message: str) -> None:
        """A message the user sees."""
        logger.info("shown to the user: %s", message)
        self.window_show_message(types.ShowMessageParams(type=kind, message=message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Internal errors go to the log; a user can do nothing about them. Those of a request
        that could not be fulfilled are its answer, and no faults of ours."""
        if not is_answer(error):
            logger.error("%s: %s", getattr(source, "__name__", source), error, exc_info=error)


def is_answer(error: object) -> bool:
    """Whether an error is what a request rightly gets: it was wrong, or could not be fulfilled."""
    internal = types.ErrorCodes.InternalError.value
    return isinstance(error, JsonRpcException) and error.code != internal


def _worth_logging(record: logging.LogRecord) -> bool:
    """The library logs each error of a request with its trace."""
    return not (record.exc_info and is_answer(record.exc_info[1]))


def main(args: argparse.Namespace) -> int:
    """Serve one client: `args.tcp` is `[HOST:]PORT` or None for standard input and output."""
    logging.basicConfig(
        stream=sys.stderr,
        level=getattr(args, "log_level", "warning").upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_worth_logging)
    server = Server()
    address = getattr(args, "tcp", None)
    try:
        if address:
            host, _, port = str(address).rpartition(":")
            if not port.isdigit():
                print(f"gpuadvisor: {address!r} is not [HOST:]PORT", file=sys.stderr)
                return 2
            server.start_tcp(host or "127.0.0.1", int(port))
        else:
            server.start_io(stdout=_own_stdout())
    except OSError as error:
        print(f"gpuadvisor: cannot listen on {address}: {error.strerror}", file=sys.stderr)
        return 2
    finally:
        server.session.reader.close()
    return 0


def _own_stdout() -> BinaryIO:
    """Standard output for the protocol alone; what anything else prints goes to stderr."""
    stdout = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return stdout
