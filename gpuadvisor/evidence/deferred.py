"""Fields of frozen dataclasses that are read from a file only when somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")


class _Later:
    """A value not computed yet."""

    def __init__(self, compute: Callable[[], Any]) -> None:
        self.compute = compute


class _Field:
    """Keeps the value of one field, computing it on first access."""

    def __init__(self, name: str) -> None:
        self._slot = f"_deferrable_{name}"

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        held = instance.__dict__[self._slot]
        if isinstance(held, _Later):
            held = instance.__dict__[self._slot] = held.compute()
        return held

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self._slot] = value


def later(compute: Callable[[], T]) -> T:
    """Stands for the value of `compute()` in a field that is `deferrable`; it runs once, on first
    access, and must not raise: what cannot be computed is for it to note elsewhere."""
    return cast("T", _Later(compute))


def deferrable(*names: str) -> Callable[[type[T]], type[T]]:
    """Decorates a dataclass whose fields `names` may be given as `later(...)`."""

    def install(cls: type[T]) -> type[T]:
        for name in names:
            setattr(cls, name, _Field(name))
        return cls

    return install
