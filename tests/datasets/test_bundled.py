import csv
import dataclasses
import gzip
from importlib.resources import files

import numpy as np
import pytest

from tests.requirements import data_file
from thresher.datasets.bundled import bundled_table
from thresher.datasets.catalog import catalog

BUNDLED = [info for info in catalog().values() if info.bundled]
FILES = sorted(files("thresher.datasets").joinpath("data").iterdir(), key=lambda file: file.name)


@pytest.mark.parametrize("info", BUNDLED, ids=lambda info: info.name)
def test_table_is_what_the_catalogue_states(info):
    table = bundled_table(info)
    assert table.X.shape == (info.rows, info.features)
    assert table.X.flags.c_contiguous
    assert table.y.sum() == info.positives
    assert np.isnan(table.X).sum() == info.missing_cells
    assert table.sha256 == info.sha256


@pytest.mark.parametrize("info", BUNDLED, ids=lambda info: info.name)
def test_table_equals_the_one_in_the_data_folder_bit_for_bit(info):
    with gzip.open(data_file(info.name), "rt") as file:
        header, *rows = csv.reader(file)
    expected = np.array([[float(cell) for cell in row] for row in rows])
    table = bundled_table(info)
    assert [*table.columns, "target"] == header
    assert table.X.tobytes() == np.ascontiguousarray(expected[:, :-1]).tobytes()
    np.testing.assert_array_equal(table.y, expected[:, -1])


def test_thyroid_sets_are_the_same_rows_in_another_order():
    first, second = (bundled_table(catalog()[name]) for name in ("Thyroid1", "Thyroid2"))
    rows = [sorted(map(tuple, np.column_stack([table.X, table.y]))) for table in (first, second)]
    assert rows[0] == rows[1]
    assert not np.array_equal(first.X, second.X)


def test_one_small_file_for_each_base_table_and_no_other():
    assert [file.name for file in FILES] == sorted(
        {f"{info.origin.name}.csv.gz" for info in BUNDLED}
    )
    assert sum(len(file.read_bytes()) for file in FILES) < 300_000


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_file_is_compressed_without_time_and_name(file):
    content = file.read_bytes()
    flags, mtime = content[3], content[4:8]
    assert (flags, mtime) == (0, b"\0\0\0\0")


def test_damaged_file_is_refused():
    info = catalog()["Yeast-me1"]
    other = dataclasses.replace(info, origin=dataclasses.replace(info.origin, sha256="0" * 64))
    with pytest.raises(ValueError, match=r"Yeast\.csv\.gz is damaged .* install thresher again"):
        bundled_table(other)
