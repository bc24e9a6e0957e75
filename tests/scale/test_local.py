"""Trees from Arrow batches are those grown in memory, whatever the batches and the memory."""

import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

from tests.scale.tables import TARGET, WEIGHT, assert_same_forest, random_table, same_model
from thresher import ImbalancedTreeClassifier
from thresher.scale import fit_parquet, fit_parquet_forest, local
from thresher.seam import engine

PARAMETERS = [
    {},
    {"criterion": "gini", "class_weight": "balanced"},
    {"criterion": "gain_ratio", "max_features": 2, "random_state": 3},
    {"criterion": "renyi", "alpha": 3.0, "max_bins": 16, "class_weight": "balanced"},
    {"criterion": "gain_ratio", "mdl_correction": True, "min_samples_leaf": 5},
    {"criterion": "hellinger", "max_leaf_nodes": 12, "class_weight": {"scrap": 3.0}},
    {"min_weight_fraction_leaf": 0.01, "max_depth": 5, "threshold": "prior", "pruning": "f1"},
]
LITTLE = 60_000
"""Bytes: the rows of these tables go to a file, and their trees take many rounds."""


def write_parts(folder: Path, table, n_parts: int, seed: int) -> None:
    for number, part in enumerate(table.parts(n_parts, seed)):
        part.to_parquet(folder / f"{number:02d}.parquet", index=False, row_group_size=500)


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_neither_files_nor_memory_nor_order_change_the_tree(tmp_path, parameters, weighted):
    table = random_table(seed=len(str(parameters)))
    expected = table.fitted(weighted=weighted, **parameters)
    assert expected.unpruned_tree_.n_nodes > 9
    columns = {"sample_weight": WEIGHT} if weighted else {"ignore": [WEIGHT]}
    for n_parts, memory in ((1, None), (3, LITTLE), (16, 2 * LITTLE)):
        folder = tmp_path / str(n_parts)
        folder.mkdir()
        write_parts(folder, table.shuffled(n_parts), n_parts, seed=n_parts)
        found = fit_parquet(folder, TARGET, memory=memory, **columns, **parameters)
        assert same_model(found, expected), (n_parts, memory)


def test_a_large_class_is_sketched_alike(tmp_path):
    table = random_table(seed=5, n_rows=180_000)
    expected = table.fitted(max_depth=6)
    write_parts(tmp_path, table.shuffled(1), 3, seed=2)
    assert same_model(fit_parquet(tmp_path, TARGET, ignore=[WEIGHT], max_depth=6), expected)


def test_many_rows_alike_are_all_sketched():
    random = np.random.default_rng(0)
    x = random.integers(0, 7, 200_000).astype(float)
    rows = pa.table({"x": x, "y": (x + random.normal(size=len(x)) > 6.5).astype(int)})
    expected = ImbalancedTreeClassifier(max_bins=255).fit(x[:, None], rows["y"].to_numpy())
    assert fit_parquet(rows, "y").tree_.digest() == expected.tree_.digest()


@pytest.mark.parametrize(
    "shape",
    [
        lambda table, _: table,
        lambda table, _: table.to_reader(max_chunksize=700),
        lambda table, _: dataset.dataset(table),
        lambda table, folder: [write(table, folder / "one file.parquet")],
        lambda table, folder: str(write(table, folder / "a.parquet").parent / "*.parquet"),
        lambda table, folder: str(write(table, folder / "b1.parquet").parent / "b?.parquet"),
        lambda table, folder: write(table, folder / "part[0-9].parquet"),
    ],
    ids=["stream", "one-shot stream", "dataset", "list", "pattern", "letters", "path"],
)
def test_any_source_of_batches(tmp_path, shape):
    table = random_table(seed=1)
    rows = pa.Table.from_pandas(table.frame.drop(columns=WEIGHT), preserve_index=False)
    assert same_model(fit_parquet(shape(rows, tmp_path), TARGET), table.fitted())


