"""Coverage-guided search for bytes on which reading a model does anything but refuse or work.

    python fuzz/model_file.py -max_total_time=60 CORPUS tests/golden/version_2

New inputs go to the folder CORPUS; `make fuzz` does it all. An input that starts with "{" is JSON,
any other a model file, which is read as it is and with its digest made anew. Half of the changes
are made with a knowledge of the format, so that they reach what lies behind the digest.
"""

import json
import random
import sys
from pathlib import Path

import atheris
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(include=["thresher.model_file", "thresher.tree.soundness"]):
    from thresher.errors import ModelFileError
    from thresher.model_file.file import from_bytes
    from thresher.model_file.json.text import from_json

from tests.model_file.damage import (
    WRONG,
    array_changed,
    damaged,
    entry_changed,
    field_changed,
    harm,
    resealed,
    value_changed,
    ways_through,
    with_value,
)

MAX_COLUMNS = 100
WAYS = {field_changed: 3, value_changed: 3, array_changed: 1, entry_changed: 1}


def read_any(data):
    """Read one input; whatever is raised from here is a finding."""
    if data[:1] == b"{":
        _used(from_json, data.decode("utf-8", errors="surrogateescape"))
        return
    _used(_from_file, data)
    _used(_from_file, resealed(data))


def _from_file(data):
    return from_bytes(data, "the input").model


def _used(read, content):
    try:
        model = read(content)
    except ModelFileError as error:
        if "\n" in str(error):
            raise AssertionError(f"not one sentence: {error}") from error
        return
    n_columns = int(model.n_features_in_)
    if n_columns <= MAX_COLUMNS:
        rows = np.random.default_rng(0).normal(size=(8, n_columns))
        problem = harm(model, rows)
        if problem is not None:
            raise AssertionError(problem)


def changed(data, max_size, seed):
    """Change an input with a knowledge of the format or, as often, without."""
    draw = random.Random(seed)
    if draw.random() < 0.5:
        try:
            found = _changed_json(draw, data) if data[:1] == b"{" else _changed_file(draw, data)
        except (ValueError, LookupError, AttributeError, TypeError, OverflowError, RecursionError):
            found = b""
        if 0 < len(found) <= max_size:
            return found
    return atheris.Mutate(data, max_size)


def _changed_json(draw, data):
    content = json.loads(data)
    way = draw.choice([way for way in ways_through(content) if way])
    return json.dumps(with_value(content, way, draw.choice(WRONG))).encode()


def _changed_file(draw, data):
    return resealed(damaged(draw, resealed(data), WAYS)[1])


def main():
    atheris.Setup(sys.argv, read_any, custom_mutator=changed)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
