"""The metrics of one result by name: where each lies, and its single value on access."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

from gpuadvisor.evidence import Scalar
from gpuadvisor.readers.ncu.messages import text
from gpuadvisor.readers.ncu.problems import ProblemLog
from gpuadvisor.readers.ncu.result import Result
from gpuadvisor.readers.ncu.slots import Slots, find_slots
from gpuadvisor.readers.ncu.store import Chunk, Store
from gpuadvisor.readers.ncu.wire import Damaged, varint

# keys (field number and wire type) of MetricValue, one byte each
TEXT, F32, F64, U32, U64 = 0x0A, 0x15, 0x19, 0x20, 0x28

class ResultData:
    """The metrics of one result; finds them on first use and notes what is damaged."""

    def __init__(
        self, store: Store, result: Result, strings: list[str], label: str, log: ProblemLog
    ) -> None:
        self._store = store
        self._result = result
        self._strings = strings
        self._log = log
        self._slots: Slots | None = None
        self.label = label

    def chunk(self) -> Chunk:
        """The bytes of the whole result; raises Damaged when they are no longer there."""
        return self._store.chunk(self._result.entry.offset, self._result.entry.size)

    def slots(self) -> Slots:
        if self._slots is None:
            try:
                self._slots = find_slots(self.chunk(), self._result, self._strings, self.damaged)
            except Damaged as error:
                self.damaged(f"the metrics: {error.reason}")
                self._slots = Slots({}, {})
        return self._slots

    def damaged(self, what: str) -> None:
        self._log.add(f"{self.label}: {what}", "collect the report again")


class LazyMetrics(Mapping[str, Scalar]):
    """Scalar metrics by the report's names, each decoded when it is asked for.

    A metric without a value, or with one that is damaged, is not in the mapping.
    """

    def __init__(self, data: ResultData) -> None:
        self._data = data

    def __getitem__(self, name: str) -> Scalar:
        slots = self._data.slots()
        start, end = slots.values[name]
        try:
            return scalar_at(self._data.chunk().data, start, end)
        except Damaged as error:
            self._data.damaged(f"metric {name}: {error.reason}")
            del slots.values[name]
            raise KeyError(name) from None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._data.slots().values))

    def __len__(self) -> int:
        return len(self._data.slots().values)


def scalar_at(data: bytearray, start: int, end: int) -> Scalar:
    """The value of the MetricValue in data[start:end]; integers are exact, text is decoded."""
    key = data[start] if start < end else 0
    if key in (U32, U64):
        value, at = varint(data, start + 1, end)
        if at == end:
            return value
    elif key == F64 and end - start == 9:
        return float(struct.unpack_from("<d", data, start + 1)[0])
    elif key == F32 and end - start == 5:
        return float(struct.unpack_from("<f", data, start + 1)[0])
    elif key == TEXT:
        length, at = varint(data, start + 1, end)
        if at + length == end:
            return text(bytes(data[at:end]))
    raise Damaged("its value is unreadable")
