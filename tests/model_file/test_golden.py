"""Files of every version of the format are read as they were when they were made."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from thresher import from_json, load_model
from thresher.model_file.container import VERSION
from thresher.model_file.file import StoredModel, to_bytes
from thresher.model_file.old import LOADERS

GOLDEN = Path(__file__).parents[1] / "golden"
FOLDERS = sorted(GOLDEN.glob("version_*"))
FILES = [path for folder in FOLDERS for path in sorted(folder.glob("*.thresher"))]


def test_every_version_has_files_and_a_reader():
    versions = {int(folder.name.removeprefix("version_")) for folder in FOLDERS}
    assert versions == set(range(1, VERSION + 1))
    assert {*LOADERS, VERSION} == versions
    assert len(FILES) >= 7 * len(FOLDERS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
@pytest.mark.parametrize("form", ["file", "json"])
def test_a_golden_file_predicts_what_it_did(path, form):
    content = json.loads((path.parent / "expected.json").read_text(encoding="utf-8"))
    expected = content["models"][path.stem]
    if form == "file":
        model = load_model(path)
    else:
        model = from_json(path.with_suffix(".json").read_text(encoding="utf-8"))
    table = pd.DataFrame({name: content["rows"][name] for name in expected["columns"]})
    if path.stem.endswith("names"):
        table = table.to_numpy()
    assert model.threshold_ == expected["threshold"]
    assert model.pos_label_ == expected["positive_class"]
    assert model.predict(table).tolist() == expected["decisions"]
    # Tree models are exact anywhere; sums of products may differ in the last place.
    exact = 0.0 if "tree" in path.stem or "forest" in path.stem else 1e-14
    np.testing.assert_allclose(
        model.predict_proba(table)[:, 1], expected["probabilities"], rtol=exact, atol=exact
    )


def test_the_two_forms_of_a_golden_model_are_one_model():
    for path in (GOLDEN / f"version_{VERSION}").glob("*.thresher"):
        other = from_json(path.with_suffix(".json").read_text(encoding="utf-8"))
        assert to_bytes(StoredModel(other, None)) == to_bytes(StoredModel(load_model(path), None))
