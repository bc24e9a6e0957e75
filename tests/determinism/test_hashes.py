"""One hash of each kind of model, whatever else changes: threads, rows, memory, files, versions.

The hashes are in hashes.json, so that other versions of Python, NumPy and scikit-learn are held
to them as well (`make test-oldest`).
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.determinism.models import GOLDEN, MODELS, N_ROWS, TREES, digest, make_rows
from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier

EXPECTED = json.loads(GOLDEN.read_text(encoding="utf-8"))
ROWS = make_rows()


def some(first, *others):
    """Return parameters of which the usual run takes the first alone."""
    return [first, *(pytest.param(one, marks=pytest.mark.slow) for one in others)]


@pytest.mark.parametrize("kind", MODELS)
def test_the_hash_of_all_versions(kind):
    model = MODELS[kind](ROWS, 2)
    assert digest(model) == EXPECTED[kind]
    if kind in TREES and kind != "alpha trees":
        assert model.unpruned_tree_.n_nodes > 100  # there is something to differ in


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("n_jobs", [1, 3, 8, 64])
def test_threads(kind, n_jobs):
    assert digest(MODELS[kind](ROWS, n_jobs)) == EXPECTED[kind]


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("seed", some(*range(20)))
def test_orders_of_rows(kind, seed):
    order = np.random.default_rng(seed).permutation(N_ROWS)
    assert digest(TREES[kind](ROWS.taken(order), 2)) == EXPECTED[kind]


def test_a_forest_depends_on_the_order_of_rows_where_it_draws_them():
    """As its documentation says; and so a hash does change where there is a reason."""
    other = ROWS.taken(np.random.default_rng(0).permutation(N_ROWS))
    assert digest(MODELS["forest"](other, 2)) != EXPECTED["forest"]
    forest = ImbalancedForestClassifier(4, bootstrap=False, rule=None, random_state=0)
    assert digest(forest.fit(ROWS.X, ROWS.y)) == digest(forest.fit(other.X, other.y))


def strided(values):
    """Return the values as every second of an array, along each axis."""
    wide = np.full([2 * length for length in values.shape], np.inf, dtype=values.dtype)
    place = tuple(slice(None, None, 2) for _ in values.shape)
    wide[place] = values
    return wide[place]


LAYOUTS = {
    "strided": strided,
    "float32": lambda values: values.astype(np.float32),
    "Fortran": np.asfortranarray,
    "reversed": lambda values: values[::-1].copy()[::-1],
    "big-endian": lambda values: values.astype(">f8"),
    "read-only": lambda values: np.frombuffer(values.tobytes()).reshape(values.shape),
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_memory(kind, layout):
    change = LAYOUTS[layout]
    rows = ROWS._replace(X=change(ROWS.X), weight=change(ROWS.weight))
    assert digest(MODELS[kind](rows, 2)) == EXPECTED[kind]


@pytest.mark.parametrize("seed", some("1", "2", "3"))
def test_hash_seeds_and_locales(seed):
    language = {"1": "C.UTF-8", "2": "C", "3": "de_DE.UTF-8"}[seed]
    changed = {"PYTHONHASHSEED": seed, "LC_ALL": language, "OMP_NUM_THREADS": seed}
    done = subprocess.run(
        [sys.executable, "-m", "tests.determinism.models"],
        cwd=GOLDEN.parents[2],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **changed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == EXPECTED


@pytest.mark.parametrize("memory", some(200_000, None))
@pytest.mark.parametrize("rows_of_a_group", some(1000, 77, 5000))
def test_parts_of_a_file(tmp_path, rows_of_a_group, memory):
    import pyarrow as pa
    from pyarrow import parquet

    from thresher.scale import fit

    columns = {f"column {place}": values for place, values in enumerate(ROWS.X.T)}
    table = pa.table({**columns, "y": ROWS.y, "weight": ROWS.weight})
    parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=rows_of_a_group)
    given, role = ImbalancedTreeClassifier(max_bins=32), {"sample_weight": "weight"}
    model = fit(given, tmp_path / "rows.parquet", "y", **role, memory=memory)
    assert digest(model) == EXPECTED["binned tree"]
