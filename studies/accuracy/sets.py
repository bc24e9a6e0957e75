"""The data sets of the accuracy study, their families, and the two halves of fresh families.

Families are sorted by the SHA-256 of their names; those at even places are developed on, those at
odd places are scored, once. Sets of one family are no independent witnesses, so that results are
told by family, too.
"""

import csv
import hashlib
import os
import re
from pathlib import Path
from typing import Any

from thresher.datasets import list_datasets, load_dataset

FRESH = "families"
"""Folder below THRESHER_DATA with the fresh families, and an index.csv that names them."""


def sets_of(part: str) -> dict[str, str]:
    """Return the names of the data sets of a part, and the family of each."""
    if part in ("develop", "score"):
        families = fresh_families()
        half = set(halves(set(families.values()))[part])
        return {name: family for name, family in families.items() if family in half}
    return {name: known_family(name) for name in list_datasets(part, available=True)}


def halves(families: set[str]) -> dict[str, list[str]]:
    """Return the families that are developed on and those that are scored."""
    order = sorted(families, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return {"develop": order[::2], "score": order[1::2]}


def known_family(name: str) -> str:
    """Return the family of a set of the catalogue: the letters that its name starts with."""
    found = re.match(r"[A-Za-z]+", name)
    return found[0].lower() if found else name


def fresh_families() -> dict[str, str]:
    """Return the fresh sets and their families."""
    with open(_fresh_folder() / "index.csv", encoding="utf-8", newline="") as file:
        return {row["name"]: row["family"] for row in csv.DictReader(file)}


def _fresh_folder() -> Path:
    folder = os.environ.get("THRESHER_DATA")
    if not folder or not (Path(folder) / FRESH / "index.csv").is_file():
        raise SystemExit(f"THRESHER_DATA must name a folder that holds {FRESH}/index.csv.")
    return Path(folder) / FRESH


def load(name: str) -> tuple[Any, Any]:
    """Return the table as a data frame, with categories where it has them, and the target."""
    if name in list_datasets():
        return load_dataset(name, as_frame=True)
    import pandas as pd

    frame = pd.read_csv(_fresh_folder() / f"{name}.csv.gz")
    return frame.drop(columns="target").astype(float), frame["target"].astype(int)
