"""What the score depends on: shares of all columns, and means that add up."""

import numpy as np
import pytest

from tests.report.reports import line_report, table_report
from tests.table_factory import Table
from thresher import ImbalancedTreeClassifier
from thresher.report.summary.influence import influence_data


def test_means_along_a_column_add_up_to_its_contributions():
    X, y = Table(columns=5, missing=0.05).numpy()
    model = ImbalancedTreeClassifier(max_leaf_nodes=8).fit(X, y)
    data = influence_data(model, X, model.columns_, y == 1, seed=0)
    contributions = model.contributions(X)[:, :-1]
    shares = np.abs(contributions).mean(axis=0)
    order = np.argsort(-shares)
    assert [one["name"] for one in data["columns"]][:2] == [f"x[{k}]" for k in order[:2]]
    assert data["columns"][0]["share"] == pytest.approx(shares[order[0]] / shares.sum())
    for place, curve in zip(order, data["curves"], strict=False):
        total = sum(rows * mean for _, rows, mean, _, _ in curve["points"])
        assert total == pytest.approx(contributions[:, place].sum())
        assert sum(one[1] for one in curve["points"]) == 400


@pytest.mark.parametrize("report", [line_report, table_report])
def test_reports_of_trees_and_forests_have_it(report):
    data = report()["influence"]
    assert 1 <= len(data["columns"]) <= 10
    assert len(data["curves"]) <= 4
    assert sum(one["share"] for one in data["columns"]) <= 1.0 + 1e-9
