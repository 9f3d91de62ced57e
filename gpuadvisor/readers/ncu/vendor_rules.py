"""What the vendor's own rules said about a result, decoded when it is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, overload

from gpuadvisor.evidence import VendorRule
from gpuadvisor.readers.ncu import limits
from gpuadvisor.readers.ncu.messages import decode, text
from gpuadvisor.readers.ncu.metrics import ResultData
from gpuadvisor.readers.ncu.wire import Damaged

_SPEEDUPS = {1: "local", 2: "global"}
_ON_SOURCE = 1


class LazyRules(Sequence[VendorRule]):
    """The rules that had something to say, in the report's order. Damaged ones are left out."""

    def __init__(self, data: ResultData, spans: tuple[tuple[int, int], ...]) -> None:
        self._data = data
        self._spans = spans
        self._rules: tuple[VendorRule, ...] | None = None

    def _all(self) -> tuple[VendorRule, ...]:
        if self._rules is None:
            rules = (self._read(start, end) for start, end in self._spans)
            self._rules = tuple(rule for rule in rules if rule is not None)
        return self._rules

    def _read(self, start: int, end: int) -> VendorRule | None:
        try:
            if end - start > limits.RULE_BYTES:
                raise Damaged("it is too large")
            return _rule(decode("RuleResult", self._data.chunk().data[start:end]))
        except (Damaged, ValueError):
            self._data.damaged("a result of the profiler's own rules is unreadable")
            return None

    @overload
    def __getitem__(self, index: int) -> VendorRule: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[VendorRule, ...]: ...
    def __getitem__(self, index: int | slice) -> VendorRule | tuple[VendorRule, ...]:
        return self._all()[index]

    def __iter__(self) -> Iterator[VendorRule]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(self._all())


def _rule(result: Any) -> VendorRule | None:
    messages: list[str] = []
    kind, percent = "", None
    for item in islice(result.body.items, limits.REPEATED):
        if item.message.text:
            messages.append(text(item.message.text))
        if item.HasField("speedup") and (percent is None or item.speedup.percent > percent):
            kind = _SPEEDUPS.get(item.speedup.type, "")
            percent = item.speedup.percent
    markers = tuple(
        (text(marker.file), marker.line, text(marker.text))
        if marker.kind == _ON_SOURCE
        else ("", 0, text(marker.text))
        for marker in islice(result.markers, limits.REPEATED)
    )
    if not messages and not markers and percent is None:
        return None
    return VendorRule(
        identifier=text(result.identifier),
        name=text(result.name),
        section=text(result.section),
        messages=tuple(messages),
        speedup_kind=kind,
        speedup_pct=percent,
        markers=markers,
    )
