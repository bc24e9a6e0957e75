"""Batches of Arrow on one machine: sources, temporary files and the memory that there is."""

import signal
import subprocess
import sys
import tempfile
import textwrap

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

from tests.scale.conftest import parquet_files
from tests.scale.tables import TARGET, WEIGHT, assert_same_forest, random_table, same_model
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier
from thresher.scale import fit, growing_tree, local

TREE = ImbalancedTreeClassifier()
LITTLE = 60_000
"""Bytes: the rows of these tables go to a file, and their trees take many rounds."""


@pytest.fixture
def room(monkeypatch, tmp_path):
    """The folder of temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def arrow(table):
    return pa.Table.from_pandas(table.frame.drop(columns=WEIGHT), preserve_index=False)


def test_a_large_class_is_sketched_alike(tmp_path):
    table = random_table(seed=5, n_rows=180_000)
    folder = parquet_files(tmp_path, table.shuffled(1), 3)
    found = fit(ImbalancedTreeClassifier(max_depth=6), folder, TARGET, ignore=[WEIGHT])
    assert same_model(found, table.fitted(max_depth=6))


def test_many_rows_alike_are_all_sketched():
    random = np.random.default_rng(0)
    x = random.integers(0, 7, 200_000).astype(float)
    rows = pa.table({"x": x, "y": (x + random.normal(size=len(x)) > 6.5).astype(int)})
    expected = ImbalancedTreeClassifier(max_bins=255).fit(x[:, None], rows["y"].to_numpy())
    assert fit(TREE, rows, "y").tree_.digest() == expected.tree_.digest()


@pytest.mark.parametrize(
    "shape",
    [
        lambda table, _: table,
        lambda table, _: table.to_pandas(),
        lambda table, _: table.to_reader(max_chunksize=700),
        lambda table, _: dataset.dataset(table),
        lambda table, folder: [write(table, folder / "one file.parquet")],
        lambda table, folder: str(write(table, folder / "a.parquet").parent / "*.parquet"),
        lambda table, folder: str(write(table, folder / "b1.parquet").parent / "b?.parquet"),
        lambda table, folder: write(table, folder / "part[0-9].parquet"),
    ],
    ids=["table", "pandas", "stream", "dataset", "list", "pattern", "letters", "path"],
)
def test_any_source_of_batches(tmp_path, shape):
    table = random_table(seed=1)
    assert same_model(fit(TREE, shape(arrow(table), tmp_path), TARGET), table.fitted())


def write(table, path):
    parquet.write_table(table, path)
    return path


def test_no_file_and_no_parquet(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*none\.parquet"):
        fit(TREE, tmp_path / "none.parquet", "y")
    (tmp_path / "text.parquet").write_text("speed,scrap\n1,0\n")
    with pytest.raises(FileNotFoundError, match=r"There is no file .*part-\?\.parquet"):
        fit(TREE, [tmp_path / "text.parquet", tmp_path / "part-?.parquet"], "y")
    with pytest.raises(ValueError, match="cannot be read as Parquet"):
        fit(TREE, tmp_path / "text.parquet", "y")


# ---------------------------------------------------------------------------------- temporary files


@pytest.mark.parametrize(
    "parameters", [{}, {"bootstrap": False, "rule": None, "max_leaf_nodes": 9}]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_forest_on_a_file(tmp_path, parameters, weighted):
    table = random_table(seed=8, n_rows=2500)
    given = ImbalancedForestClassifier(4, random_state=1, n_bootstrap=5, **parameters)
    expected = table.forest(weighted=weighted, **given.get_params())
    role = {"sample_weight": WEIGHT} if weighted else {"ignore": [WEIGHT]}
    for n_parts, memory in ((1, 40_000), (16, LITTLE)):
        folder = parquet_files(tmp_path, table.shuffled(n_parts), n_parts)
        assert_same_forest(fit(given, folder, TARGET, memory=memory, **role), expected)


def test_bins_of_a_forest_that_exceed_memory_stay_in_files(room, monkeypatch):
    fetched, take_block = [], growing_tree.take_block

    def watched(block, question):
        parts = take_block(block, question)
        fetched.append(sum(part.rows.n_bytes for part in parts))
        assert list(room.iterdir())
        return parts

    monkeypatch.setattr(growing_tree, "take_block", watched)
    forest = ImbalancedForestClassifier(2, n_bootstrap=0)
    fit(forest, arrow(random_table(seed=9)), TARGET, memory=30_000)
    assert 0 < max(fetched) <= 15_000 < 3000 * 6
    assert not list(room.iterdir())


def test_a_forest_in_a_single_byte_of_memory():
    table = random_table(seed=9, n_rows=300)
    given = ImbalancedForestClassifier(2, random_state=0, max_depth=3, n_bootstrap=0)
    found = fit(given, arrow(table), TARGET, memory=1)
    assert_same_forest(found, table.forest(**given.get_params()))


def test_temporary_files_go_away(room):
    rows = arrow(random_table(seed=3))
    fit(TREE, rows.to_reader(), TARGET, memory=LITTLE)
    assert not list(room.iterdir())
    broken = rows.set_column(2, "single", pa.array(np.full(len(rows), np.inf)))
    with pytest.raises(ValueError, match="X contains infinity"):
        fit(TREE, broken.to_reader(), TARGET, memory=LITTLE)
    assert not list(room.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_ctrl_c_leaves_nothing_behind(tmp_path):
    program = textwrap.dedent(
        f"""
        import tempfile
        import time
        from tests.scale.tables import TARGET, WEIGHT, random_table
        from thresher import ImbalancedTreeClassifier
        from thresher.scale import fit, growing_tree

        def slowly(self, tree, nodes):
            print("counting", flush=True)
            time.sleep(3000)

        tempfile.tempdir = {str(tmp_path)!r}
        growing_tree.Driver.splits = slowly
        rows = random_table(0).frame
        fit(ImbalancedTreeClassifier(), rows, TARGET, ignore=[WEIGHT], memory={LITTLE})
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


# ------------------------------------------------------------------------------------------- memory


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
    machine = local.default_memory()
    for file, text in zip(files, (second, first), strict=True):
        if text is not None:
            file.write_text(text)
    assert local.default_memory() == (expected or machine)
