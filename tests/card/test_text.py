"""Printed cards are exact: a person who adds up points gets what the model says."""

import numpy as np
import pytest

from tests.card.tables import mixed_table, new_rows, points_by_hand, read_card
from thresher import ImbalancedForestClassifier, ScoreCardClassifier


@pytest.mark.parametrize("seed", range(4))
def test_points_by_hand_are_those_of_the_model(seed):
    X, y = mixed_table(seed)
    card = ScoreCardClassifier(
        ImbalancedForestClassifier(30, random_state=seed), max_splits=20, random_state=seed
    ).fit(X, y)
    parts, least = read_card(card.export_text())
    assert sum(map(len, parts)) == card.n_splits_ > 3
    rows = new_rows(seed, 400)
    by_hand = np.array([points_by_hand(parts, row) for row in rows.to_dict("records")])
    np.testing.assert_array_equal(card.predict_score(rows), by_hand)
    np.testing.assert_array_equal(card.predict(rows) == "scrap", by_hand >= least)
    assert len(np.unique(by_hand)) > 5


def test_a_threshold_around_a_card_is_printed_in_points():
    X, y = mixed_table(0)
    card = ScoreCardClassifier(max_splits=5, random_state=0).fit(X, y)
    _, least = read_card(card.export_text(threshold=0.9))
    is_above = card.predict_proba(X)[:, card.positive_index_] > 0.9
    np.testing.assert_array_equal(is_above, card.predict_score(X) >= least)


def test_cuts_on_a_card_are_short():
    X, y = mixed_table(1)
    card = ScoreCardClassifier(max_splits=10, random_state=0).fit(X, y)
    cuts = card.trees_.cut[(card.trees_.feature >= 0) & (card.trees_.level_set < 0)]
    assert max(len(f"{cut:g}") for cut in cuts) <= 6
    assert all(float(f"{cut:g}") == cut for cut in cuts)
