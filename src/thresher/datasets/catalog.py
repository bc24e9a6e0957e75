"""What is known of each data set: catalog.toml, read once."""

import difflib
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

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
