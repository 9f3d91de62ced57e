"""Instances of a metric, mostly one value an instruction, decoded in bulk.

An instance is `1a len (0a len key-value) (12 len element-value)`. Lists hold thousands of them in
one layout, so the starts of all are found by their first bytes, checked to chain without a gap,
and keys and values are gathered in one step each.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import Any

import numpy as np

from gpuadvisor.evidence import Instances, Scalar
from gpuadvisor.readers.ncu import limits, varints
from gpuadvisor.readers.ncu.messages import text
from gpuadvisor.readers.ncu.metrics import ResultData
from gpuadvisor.readers.ncu.slots import F32, F64, LIST, TEXT, U32, U64, scalar_at
from gpuadvisor.readers.ncu.store import Chunk
from gpuadvisor.readers.ncu.varints import I64
from gpuadvisor.readers.ncu.wire import BYTES, VARINT, Damaged, fields

Array = np.ndarray[Any, np.dtype[Any]]

_KEY, _ELEMENT = 0x0A, 0x12
_SAMPLER = 1
"""Category of metrics sampled over time; their keys are times."""

_FIRST_ADDRESS = 1 << 20
"""Below it no code is loaded; what correlates with small numbers correlates with an index."""


class DamagedMetric(KeyError):
    """Instances that turned out damaged; as a KeyError it makes them absent for `get`."""


class KnownKeys:
    """Key lists of one result, so that metrics over the same instructions share one array."""

    def __init__(self) -> None:
        self._by_length: dict[int, list[tuple[Array, Array]]] = {}

    def decoded(self, encoded: Array) -> Array | None:
        for known, keys in self._by_length.get(len(encoded), ()):
            if np.array_equal(known, encoded):
                return keys
        return None

    def remember(self, encoded: Array, keys: Array) -> None:
        known = self._by_length.setdefault(len(encoded), [])
        if len(known) < limits.SHARED_KEYS:
            known.append((encoded, keys))


class LazyInstances(Mapping[str, Instances]):
    """Instances by the report's metric names, each list decoded when it is asked for and kept.

    Integers come as int64 (uint64 where they need it), other numbers as float64. Metrics over the
    same instructions have the same `keys` object. A list that turns out damaged is noted in the
    report's problems and is from then on absent: `in` is False, `get` gives the default, `items`
    and `values` leave it out, and indexing raises DamagedMetric, a KeyError. Iterating over names
    decodes nothing.
    """

    def __init__(self, data: ResultData) -> None:
        self._data = data
        self._decoded: dict[str, Instances] = {}
        self._keys = KnownKeys()

    def __getitem__(self, name: str) -> Instances:
        found = self._decoded.get(name)
        if found is not None:
            return found
        lists = self._data.slots().lists
        start, end = lists[name]
        try:
            found = decode_list(self._data.chunk(), start, end, self._keys)
        except Damaged as error:
            self._data.damaged(f"instances of metric {name}: {error.reason}")
            del lists[name]
            raise DamagedMetric(name) from None
        self._decoded[name] = found
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._data.slots().lists))

    def __len__(self) -> int:
        return len(self._data.slots().lists)

    def items(self) -> ItemsView[str, Instances]:
        return _WholeItems(self)

    def values(self) -> ValuesView[Instances]:
        return _WholeValues(self)


class _WholeItems(ItemsView[str, Instances]):
    def __init__(self, instances: LazyInstances) -> None:
        super().__init__(instances)
        self._instances = instances

    def __iter__(self) -> Iterator[tuple[str, Instances]]:
        for name in self._instances:
            found = self._instances.get(name)
            if found is not None:
                yield name, found


class _WholeValues(ValuesView[Instances]):
    def __init__(self, instances: LazyInstances) -> None:
        super().__init__(instances)
        self._instances = instances

    def __iter__(self) -> Iterator[Instances]:
        return (found for _, found in self._instances.items())


def decode_list(chunk: Chunk, start: int, end: int, known: KnownKeys) -> Instances:
    """The instances in chunk[start:end]; raises Damaged where the bytes are none."""
    if end - start > limits.LIST_BYTES:
        raise Damaged(f"they claim {end - start:,} bytes")
    found = _regular(chunk, start, end, known)
    return found if found is not None else _one_by_one(chunk, start, end)


def _regular(chunk: Chunk, start: int, end: int, known: KnownKeys) -> Instances | None:
    """Decodes a list in one layout, integer or short text to number; None for any other."""
    u8 = chunk.u8
    found = _starts(chunk, start, end)
    if found is None:
        return None
    starts, behind = found
    key_length = u8[starts + 3].astype(np.int64) - 1
    element = starts + 5 + key_length
    if key_length.min() < 1 or (element + 2 >= behind).any():
        return None
    value_length = u8[element + 1].astype(np.int64) - 1
    value_keys = u8[element + 2]
    if (
        (u8[element] != _ELEMENT).any()
        or (element + 3 + value_length != behind).any()
        or (value_keys != value_keys[0]).any()
    ):
        return None
    values = _values(chunk, int(value_keys[0]), element + 3, value_length)
    if values is None:
        return None
    if u8[start + 4] == TEXT:
        return Instances(_names(chunk, starts + 5, key_length), values)
    if key_length.max() > varints.LONGEST:
        return None
    sampled = _category(chunk, int(behind[-1]), end) == _SAMPLER
    return Instances(_keys(chunk, starts + 5, key_length, sampled, known), values)


def _starts(chunk: Chunk, start: int, end: int) -> tuple[I64, I64] | None:
    """int64[n] offsets of the instances and of the bytes behind them; None where they are not
    all short with keys of one type."""
    part = chunk.u8[start : end + 4]
    if end - start < 8 or part[2] != _KEY or part[4] not in (U32, U64, TEXT):
        return None
    hits = np.flatnonzero((part[:-4] == LIST) & (part[2:-2] == _KEY) & (part[4:] == part[4]))
    hits += start
    # element values may look like the start of an instance: drop what no instance leads to
    for _ in range(64):
        behind = hits + 2 + chunk.u8[hits + 1]
        apart = np.flatnonzero(behind[:-1] != hits[1:])
        if not len(apart):
            break
        hits = np.delete(hits, apart[0] + 1)
    else:
        return None
    if hits[0] != start or behind[-1] > end or (chunk.u8[hits + 1] >= 0x80).any():
        return None
    if behind[-1] < end and chunk.u8[behind[-1]] == LIST:
        return None
    return hits, behind


def _values(chunk: Chunk, key: int, at: I64, length: I64) -> Array | None:
    """The element values of one type, None for text."""
    if key == F64 and (length == 8).all():
        return chunk.u64[at].view(np.float64)
    if key == F32 and (length == 4).all():
        return chunk.u64[at].astype(np.uint32).view(np.float32).astype(np.float64)
    if key not in (U32, U64):
        return None
    if length.min() < 1 or length.max() > varints.LONGEST:
        raise Damaged("a value has an impossible length")
    values, valid = varints.decode(chunk.u64, at, length)
    if not np.all(valid):
        raise Damaged("a value disagrees with its length")
    return _signed(values)


def _signed(values: varints.U64) -> Array:
    """As int64, whose differences may be negative, unless that loses a value."""
    return values.view(np.int64) if values.max(initial=0) < 1 << 63 else values


def _keys(chunk: Chunk, at: I64, length: I64, sampled: bool, known: KnownKeys) -> Array:
    longest = int(length.max())
    if longest > 8:
        decoded, valid = varints.decode(chunk.u64, at, length)
    else:
        words = varints.encoded(chunk.u64, at, length)
        shared = known.decoded(words)
        if shared is not None:
            return shared
        decoded, valid = varints.decode_encoded(words, length, longest)
    if not np.all(valid):
        raise Damaged("what a value belongs to disagrees with its length")
    keys = _as_keys(decoded, sampled)
    if longest <= 8:
        known.remember(words, keys)
    return keys


def _names(chunk: Chunk, at: I64, length: I64) -> Array:
    """Keys of text, each a byte that says its length and the text."""
    if (chunk.u8[at] != length - 1).any():
        raise Damaged("what a value belongs to disagrees with its length")
    spans = zip((at + 1).tolist(), (at + length).tolist(), strict=True)
    return _text_array([text(chunk.data[start:end]) for start, end in spans])


def _as_keys(keys: varints.U64, sampled: bool) -> Array:
    """uint64 for addresses, int64 for indices and times."""
    if not sampled and len(keys) and keys.min() >= _FIRST_ADDRESS:
        return keys
    return _signed(keys)


def _category(chunk: Chunk, at: int, end: int) -> int:
    for number, wire, value, _, _ in fields(chunk.data, at, end):
        if number == 4 and wire == VARINT:
            return value
    return 0


def _one_by_one(chunk: Chunk, start: int, end: int) -> Instances:
    """The same for lists whose values are text, and for those that mix layouts. Where none has a
    key, the keys are their places."""
    if end - start > limits.IRREGULAR_LIST_BYTES:
        raise Damaged(f"they claim {end - start:,} bytes")
    keys: list[Scalar | None] = []
    values: list[Scalar] = []
    sampled = False
    for number, wire, value, content, content_end in fields(chunk.data, start, end):
        if number == 4 and wire == VARINT:
            sampled = value == _SAMPLER
        if number != 3 or wire != BYTES:
            continue
        if len(values) == limits.IRREGULAR_ENTRIES:
            raise Damaged("their layout varies more than that of a report")
        key: Scalar | None = None
        element: Scalar | None = None
        for inner, inner_wire, _, first, last in fields(chunk.data, content, content_end):
            if inner_wire == BYTES and first < last and inner == 1:
                key = scalar_at(chunk.data, first, last)
            elif inner_wire == BYTES and first < last and inner == 2:
                element = scalar_at(chunk.data, first, last)
        if element is not None:
            keys.append(key)
            values.append(element)
    if not values:
        raise Damaged("there are none")
    return Instances(_key_array(keys, sampled), _value_array(values))


def _key_array(keys: list[Scalar | None], sampled: bool) -> Array:
    if all(isinstance(key, int) for key in keys):
        return _as_keys(np.array(keys, np.uint64), sampled)
    if all(key is None for key in keys):
        return np.arange(len(keys), dtype=np.int64)
    return _text_array(["" if key is None else str(key) for key in keys])


def _value_array(values: list[Scalar]) -> Array:
    if all(isinstance(value, int) for value in values):
        return _signed(np.array(values, np.uint64))
    if all(not isinstance(value, str) for value in values):
        return np.array(values, np.float64)
    return _text_array([str(value) for value in values])


def _text_array(texts: list[str]) -> Array:
    """Fixed-width text; objects where one long text would blow up the rest."""
    width = max(map(len, texts))
    return np.array(texts, dtype=f"<U{width or 1}" if width * len(texts) < 1 << 20 else object)
