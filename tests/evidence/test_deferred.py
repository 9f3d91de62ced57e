"""Fields that are computed when somebody looks at them."""

from __future__ import annotations

import dataclasses

import pytest

from gpuadvisor.evidence import ProgramImage, later


def _image(cubin: bytes) -> ProgramImage:
    return ProgramImage(reference=1, cubin=cubin, ptx="", sm=90, sources={}, functions={})


def test_computed_once_on_first_access() -> None:
    calls: list[int] = []

    def compute() -> bytes:
        calls.append(1)
        return b"code"

    image = _image(later(compute))
    assert calls == []
    assert (image.cubin, image.cubin, calls) == (b"code", b"code", [1])


def test_a_dataclass_like_any_other() -> None:
    plain, deferred = _image(b"code"), _image(later(lambda: b"code"))
    assert plain == deferred
    assert repr(plain) == repr(deferred)
    assert dataclasses.replace(deferred, sm=80).cubin == b"code"
    with pytest.raises(dataclasses.FrozenInstanceError):
        deferred.cubin = b""  # type: ignore[misc]
