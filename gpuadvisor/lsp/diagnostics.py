"""Diagnostics by (producer, uri), so that one producer never overwrites another's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from lsprotocol import types

Producer = Literal["report", "source"]
Publish = Callable[[types.PublishDiagnosticsParams], None]


class DiagnosticStore:
    """What each producer says about each document; the client gets it all at once."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._kept: dict[str, dict[Producer, tuple[types.Diagnostic, ...]]] = {}
        self._published: set[str] = set()
        """The documents for which the client holds at least one diagnostic."""

    def set(self, producer: Producer, uri: str, diagnostics: Sequence[types.Diagnostic]) -> None:
        """Replace what a producer says about a document."""
        self._kept.setdefault(uri, {})[producer] = tuple(diagnostics)

    def get(self, uri: str) -> list[types.Diagnostic]:
        """What all producers say about a document."""
        kept = self._kept.get(uri, {})
        return [item for producer in sorted(kept) for item in kept[producer]]

    def publish(self, uri: str, version: int | None) -> None:
        """Send a document's diagnostics; nothing is sent when the client has none and gets none.
        Equal ones are sent again: the client moved its own with the text in the meantime."""
        diagnostics = self.get(uri)
        if diagnostics or uri in self._published:
            self._publish(
                types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=diagnostics)
            )
        if diagnostics:
            self._published.add(uri)
        else:
            self._published.discard(uri)

    def clear(self, uri: str) -> None:
        """Forget a closed document and take its diagnostics away."""
        self._kept.pop(uri, None)
        self.publish(uri, None)
