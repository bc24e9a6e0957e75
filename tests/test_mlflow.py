"""Models in MLflow: what is served on loopback is what `predict_table` says."""

import json
import os

import numpy as np
import pandas as pd
import pytest

from tests.loopback import post, served
from thresher import ImbalancedForestClassifier, train
from thresher.datasets import make_assembly_line
from thresher.errors import ModelFileError, ParameterError
from thresher.plant import PlantModel

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"  # before the import, which reads it

mlflow = pytest.importorskip("mlflow")
scoring_server = pytest.importorskip("mlflow.pyfunc.scoring_server")
import thresher.mlflow  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # those of MLflow and its packages
ADDED = ["probability", "decision", "condition", "reason_1", "reason_2", "reason_3"]


@pytest.fixture(scope="module")
def table():
    line = make_assembly_line(1200, random_state=0)
    return line.X.assign(scrap=line.y)


@pytest.fixture(scope="module")
def model(table):
    return train(table, target="scrap", model="tree", random_state=0)


@pytest.fixture(scope="module")
def folder(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("mlflow") / "model"
    thresher.mlflow.save_model(model, path)
    return path


@pytest.fixture
def odd_rows(table):
    """Rows with values that are missing, and levels that the training has not seen."""
    rows = table.drop(columns="scrap").head(6).reset_index(drop=True)
    rows.loc[1, "torque_3"] = np.nan
    rows.loc[2, "supplier"] = "somebody new"
    rows.loc[3, "supplier"] = None
    rows.loc[4, rows.select_dtypes("number").columns] = np.nan
    return rows


def test_a_served_model_answers_as_the_model_does(model, folder, odd_rows):
    app = scoring_server.init(mlflow.pyfunc.load_model(str(folder)))
    with served(app) as address:
        records = json.loads(odd_rows.to_json(orient="split"))
        status, answer = post(f"{address}/invocations", {"dataframe_split": records})
        refused, told = post(f"{address}/invocations", {"dataframe_records": [{"torque_3": 1.0}]})
    assert status == 200
    found = pd.DataFrame(answer["predictions"])
    expected = model.predict_table(odd_rows, reasons=3)[ADDED]
    assert list(found) == ADDED
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-12)
    assert refused == 400
    assert "supplier" in told["message"]


def test_no_file_of_the_folder_is_a_pickle(folder):
    names = {path.name for path in folder.rglob("*") if path.is_file()}
    assert "model.thresher" in names
    assert not [name for name in names if name.endswith((".pkl", ".pickle", ".joblib"))]


def test_a_run_keeps_the_model_with_its_judgement(model, odd_rows, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # databases need the whole of mlflow
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run():
        info = thresher.mlflow.log_model(model, reasons=1, input_example=odd_rows.head(1))
    loaded = thresher.mlflow.load_model(info.model_uri)
    assert isinstance(loaded, PlantModel)
    assert loaded.judgement.f1 == model.judgement.f1
    answered = mlflow.pyfunc.load_model(info.model_uri).predict(odd_rows)
    assert list(answered) == [*ADDED[:3], "reason_1"]


def test_an_estimator_without_a_training_is_refused(table, tmp_path):
    forest = ImbalancedForestClassifier(2, random_state=0).fit(table[["torque_3"]], table["scrap"])
    with pytest.raises(ParameterError, match="ImbalancedForestClassifier has no conditions"):
        thresher.mlflow.save_model(forest, tmp_path / "forest")


def test_models_of_others_are_refused(tmp_path):
    class Other(mlflow.pyfunc.PythonModel):
        def predict(self, context, model_input):
            return model_input

    mlflow.pyfunc.save_model(str(tmp_path / "other"), python_model=Other())
    with pytest.raises(ModelFileError, match="not a model that thresher"):
        thresher.mlflow.load_model(str(tmp_path / "other"))


def test_reasons_that_cannot_be_told_are_refused_at_once(model, tmp_path):
    with pytest.raises(ParameterError, match="reasons"):
        thresher.mlflow.save_model(model, tmp_path / "model", reasons=-1)


def test_rows_outside_the_training_range_are_served_only_where_that_is_allowed(folder, table):
    far = table.drop(columns="scrap").head(20).assign(torque_3=100 * table["torque_3"])
    with pytest.raises(mlflow.exceptions.MlflowException, match="'torque_3' lie outside the train"):
        mlflow.pyfunc.load_model(str(folder)).predict(far)
    served = mlflow.pyfunc.load_model(str(folder), model_config={"allow_drift": True})
    assert len(served.predict(far)) == 20
