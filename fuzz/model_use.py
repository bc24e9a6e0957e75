"""Coverage-guided search for models that are read, and then break what uses them.

    python fuzz/model_use.py -max_total_time=60 CORPUS build/fuzz/models

Inputs are those of `fuzz/model_file.py`. A model that can be read predicts, is written in every
way there is, and read again; where it is refused on the way, this library says why.
"""

import sys
import traceback
import warnings
from pathlib import Path

import atheris
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(
    include=["thresher.export", "thresher.condition", "thresher.model_file"]
):
    from thresher.condition.finding import find_conditions
    from thresher.errors import ModelFileError
    from thresher.export.onnx.model import to_onnx
    from thresher.export.python import to_python
    from thresher.export.sql.query import DIALECTS
    from thresher.export.sql.statement import to_sql
    from thresher.model_file.file import StoredModel, from_bytes, to_bytes
    from thresher.tree.classifier import ImbalancedTreeClassifier

from fuzz.harness import start
from fuzz.model_changes import changed
from tests.model_file.damage import harm, resealed

LIBRARY = str(Path(sys.modules["thresher"].__file__).parent)
MAX_COLUMNS = 100


def use_any(data):
    """Read one input and use it; whatever is raised from here is a finding."""
    try:
        model = from_bytes(resealed(data), "the input").model
    except ModelFileError:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        _predict(model)
        for use in (*EXPORTS, *_uses(model)):
            _told(use, model)


def _predict(model):
    n_columns = int(model.n_features_in_)
    if n_columns <= MAX_COLUMNS:
        problem = harm(model, np.random.default_rng(0).normal(size=(8, n_columns)))
        if problem is not None:
            raise AssertionError(problem)


EXPORTS = [
    to_onnx,
    to_python,
    *(lambda model, dialect=name: to_sql(model, "parts", dialect=dialect) for name in DIALECTS),
    lambda model: from_bytes(to_bytes(StoredModel(model, None)), "again"),
]


def _uses(model):
    if not isinstance(getattr(model, "estimator_", model), ImbalancedTreeClassifier):
        return
    for output in ("frame", "text", "json", "sql"):
        yield lambda model, output=output: find_conditions(model, output=output)
    if isinstance(model, ImbalancedTreeClassifier):
        yield lambda model: model.export_text()
        yield lambda model: model.feature_importances_


def _told(use, model):
    """Use a model; an error is one that the library itself raises, in one sentence."""
    try:
        use(model)
    except (ValueError, TypeError) as error:
        where = traceback.extract_tb(error.__traceback__)[-1].filename
        if not where.startswith(LIBRARY) or "\n" in str(error):
            raise


if __name__ == "__main__":
    start(use_any, changed)
