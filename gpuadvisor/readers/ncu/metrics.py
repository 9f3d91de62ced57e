"""The metrics of one result by name, found when the first of them is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuadvisor.evidence import Scalar
from gpuadvisor.readers.ncu.problems import ProblemLog
from gpuadvisor.readers.ncu.result import Result
from gpuadvisor.readers.ncu.slots import Slots, find_slots
from gpuadvisor.readers.ncu.store import Chunk, Store
from gpuadvisor.readers.ncu.wire import Damaged


class ResultData:
    """The bytes of one result and what was found in them; notes what turns out damaged.

    `label` names the result in problems.
    """

    def __init__(
        self, store: Store, result: Result, strings: list[str], label: str, log: ProblemLog
    ) -> None:
        self._store = store
        self._result = result
        self._strings = strings
        self._label = label
        self._log = log
        self._slots: Slots | None = None

    def chunk(self) -> Chunk:
        """The bytes of the whole result; raises Damaged when they are no longer there."""
        return self._store.chunk(self._result.entry.offset, self._result.entry.size)

    def slots(self) -> Slots:
        if self._slots is None:
            try:
                self._slots = find_slots(self.chunk(), self._result, self._strings, self.damaged)
            except Damaged as error:
                self.damaged(f"all metrics are lost: {error.reason}")
                self._slots = Slots({}, {})
        return self._slots

    def damaged(self, what: str) -> None:
        self._log.add(f"{self._label}: {what}", "collect the report again")


class LazyMetrics(Mapping[str, Scalar]):
    """Single values by the report's metric names: int (exact), float (NaN and inf as they are)
    or str. A metric without a value, or with a damaged one, is not in the mapping."""

    def __init__(self, data: ResultData) -> None:
        self._data = data

    def __getitem__(self, name: str) -> Scalar:
        return self._data.slots().values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._data.slots().values

    def __iter__(self) -> Iterator[str]:
        return iter(self._data.slots().values)

    def __len__(self) -> int:
        return len(self._data.slots().values)

    def __repr__(self) -> str:
        return repr(self._data.slots().values)
