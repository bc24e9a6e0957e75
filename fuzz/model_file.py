"""Coverage-guided search for bytes on which reading a model does anything but refuse or work.

    python fuzz/model_file.py -max_total_time=60 CORPUS build/fuzz/models

New inputs go to the folder CORPUS; `make fuzz` does it all. An input is read with its notes, as it
is and with its digest made anew. Half of the changes are made with a knowledge of the format, so
that they reach what lies behind the digest.
"""

import sys
from pathlib import Path

import atheris
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(
    include=[
        "thresher.model_file",
        "thresher.tree.structure",
        "thresher.judging.facts",
        "thresher.plant.store",
        "thresher.plant.store",
    ]
):
    from thresher.errors import ModelFileError
    from thresher.model_file.file import from_bytes
    from thresher.plant.store import plant_in

from fuzz.harness import start
from fuzz.model_changes import changed
from tests.model_file.damage import harm, resealed

MAX_COLUMNS = 100


def read_any(data):
    """Read one input; whatever is raised from here is a finding."""
    _used(_from_file, data)
    _used(_from_file, resealed(data))


def _from_file(data):
    stored = from_bytes(data, "the input")
    _refused(lambda: plant_in(stored, "the input"))
    return stored.model


def _used(read, content):
    model = _refused(lambda: read(content))
    if model is not None and int(model.n_features_in_) <= MAX_COLUMNS:
        problem = harm(model, np.random.default_rng(0).normal(size=(8, int(model.n_features_in_))))
        if problem is not None:
            raise AssertionError(problem)


def _refused(read):
    """Return what is read, None where it is refused in one sentence."""
    try:
        return read()
    except ModelFileError as error:
        if "\n" in str(error):
            raise AssertionError(f"not one sentence: {error}") from error
        return None


if __name__ == "__main__":
    start(read_any, changed)
