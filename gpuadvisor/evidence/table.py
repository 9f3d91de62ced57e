"""A table of equally long numpy columns.

The hot path stays on numpy because importing pandas alone costs a quarter of a second, half of
the time that `explain` may take; `to_pandas` gives a DataFrame to whoever wants one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

Column = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Table:
    """Named columns of one length. Missing numbers are NaN, missing text is the empty string."""

    columns: Mapping[str, Column]

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"columns of different lengths: {sorted(lengths)}")

    def __len__(self) -> int:
        return next((len(column) for column in self.columns.values()), 0)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each row as a dict of Python scalars, in table order."""
        names = list(self.columns)
        lists = [column.tolist() for column in self.columns.values()]
        for values in zip(*lists, strict=True):
            yield dict(zip(names, values, strict=True))

    def with_columns(self, extra: Mapping[str, Column]) -> Table:
        """A copy with columns added or replaced."""
        return Table({**self.columns, **extra})

    def to_pandas(self) -> pd.DataFrame:
        """The same columns as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(dict(self.columns))
