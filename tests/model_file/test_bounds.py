"""Time and memory of reading are bounded by the bytes that are read, whatever these say."""

import json
import os
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest

from tests.model_file.damage import header_of, resealed
from tests.processor_time import least_time
from tests.table_factory import Table
from thresher import (
    ImbalancedForestClassifier,
    ImbalancedTreeClassifier,
    LeastSquaresClassifier,
    load_model,
    save_model,
)
from thresher.errors import DamagedModelError
from thresher.model_file.container import pack, unpack
from thresher.model_file.fields import is_number
from thresher.model_file.file import StoredModel, _bytes_of, from_bytes, to_bytes

X, Y = Table(rows=300, labels=("ok", "scrap")).numpy()
FREE = 8 * 2**20  # bytes


def peak_memory(work):
    """Return the most memory, in bytes, that some work takes on top of what was there."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def with_field(content, change):
    """Return a sealed file whose document a function has changed."""
    contents = unpack(content)
    data = json.loads(contents.document)
    change(data["model"])
    return pack(json.dumps(data, separators=(",", ":")), contents.arrays)


WIDE = {"array": [""] * 8000, "dtype": "<U65536"}
ONE_LONG = {"array": ["x" * 60_000] + [""] * 8000, "dtype": "<U60000"}
MANY = [{"array": [""], "dtype": "<U65536"}] * 8000


def test_a_wide_type_of_labels_takes_no_memory():
    model = ImbalancedTreeClassifier(max_depth=2).fit(X, Y)
    content = to_bytes(StoredModel(model, None))
    changes = [
        lambda model: model["parameters"].update(random_state=WIDE),
        lambda model: model["parameters"].update(random_state=ONE_LONG),
        lambda model: model["parameters"].update(categorical_features=ONE_LONG),
        lambda model: model["parameters"].update(class_weight={"dict": [["ok", MANY]]}),
        lambda model: model.update(classes={"values": WIDE["array"], "dtype": "<U65536"}),
    ]

    def refuse_all():
        for change in changes:
            with pytest.raises(DamagedModelError, match="is a damaged model file"):
                from_bytes(with_field(content, change), "it")

    assert peak_memory(refuse_all) < FREE


def test_labels_and_names_that_are_wider_than_they_need_come_back(tmp_path):
    """Arrays of texts have the width that somebody gave them; a parameter's is not kept."""
    names = np.array(["a", "width"], dtype="<U900")
    model = LeastSquaresClassifier(class_weight={"scrap": 2.0}).fit(X, Y.astype("<U300"))
    save_model(model, tmp_path / "model.thresher")
    again = load_model(tmp_path / "model.thresher")
    assert again.predict(X).dtype == model.predict(X).dtype == np.dtype("<U300")
    table = pd.DataFrame(X.round(), columns=["a", "width", "c"])
    tree = ImbalancedTreeClassifier(max_depth=2, categorical_features=names).fit(table, Y)
    found = from_bytes(to_bytes(StoredModel(tree, None)), "it").model.categorical_features
    assert found.tolist() == names.tolist()
    assert found.dtype == np.dtype("<U5")
    old = with_field(
        to_bytes(StoredModel(tree, None)),
        lambda model: model["parameters"]["categorical_features"].update(dtype="<U900"),
    )
    assert from_bytes(old, "it").model.categorical_features.tolist() == names.tolist()


def test_a_number_costs_a_comparison():
    """The bound of finite integers is not computed again for each of 200,000 class weights."""

    def as_numbers(is_number):
        return lambda: [is_number(1) for _ in range(50_000)]

    assert least_time(as_numbers(is_number)) < 3 * least_time(as_numbers(lambda one: abs(one) < 2))


# ------------------------------------------------------------------------------------------- files


def test_a_file_longer_than_it_says_is_not_read(tmp_path):
    path = tmp_path / "model.thresher"
    save_model(LeastSquaresClassifier().fit(X, Y), path)
    size = path.stat().st_size

    def load():
        with pytest.raises(DamagedModelError, match=r"has bytes behind its arrays; take another"):
            load_model(path)

    os.truncate(path, 3 * 2**30)
    assert peak_memory(load) < FREE
    os.truncate(path, size - 1)
    with pytest.raises(DamagedModelError, match="it is cut off"):
        load_model(path)


def test_a_file_that_tells_of_more_than_it_has_is_not_made_room_for(tmp_path):
    path = tmp_path / "model.thresher"
    save_model(LeastSquaresClassifier().fit(X, Y), path)
    content = path.read_bytes()
    header = header_of(content).rstrip()
    told = header.replace(b"24]}}", b"240000000000]}}")
    assert told != header
    told += b" " * (-len(told) % 8)
    path.write_bytes(resealed(len(told).to_bytes(8, "little") + told + b"\0" * 24))
    with pytest.raises(DamagedModelError, match="it is cut off"):
        load_model(path)


def test_a_file_is_read_once(tmp_path):
    """The arrays of a forest are views of the one copy that was read."""
    table, y = Table(rows=20_000, columns=2, share=0.3, noise=100.0).numpy()
    model = ImbalancedForestClassifier(60, rule=None, random_state=0).fit(table, y)
    path = tmp_path / "model.thresher"
    save_model(model, path)
    size = path.stat().st_size
    assert size > 4 * 2**20
    contents = []
    assert peak_memory(lambda: contents.append(unpack(_bytes_of(path)))) < 1.2 * size
    assert not contents[0].arrays["model/trees/cut"].flags.writeable


def test_levels_of_splits_are_checked_as_bits():
    """A forest with many category splits takes a small multiple of its file."""
    random = np.random.default_rng(0)
    table, y = random.integers(0, 200, size=(20_000, 2)), random.random(20_000) < 0.3
    model = ImbalancedForestClassifier(
        30, rule=None, categorical_features=[0, 1], max_features=1, random_state=0
    ).fit(table.astype(float), y)
    content = to_bytes(StoredModel(model, None))
    assert unpack(content).arrays["model/trees/levels_left"].nbytes > 2**21
    assert peak_memory(lambda: from_bytes(content, "it")) < 8 * len(content)


def test_weights_whose_sum_overflows_are_refused_without_a_warning():
    model = ImbalancedForestClassifier(3, n_bootstrap=0, random_state=0)
    content = to_bytes(StoredModel(model.fit(X, Y, np.linspace(0.5, 1.5, 300)), None))
    contents = unpack(content)
    weights = {"model/choice/weights": np.full_like(contents.arrays["model/choice/weights"], 1e308)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DamagedModelError, match="weights of the scored rows are out of range"):
            from_bytes(pack(contents.document, {**contents.arrays, **weights}), "it")


def test_a_root_without_rows_is_refused():
    """Shares of no rows are none."""
    contents = unpack(to_bytes(StoredModel(ImbalancedTreeClassifier().fit(X, Y), None)))
    rows = {"model/tree/rows": np.zeros_like(contents.arrays["model/tree/rows"])}
    with pytest.raises(DamagedModelError, match="the root has no rows of a class"):
        from_bytes(pack(contents.document, {**contents.arrays, **rows}), "it")