def write(table: pa.Table, path: Path) -> Path:
    parquet.write_table(table, path)
    return path


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"target": "nothing"}, "The table has no column 'nothing'; its columns are"),
        ({"ignore": ["what"]}, "The table has no column 'what'"),
        ({"max_bins": 256}, "max_bins must be from 2 to 255, got 256"),
        ({"pruning_fraction": 0.2}, "pruning_fraction needs all rows in memory"),
        ({"target": "holed"}, "The target 'holed' has missing values"),
        ({"target": "whole"}, "Only binary classification is supported"),
        ({"pos_label": "nope"}, "pos_label='nope' is not a class of y"),
    ],
)
def test_bad_input_is_one_sentence(change, sentence):
    frame = random_table(seed=2).frame.drop(columns=WEIGHT)
    frame["holed"] = frame["holed"].round()
    rows = pa.Table.from_pandas(frame, preserve_index=False)
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")) as caught:
        fit_parquet(rows, **{"target": TARGET, **change})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("weighted", [False, True])
def test_more_levels_than_codes(tmp_path, weighted):
    table = random_table(seed=7, many_levels=True)
    expected = table.fitted(weighted=weighted)
    assert "serial" in expected.export_text()
    columns = {"sample_weight": WEIGHT} if weighted else {"ignore": [WEIGHT]}
    write_parts(tmp_path, table.shuffled(1), 3, seed=2)
    assert same_model(fit_parquet(tmp_path, TARGET, memory=LITTLE, **columns), expected)


def test_more_levels_than_codes_of_a_stream_and_in_a_forest():
    table = random_table(seed=7, many_levels=True)
    rows = pa.Table.from_pandas(table.frame.drop(columns=WEIGHT), preserve_index=False)
    once = fit_parquet(rows.to_reader(max_chunksize=700), TARGET)
    assert same_model(once, table.fitted())
    forest = {"n_estimators": 3, "random_state": 0, "n_bootstrap": 0}
    one = fit_parquet_forest(rows, TARGET, **forest)
    other = fit_parquet_forest(rows.take(pa.array(range(3000)[::-1])), TARGET, **forest)
    assert one.columns_ == other.columns_ == once.columns_
    assert (one.forest_.nodes == other.forest_.nodes).all()


FORESTS = [
    {},
    {"bootstrap": "balanced", "class_weight": "balanced", "min_samples_leaf": "auto"},
    {"bootstrap": "plain", "max_leaf_nodes": 9, "criterion": "hellinger", "smoothing": "laplace"},
    {"bootstrap": False, "rule": "prior", "max_depth": 4, "min_weight_fraction_leaf": 0.01},
    {"importance": "permutation", "max_bins": 16, "max_features": 2, "n_jobs": 2},
]


@pytest.mark.parametrize("parameters", FORESTS)
@pytest.mark.parametrize("weighted", [False, True])
def test_neither_files_nor_memory_nor_order_change_the_forest(tmp_path, parameters, weighted):
    table = random_table(seed=8, n_rows=2500, many_levels=len(parameters) == 3)
    parameters = {"n_estimators": 4, "random_state": 1, "n_bootstrap": 5, **parameters}
    expected = table.forest(weighted=weighted, **parameters)
    columns = {"sample_weight": WEIGHT} if weighted else {"ignore": [WEIGHT]}
    for n_parts, memory in ((3, None), (1, 40_000), (16, LITTLE)):
        folder = tmp_path / str(n_parts)
        folder.mkdir()
        write_parts(folder, table.shuffled(n_parts), n_parts, seed=n_parts)
        found = fit_parquet_forest(folder, TARGET, memory=memory, **columns, **parameters)
        assert_same_forest(found, expected)


def test_bins_of_a_forest_that_exceed_memory_stay_in_files(tmp_path, monkeypatch):
    table = random_table(seed=9)
    rows = pa.Table.from_pandas(table.frame, preserve_index=False)
    fetched, take_block = [], engine.take_block

    def watched(block, question):
        parts = take_block(block, question)
        fetched.append(sum(part.rows.n_bytes for part in parts))
        assert list(tmp_path.iterdir())
        return parts

    monkeypatch.setattr(engine, "take_block", watched)
    fit_parquet_forest(
        rows, TARGET, ignore=[WEIGHT], memory=30_000, folder=tmp_path, n_estimators=2, n_bootstrap=0
    )
    assert 0 < max(fetched) <= 15_000 < table.frame.shape[0] * 6
    assert not list(tmp_path.iterdir())


