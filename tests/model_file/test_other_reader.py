"""The format is what docs/model-format.md says: a reader after that page alone decides the same."""

import numpy as np
import pandas as pd
import pytest

from tests.model_file.other_reader import decide, read
from tests.zoo import EXACT, KINDS, draw
from thresher.model_file.file import StoredModel, to_bytes


def rows_of(table):
    """Return rows as lists of plain values; None where one is missing."""
    if isinstance(table, np.ndarray):
        return [[None if value != value else value for value in row] for row in table.tolist()]
    columns = [
        [None if pd.isna(value) else value for value in table[name].tolist()] for name in table
    ]
    # Booleans are numbers to a model.
    columns = [[float(v) if isinstance(v, bool) else v for v in column] for column in columns]
    return list(map(list, zip(*columns, strict=True)))


@pytest.mark.parametrize("kind", KINDS)
def test_random_models_are_read_after_the_page(kind):
    for seed in range(12):
        model, table = draw(kind, seed)
        head = table[:20]
        probabilities, labels = decide(read(to_bytes(StoredModel(model, None))), rows_of(head))
        positive = model.predict_proba(head)[:, model.classes_.tolist().index(model.pos_label_)]
        is_exact = kind in EXACT
        np.testing.assert_allclose(probabilities, positive, rtol=0, atol=0 if is_exact else 1e-12)
        if is_exact:
            assert labels == model.predict(head).tolist()
