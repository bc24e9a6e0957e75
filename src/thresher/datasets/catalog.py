"""What is known of each data set: catalog.toml, read once."""

import csv
import difflib
import gzip
import hashlib
import io
import re
import tomllib
import zlib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.text_table import write_rows

GROUPS = ("paper", "manufacturing")


@dataclass(frozen=True)
class Origin:
    """Where tables come from: a file of this package, or public files to download (`urls`)."""

    name: str
    source: str
    licence: str
    citation: str
    urls: tuple[str, ...] = ()
    sha256: str = ""


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of one data set.

    Attributes
    ----------
    name, group, paper_name : str
        Its name here; "paper" or "manufacturing"; its name in the result tables of the paper, None
        if it is not there.
    rows, features, positives, missing_cells : int
        Counts of the arrays that `load_dataset` returns.
    positive_class, notes, sha256 : str
        What the rare class is; what to know; hash of the names and values of the table.
    origin : Origin
        Source, licence and citation, shared by all tables of the origin.
    positive, negative, left_out, order, categories
        How the table is made of its origin: classes that are positive and negative (all others if
        empty), columns that are left out, the column that has the order of the rows, and texts that
        are indicator columns in the array.
    """

    name: str
    origin: Origin
    group: str
    rows: int
    features: int
    positives: int
    missing_cells: int
    positive_class: str
    notes: str
    sha256: str
    positive: tuple[str, ...]
    negative: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    order: str | None = None
    categories: dict[str, tuple[str, ...]] = field(default_factory=dict)
    paper_name: str | None = None

    @property
    def share(self) -> float:
        """Share of positives."""
        return self.positives / self.rows

    @property
    def bundled(self) -> bool:
        """Whether the table is part of the package."""
        return not self.origin.urls


@cache
def catalog() -> dict[str, DatasetInfo]:
    """Read the catalogue of data sets.

    Returns
    -------
    dict of str to DatasetInfo
        By name: the paper's in the order of its tables, then those of manufacturing.

    Examples
    --------
    >>> catalog()["Yeast-me1"].positives
    44
    """
    content = tomllib.loads(files("thresher.datasets").joinpath("catalog.toml").read_text("utf-8"))
    origins = {name: Origin(name, **_frozen(facts)) for name, facts in content["origin"].items()}
    return {name: _info(name, facts, origins) for name, facts in content["dataset"].items()}


def dataset_info(name: str) -> DatasetInfo:
    """Say what is known of a data set, without loading it.

    Parameters
    ----------
    name : str
        One of `list_datasets()`.

    Returns
    -------
    DatasetInfo
        Counts, source, licence, citation, notes.

    Examples
    --------
    >>> from thresher.datasets import dataset_info
    >>> info = dataset_info("Thyroid1")
    >>> info.rows, info.positives, info.paper_name
    (215, 35, 'Newthyroid1')
    """
    if name not in catalog():
        raise ValueError(f"There is no data set {name!r}; did you mean {_nearest(str(name))}?")
    return catalog()[name]


def _info(name: str, facts: dict[str, Any], origins: dict[str, Origin]) -> DatasetInfo:
    facts = _frozen(facts)
    return DatasetInfo(name=name, origin=origins[facts.pop("origin")], **facts)


def _frozen(facts: dict[str, Any]) -> dict[str, Any]:
    return {key: _tuples(value) for key, value in facts.items()}


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return _frozen(value)
    return tuple(value) if isinstance(value, list) else value


def _nearest(name: str) -> str:
    """Return the names that contain the given one or are like it; all if there is none."""
    known = {info.name.lower(): info.name for info in catalog().values()}
    known |= {(info.paper_name or info.name).lower(): info.name for info in catalog().values()}
    typed = name.lower()
    near = [candidate for candidate in known if typed in candidate]
    near = near or difflib.get_close_matches(typed, known, n=3, cutoff=0.4)
    return " or ".join(dict.fromkeys(known[match] for match in near)) or ", ".join(catalog())


# ------------------------------------------------------------------------------------------- tables

TARGET = "target"
EMPTY_CELL = re.compile(r"(?<![^,\n])(?=[,\n])")


@dataclass(frozen=True)
class Table:
    """Features by column, and 1 for the rare class, else 0.

    Examples
    --------
    >>> table = Table(("a",), np.array([[0.5], [np.nan]]), np.array([0, 1]))
    >>> table.sha256 == Table(("a",), -1.0 * table.X, table.y).sha256
    False
    """

    columns: tuple[str, ...]
    X: NDArray[np.float64]
    y: NDArray[np.int64]

    @property
    def sha256(self) -> str:
        """Hash of names and values; the text of a number and the bits of a NaN do not matter."""
        values = np.where(np.isnan(self.X), np.nan, self.X + 0.0)
        digest = hashlib.sha256("\n".join(self.columns).encode())
        digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
        digest.update(np.ascontiguousarray(self.y, dtype="<i8").tobytes())
        return digest.hexdigest()


def unpack_csv(content: bytes) -> tuple[list[str], str]:
    r"""Split gzipped CSV into the names of its columns and the text below them.

    Examples
    --------
    >>> unpack_csv(gzip.compress(b"a,target\n0.5,1\n"))
    (['a', 'target'], '0.5,1\n')
    """
    try:
        text = gzip.decompress(content).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        raise ValueError("it is not gzipped text") from None
    header, _, body = text.replace("\r\n", "\n").partition("\n")
    return next(csv.reader([header]), []), body


def parse_numbers(body: str, columns: range | None = None) -> NDArray[np.float64]:
    r"""Read lines of comma-separated numbers; an empty cell is NaN.

    Examples
    --------
    >>> parse_numbers("1,,0\n,2.5,1\n")
    array([[1. , nan, 0. ],
           [nan, 2.5, 1. ]])
    """
    framed = f"\n{body}\n"
    if any(pair in framed for pair in (",,", "\n,", ",\n")):
        body = EMPTY_CELL.sub("nan", body.rstrip("\n") + "\n")
    return np.loadtxt(io.StringIO(body), delimiter=",", comments=None, ndmin=2, usecols=columns)


def read_table(content: bytes) -> Table:
    r"""Read a table from gzipped CSV whose last column, `target`, is 1 for the rare class.

    Raises
    ------
    ValueError
        Where the bytes are something else; the message completes "cannot be read: ...".

    Examples
    --------
    >>> read_table(gzip.compress(b"a,b,target\n1,,0\n,2.5,1\n")).y
    array([0, 1])
    """
    names, body = unpack_csv(content)
    if names[-1:] != [TARGET] or not body.strip():
        raise ValueError(f"it is not a table whose last column is {TARGET}")
    try:
        numbers = parse_numbers(body)
    except ValueError:
        numbers = np.empty((0, 0))
    if numbers.shape[1] != len(names) or not np.isin(numbers[:, -1], (0, 1)).all():
        raise ValueError(f"it needs {len(names)} numbers in each row, the last of them 0 or 1")
    X = np.ascontiguousarray(numbers[:, :-1])
    return Table(tuple(names[:-1]), X, numbers[:, -1].astype(np.int64))


def write_table(table: Table) -> bytes:
    """Write what `read_table` reads, bit for bit; the same table always gives the same bytes.

    Examples
    --------
    >>> table = Table(("a",), np.array([[0.1], [np.nan]]), np.array([0, 1]))
    >>> read_table(write_table(table)).sha256 == table.sha256
    True
    """
    rows = (
        ["" if value != value else f"{value!r}" for value in row] + [label]
        for row, label in zip(table.X.tolist(), table.y.tolist(), strict=True)
    )
    text = io.StringIO()
    write_rows(chain([[*table.columns, TARGET]], rows), text)
    return gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0)
