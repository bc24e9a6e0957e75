"""Random tables with a rare class that there is something to learn about."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

TARGET = "target"
HOSTILE = (
    'say "torque"',
    "it's",
    "x'; DROP TABLE parts; --",
    "/* comment */",
    "-- comment",
    "naïve ☃ 你好",
    "shark 🦈",
    "new\nline",
    "tab\tand \r",
    "back\\slash\\",
    "back\\\nslash",
    "[bra]cket]]",
    "50% {0} %s $1 :p ?",
    "a.b.c",
    " space around ",
    "long " * 60,
    "select",
)
LEVELS = ("a", "A", "a ", "", "NULL", "nan", "0", *HOSTILE)


def _sum(X: pd.DataFrame) -> Any:
    """Return the sum of the first two numbers; the first level of each category adds one."""
    is_level = X.dtypes == "category"
    first = [X[name] == X[name].cat.categories[0] for name in X.columns[is_level]]
    return X.loc[:, ~is_level].iloc[:, :2].sum(axis=1) + sum(first)


@dataclass(frozen=True)
class Table:
    """Rows of standard normal columns and categories; the positives have the highest signal."""

    seed: int = 0
    rows: int = 400
    columns: int = 3
    """Columns of numbers; those of categories follow them."""
    levels: Sequence[Sequence[Any]] = ()
    """The levels of each column of categories."""
    decimals: int | None = None
    """Numbers have ties where they have few."""
    missing: float = 0.0
    """The share of cells without a value."""
    names: str | Sequence[str] = "plain"
    """"plain", "hostile", or the names themselves."""
    labels: tuple[Any, Any] = (0, 1)
    share: float = 0.1
    """The share of positives."""
    signal: Callable[[pd.DataFrame], Any] = _sum
    noise: float = 0.3
    """The standard deviation of what is added to the signal."""
    weight_of: Sequence[float] = (0.5, 1.0, 1.5)
    """The weights that rows may have."""

    @cached_property
    def _drawn(self) -> tuple[pd.DataFrame, Any, Any]:
        random = np.random.default_rng(self.seed)
        n_columns = self.columns + len(self.levels)
        names = [f"c{index}" for index in range(n_columns)]
        if self.names != "plain":
            names = list(HOSTILE if self.names == "hostile" else self.names)[:n_columns]
        values = random.normal(size=(self.rows, self.columns))
        if self.decimals is not None:
            values = values.round(self.decimals)
        X = pd.DataFrame(values, columns=names[: self.columns])
        for name, levels in zip(names[self.columns :], self.levels, strict=True):
            codes = random.integers(len(levels), size=self.rows)
            X[name] = pd.Categorical.from_codes(codes, categories=list(levels))
        score = np.array(self.signal(X), dtype=float)
        score += self.noise * random.normal(size=self.rows)
        is_positive = score > np.quantile(score, 1.0 - self.share)
        X = X.mask(random.random(X.shape) < self.missing)
        weights = random.choice(self.weight_of, self.rows)
        return X, np.asarray(self.labels)[is_positive.astype(int)], weights

    @property
    def y(self) -> Any:
        return self._drawn[1]

    @property
    def weights(self) -> Any:
        return self._drawn[2]

    def pandas(self) -> tuple[pd.DataFrame, Any]:
        return self._drawn[0].copy(), self.y

    def numpy(self) -> tuple[Any, Any]:
        """Return a matrix, in which levels are their numbers, and the labels."""
        X, y = self.pandas()
        for name in X.columns[X.dtypes == "category"]:
            X[name] = X[name].cat.codes.where(X[name].notna())
        return X.to_numpy(dtype=float), y

    def polars(self) -> tuple[Any, Any]:
        import polars as pl

        frame = pl.from_arrow(self.arrow())
        return frame.drop(TARGET), self.y

    def arrow(self) -> Any:
        """Return a table that holds the labels beside the rows."""
        import pyarrow as pa

        X, y = self.pandas()
        plain = {name: X[name].astype(object) for name in X.columns[X.dtypes == "category"]}
        return pa.Table.from_pandas(X.assign(**plain, **{TARGET: y}), preserve_index=False)

    def csv(self, path: Path) -> Path:
        X, y = self.pandas()
        X.assign(**{TARGET: y}).to_csv(path, index=False, lineterminator="\n")
        return path

    def parquet(self, path: Path) -> Path:
        import pyarrow.parquet as pq

        pq.write_table(self.arrow(), path)
        return path


def pick(rng, options):
    return options[int(rng.integers(len(options)))]


def random_table(rng, n_rows, *, is_float32, with_missing, with_levels, exportable=True):
    """Return a table with hostile names; numbers of all sizes, ties, zeros of both signs."""
    names = list(rng.permutation(HOSTILE if exportable else ("", *HOSTILE))[: rng.integers(2, 7)])
    kinds = rng.integers(4 if exportable else 6, size=len(names)) * with_levels
    n_rows *= 5 if 5 in kinds[1:] else 1
    columns = {}
    for place, name in enumerate(names):
        kind = kinds[place] if place else 0
        if kind == 1:
            some = rng.permutation(LEVELS)[: rng.integers(2, 12)]
            values = pd.Series(rng.choice(some, n_rows), dtype=object)
        elif kind == 2:
            values = pd.Series(rng.choice([rng.choice([0.1, 0.5]), -2.0, 3.5, 1e6], n_rows))
        elif kind == 4:
            values = pd.Series(rng.random(n_rows) < 0.4, dtype=object)
        elif kind == 5:
            values = pd.Series([f"serial {code}" for code in rng.integers(0, n_rows, n_rows)])
        else:
            values = pd.Series(numbers(rng, n_rows, is_float32))
        if with_missing and rng.random() < 0.7:
            values[rng.random(n_rows) < rng.uniform(0.02, 0.3)] = None
        columns[name] = values.astype("category") if kind in (1, 2, 4, 5) else values
    return pd.DataFrame(columns)


def numbers(rng, n_rows, is_float32):
    scale = rng.choice([1.0, 1.0, 1e-30, 1e30] if is_float32 else [1.0, 1.0, 1e-310, 1e300, 1e-9])
    values = rng.normal(size=n_rows) * scale
    if rng.random() < 0.4:
        values = np.round(values / scale * 2.0) * (scale if rng.random() < 0.5 else 1.0)
    return values.astype(np.float32 if is_float32 else np.float64)


def random_labels(rng, table, labels):
    """Return labels that hang on the first columns, with a rare class."""
    score = rng.normal(size=len(table)) * 0.5
    for name in table.columns[:3]:
        codes = table[name].astype("category").cat.codes.to_numpy()
        score += np.argsort(np.argsort(codes, kind="stable")) / len(table) * rng.choice([-2, 2])
    return np.asarray(labels)[(score > np.quantile(score, rng.uniform(0.6, 0.9))).astype(int)]
