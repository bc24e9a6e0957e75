"""Models in MLflow: logged as the model file they are, loaded and served without pickle."""

from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from thresher import __version__
from thresher.errors import MissingPackageError, ModelFileError, ParameterError, TableError
from thresher.plant.model import PlantModel

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["load_model", "log_model", "save_model"]

FILE = "model.thresher"
FLAVOR = "python_function"
USUAL_REASONS = 3


def log_model(
    model: PlantModel, name: str = "model", *, reasons: int | None = None, **options: Any
) -> Any:
    """Log a model to the run of MLflow that is active, or to a new one.

    What is stored is the model file of `save`, so that nothing runs when it is loaded. MLflow
    serves it as a Python function that answers with the columns `probability`, `decision`,
    `condition`, `answer` where rows are referred, and `reason_1` and so on. Missing values and
    levels that were not there in training are taken as `predict_table` takes them, and a table that
    lies outside the training range is refused unless the model is loaded with
    `model_config={"allow_drift": True}`.

    Parameters
    ----------
    model : PlantModel
        What `thresher.train` or `PlantModel.load` returns.
    name : str
        Name of the model inside of MLflow.
    reasons : int or None
        How many reasons the served model gives for each row; None: three where the model can tell
        them, else none.
    **options
        Further arguments of `mlflow.pyfunc.log_model`, such as `registered_model_name`,
        `input_example` (the first rows of a table, from which MLflow infers a signature) or `tags`.

    Returns
    -------
    mlflow.models.model.ModelInfo

    Examples
    --------
    ::

        import mlflow, thresher.mlflow

        with mlflow.start_run():
            info = thresher.mlflow.log_model(model, input_example=parts.head())
        served = mlflow.pyfunc.load_model(info.model_uri)
        served.predict(new_parts)      # probability, decision, condition, reason_1, ...
    """
    with TemporaryDirectory() as folder:
        arguments = _arguments(model, Path(folder), reasons)
        return _pyfunc().log_model(name=name, **arguments, **options)


def save_model(
    model: PlantModel, path: str | PathLike[str], *, reasons: int | None = None, **options: Any
) -> None:
    """Write a model to a folder in MLflow's layout, as `log_model` does to a run."""
    with TemporaryDirectory() as folder:
        _pyfunc().save_model(str(path), **_arguments(model, Path(folder), reasons), **options)


def load_model(uri: str) -> PlantModel:
    """Load what `log_model` or `save_model` stored, with its threshold, judgement and conditions.

    Parameters
    ----------
    uri : str
        `models:/name/version`, `runs:/run/name`, or the path of a folder.
    """
    _pyfunc()
    from mlflow.artifacts import download_artifacts
    from mlflow.models import Model

    folder = Path(download_artifacts(uri))
    flavor = Model.load(str(folder)).flavors.get(FLAVOR, {})
    if flavor.get("loader_module") != __name__:
        raise ModelFileError(f"'{uri}' is not a model that thresher.mlflow stored.")
    return PlantModel.load(folder / flavor["data"])


class _Served:
    """What MLflow asks for predictions."""

    def __init__(self, model: PlantModel, reasons: int, *, allow_drift: bool) -> None:
        self._model, self._reasons, self._allow_drift = model, reasons, allow_drift

    def predict(self, table: "pd.DataFrame", params: Any = None) -> "pd.DataFrame":
        """Return the columns that the model adds to a table, without those of the table."""
        from mlflow.exceptions import MlflowException

        try:
            found = self._model.predict_table(
                table, reasons=self._reasons, allow_drift=self._allow_drift
            )
        except TableError as error:  # MLflow's server tells no sentence but of its own errors
            raise MlflowException.invalid_parameter_value(str(error)) from error
        return found[list(self._model.added(self._reasons))]


def _load_pyfunc(path: str, model_config: dict[str, Any] | None = None) -> _Served:
    """Load a model for MLflow, which finds this function by its name."""
    config = model_config or {}
    allow_drift = config.get("allow_drift", False)
    return _Served(PlantModel.load(Path(path)), config.get("reasons", 0), allow_drift=allow_drift)


def _arguments(model: PlantModel, folder: Path, reasons: int | None) -> dict[str, Any]:
    """Write the model file, and return what MLflow has to know of it."""
    if not isinstance(model, PlantModel):
        raise ParameterError(
            f"A {type(model).__name__} has no conditions to serve; give what thresher.train "
            "or PlantModel.load returns."
        )
    can_reason = hasattr(model.estimator, "reasons")
    if reasons is None:
        reasons = USUAL_REASONS if can_reason else 0
    if reasons < 0 or (reasons and not can_reason):
        raise ParameterError(f"reasons={reasons} is not what this model can tell; leave it out.")
    model.save(folder / FILE)
    return {
        "loader_module": __name__,
        "data_path": str(folder / FILE),
        "model_config": {"reasons": reasons, "allow_drift": False},
        "pip_requirements": [f"thresher=={__version__}", "pandas"],
    }


def _pyfunc() -> Any:
    try:
        import mlflow.pyfunc
    except ImportError as error:
        raise MissingPackageError(
            "Logging to MLflow needs mlflow: pip install 'thresher[mlflow]'."
        ) from error
    return mlflow.pyfunc
