import subprocess
import sys

import numpy as np
import pytest

from tests.requirements import data_file
from thresher.datasets import dataset_info, list_datasets, load, load_dataset
from thresher.datasets.catalog import Table


@pytest.mark.parametrize("name", list_datasets())
def test_arrays_have_the_shape_the_catalogue_states(name):
    info = dataset_info(name)
    if not info.bundled:
        data_file(name)
    X, y = load_dataset(name)
    assert X.shape == (info.rows, info.features)
    assert (X.dtype, y.dtype) == (np.float64, np.int64)
    assert np.isnan(X).sum() == info.missing_cells
    assert sorted(np.unique(y)) == [0, 1]
    assert y.sum() == info.positives


def test_frame_has_the_same_values_and_the_names_of_the_columns():
    X, y = load_dataset("Yeast-me1")
    frame, target = load_dataset("Yeast-me1", as_frame=True)
    assert list(frame.columns) == load.feature_names("Yeast-me1")
    assert target.name == "target"
    np.testing.assert_array_equal(frame.to_numpy(), X)
    np.testing.assert_array_equal(target.to_numpy(), y)


def test_indicators_are_one_category_in_a_frame():
    columns = ("Torque [Nm]", "Type=L", "Type=M", "Type=H")
    X = np.array([[7.0, 0, 1, 0], [8.0, 0, 0, 1], [9.0, 1, 0, 0]])
    frame, _ = load._frame(Table(columns, X, np.array([0, 0, 1])), dataset_info("ai4i2020"))
    assert list(frame.columns) == ["Torque [Nm]", "Type"]
    assert frame["Type"].dtype == "category"
    assert frame["Type"].tolist() == ["M", "H", "L"]
    assert frame["Torque [Nm]"].tolist() == [7.0, 8.0, 9.0]


def test_available_sets_are_the_bundled_ones_and_those_with_a_file(tmp_path, monkeypatch):
    monkeypatch.setenv("THRESHER_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path / "cache"))
    bundled = [name for name in list_datasets() if dataset_info(name).bundled]
    assert list_datasets(available=True) == bundled
    for file in (
        "data/deep/secom.csv.gz",
        "cache/Birds-kinglet.csv.gz",
        "cache/deep/ai4i2020.csv.gz",
    ):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert list_datasets(available=True) == ["Birds-kinglet", *bundled, "secom"]
    assert list_datasets("manufacturing", available=True) == ["secom"]


def test_arrays_do_not_need_heavy_packages():
    code = (
        "import sys; from thresher.datasets import load_dataset; load_dataset('Glass-tableware');"
        "print({'pandas', 'sklearn', 'scipy', 'pooch', 'narwhals'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_frame_without_pandas_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="as_frame=True needs pandas; install pandas"):
        load_dataset("Yeast-me1", as_frame=True)
