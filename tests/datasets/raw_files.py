"""Raw public files, imitated: the tables of this package as their sources write them."""

import numpy as np

from thresher.datasets.catalog import Table

STEEL_FAULTS = {
    "Pastry_Fault": "steel_plates-pastry",
    "Z_Scratch_Fault": "steel_plates-z_scratch",
    "K_Scatch_Fault": None,
    "Stains_Fault": "steel_plates-stains",
    "Dirtiness_Fault": "steel_plates-dirtiness",
    "Bumps_Fault": None,
    "Other_Faults": None,
}


def steel_plates(tables: dict[str, Table]) -> list[bytes]:
    """One CSV file: features, then seven kinds of faults."""
    some = next(iter(tables.values()))
    zeros = np.zeros(len(some.y), dtype=int)
    faults = [tables[name].y if name in tables else zeros for name in STEEL_FAULTS.values()]
    lines = [[*some.columns, *STEEL_FAULTS]]
    lines += [
        [*cells(row), *map(str, flags)]
        for row, flags in zip(some.X, zip(*faults, strict=True), strict=True)
    ]
    return [as_csv(lines)]


def ai4i(table: Table) -> list[bytes]:
    """One CSV file: identifiers, type, measurements, failure, five kinds of failure."""
    names = ["UID", "Product ID", "Type", *table.columns[:5], "Machine failure"]
    lines = [[*names, "TWF", "HDF", "PWF", "OSF", "RNF"]]
    for place, (row, failure) in enumerate(zip(table.X, table.y, strict=True), start=1):
        kind = "LMH"[int(np.flatnonzero(row[5:])[0])]
        flags = [str(int(failure))] * 2 + ["0"] * 4
        lines.append([str(place), f"{kind}{14859 + place}", kind, *cells(row[:5]), *flags])
    return [as_csv(lines)]


def secom(table: Table, left_out: tuple[str, ...]) -> list[bytes]:
    """Numbers between blanks, NaN where missing; -1 or 1 and a quoted time."""
    place = {name: column for column, name in enumerate(table.columns)}
    names = [f"V{k}" for k in range(1, len(place) + len(left_out) + 1)]
    data = [
        " ".join("100" if n in left_out else cell(row[place[n]]) for n in names) for row in table.X
    ]
    labels = [f'{2 * label - 1} "19/07/2008 11:55:00"' for label in table.y]
    return [("\n".join(lines) + "\n").encode() for lines in (data, labels)]


def cells(values: np.ndarray) -> list[str]:
    return [cell(value) for value in values]


def cell(value: float) -> str:
    """Return a number as the sources write it: without a fraction where it is whole."""
    if np.isnan(value):
        return "NaN"
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def as_csv(lines: list[list[str]]) -> bytes:
    return ("\n".join(",".join(line) for line in lines) + "\n").encode()
