"""The report of a model that was taken over, on rows that it has not seen."""

from sklearn.ensemble import GradientBoostingClassifier

from thresher import ThresholdClassifier, convert
from thresher.datasets import make_assembly_line
from thresher.report import render, summarize


def test_a_report_of_unseen_rows_leaves_out_what_needs_training_rows():
    line = make_assembly_line(1200, random_state=0)
    X, y = line.X.select_dtypes("number").fillna(0.0), line.y
    model = convert(GradientBoostingClassifier(n_estimators=20).fit(X[:600], y[:600]))
    chosen = ThresholdClassifier(model, "f1", cv="prefit", n_bootstrap=0).fit(
        X[600:900], y[600:900]
    )
    for one in (model, chosen):
        summary = summarize(one, X[900:], y[900:], held_out=True)
        assert {"conditions", "tree"} <= set(summary["missing"])
        assert summary["card"]["facts"]["Rows"].startswith("300")
        assert render(summary).startswith("<!DOCTYPE html>")
