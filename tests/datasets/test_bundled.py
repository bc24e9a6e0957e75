import dataclasses
from importlib.resources import files

import numpy as np
import pytest

from thresher.datasets.catalog import catalog
from thresher.datasets.load import bundled_table

BUNDLED = [info for info in catalog().values() if info.bundled]
FILES = sorted(files("thresher.datasets").joinpath("data").iterdir(), key=lambda file: file.name)


@pytest.mark.parametrize("info", BUNDLED, ids=lambda info: info.name)
def test_table_is_what_the_catalogue_states(info):
    table = bundled_table(info)
    assert table.X.flags.c_contiguous
    assert table.sha256 == info.sha256


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


def test_damaged_file_is_refused():
    info = catalog()["Yeast-me1"]
    other = dataclasses.replace(info, origin=dataclasses.replace(info.origin, sha256="0" * 64))
    with pytest.raises(ValueError, match=r"Yeast\.csv\.gz is damaged .* install thresher again"):
        bundled_table(other)