def test_a_forest_in_a_single_byte_of_memory():
    table = random_table(seed=9, n_rows=300)
    parameters = {"n_estimators": 2, "random_state": 0, "max_depth": 3, "n_bootstrap": 0}
    assert_same_forest(table.forest(memory=1, **parameters), table.forest(**parameters))


def test_infinite_values_and_empty_tables_are_refused():
    rows = pa.table({"x": [1.0, np.inf, 2.0], "y": [0, 1, 0]})
    with pytest.raises(ValueError, match="X contains infinity: column 'x', row 1"):
        fit_parquet(rows, "y")
    with pytest.raises(ValueError, match="one class only"):
        fit_parquet(pa.table({"x": [1.0, 2.0], "y": [0, 0]}), "y")
    with pytest.raises(ValueError, match="The table is empty"):
        fit_parquet(rows.slice(0, 0), "y")


def test_no_file_and_no_parquet(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*none\.parquet"):
        fit_parquet(tmp_path / "none.parquet", "y")
    (tmp_path / "text.parquet").write_text("speed,scrap\n1,0\n")
    with pytest.raises(FileNotFoundError, match=r"There is no file .*part-\?\.parquet"):
        fit_parquet([tmp_path / "text.parquet", tmp_path / "part-?.parquet"], "y")
    with pytest.raises(ValueError, match="cannot be read as Parquet"):
        fit_parquet(tmp_path / "text.parquet", "y")


def test_temporary_files_go_away(tmp_path):
    table = random_table(seed=3)
    rows = pa.Table.from_pandas(table.frame, preserve_index=False)
    room = tmp_path / "room"
    room.mkdir()
    fit_parquet(rows.to_reader(), TARGET, ignore=[WEIGHT], memory=LITTLE, folder=room)
    assert not list(room.iterdir())
    broken = rows.set_column(2, "single", pa.array(np.full(len(rows), np.inf)))
    with pytest.raises(ValueError, match="X contains infinity"):
        fit_parquet(broken.to_reader(), TARGET, ignore=[WEIGHT], memory=LITTLE, folder=room)
    assert not list(room.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_ctrl_c_leaves_nothing_behind(tmp_path):
    program = textwrap.dedent(
        f"""
        import pyarrow as pa
        from tests.scale.tables import TARGET, WEIGHT, random_table
        from thresher.scale import fit_parquet
        from thresher.seam import engine

        rows = pa.Table.from_pandas(random_table(0).frame, preserve_index=False)
        grow = engine.Driver._divide

        def slowly(self, tree, nodes):
            print("counting", flush=True)
            import time
            time.sleep(3000)

        engine.Driver._divide = slowly
        fit_parquet(rows, TARGET, ignore=[WEIGHT], memory={LITTLE}, folder={str(tmp_path)!r})
        """
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "counting\n"
    assert list(tmp_path.iterdir())
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=300)
    assert child.returncode != 0
    assert not list(tmp_path.iterdir())


def test_the_need_of_memory_is_said_beforehand(capsys):
    rows = pa.Table.from_pandas(random_table(seed=4).frame, preserve_index=False)
    fit_parquet(rows, TARGET, ignore=[WEIGHT], verbose=True)
    said = capsys.readouterr().err
    assert "3,000 rows x 5 columns" in said
    assert "GB" in said


@pytest.mark.parametrize(
    ("second", "first", "expected"),
    [
        ("6000000\n", None, 3_000_000),
        ("max\n", None, None),
        (None, "4000000\n", 2_000_000),
        (None, "9223372036854771712\n", None),
        (None, None, None),
    ],
    ids=["version 2", "version 2 without", "version 1", "version 1 without", "none"],
)
def test_a_container_may_have_less_memory_than_its_machine(
    monkeypatch, tmp_path, second, first, expected
):
    files = (tmp_path / "memory.max", tmp_path / "memory.limit_in_bytes")
    monkeypatch.setattr(local, "CONTAINER_LIMITS", files)
    machine = local.half_of_memory()
    for file, text in zip(files, (second, first), strict=True):
        if text is not None:
            file.write_text(text)
    assert local.half_of_memory() == (expected or machine)


def test_the_systems_own_folder_is_clean_too(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    rows = pa.Table.from_pandas(random_table(seed=4).frame, preserve_index=False)
    fit_parquet(rows, TARGET, ignore=[WEIGHT], memory=LITTLE)
    assert not list(tmp_path.iterdir())
