"""Tables and frames of a result."""

import sys

import numpy as np
import pytest

from thresher.benchmark.study.measures import METRICS, Measures
from thresher.benchmark.study.result import RunRecord, StudyResult


def measures(tp, fn=0, brier=0.1, leaves=None):
    return Measures(10, 0, fn, tp, None, brier, 0.25, 0.125, leaves)


def record(dataset, method, fold, found, repeat=0):
    status = "done" if isinstance(found, Measures) else found
    error = None if status == "done" else "ValueError: no"
    return RunRecord(
        dataset, method, repeat, fold, status, error, None, found if status == "done" else None
    )


RESULT = StudyResult(
    (
        record("a", "x", 0, measures(1)),
        record("a", "x", 1, measures(1, fn=1, brier=None)),
        record("a", "y", 0, measures(0, fn=1, leaves=4)),
        record("a", "y", 1, "failed"),
        record("b", "x", 0, "pending"),
        record("b", "x", 1, "timeout"),
        record("b", "y", 0, measures(1, leaves=2)),
        record("b", "y", 1, measures(0, fn=3, leaves=6)),
    ),
    metrics=("f1", "leaves"),
)


def test_names_keep_their_order():
    assert RESULT.datasets == ("a", "b")
    assert RESULT.methods == ("x", "y")
    assert repr(RESULT) == (
        "StudyResult(2 data sets, 2 methods, 8 runs: 5 done, 1 failed, 1 pending, 1 timeout)"
    )


@pytest.mark.parametrize(
    ("metric", "complete", "partial"),
    [
        ("f1", [[5 / 6, np.nan], [np.nan, 0.5]], [[5 / 6, 0.0], [np.nan, 0.5]]),
        ("pooled_f1", [[0.8, np.nan], [np.nan, 0.4]], [[0.8, 0.0], [np.nan, 0.4]]),
        ("leaves", [[np.nan, np.nan], [np.nan, 4.0]], [[np.nan, 4.0], [np.nan, 4.0]]),
        ("brier", [[0.1, np.nan], [np.nan, 0.1]], [[0.1, 0.1], [np.nan, 0.1]]),
        ("average_precision", [[np.nan] * 2] * 2, [[np.nan] * 2] * 2),
    ],
)
def test_tables(metric, complete, partial):
    datasets, methods, values = RESULT.table(metric)
    assert (datasets, methods) == (("a", "b"), ("x", "y"))
    np.testing.assert_allclose(values, complete)
    np.testing.assert_allclose(RESULT.table(metric, partial=True).values, partial)


def test_one_cell():
    assert RESULT.table("f1").of("b", "y") == 0.5


def test_failures_are_what_was_tried_in_vain():
    assert [run.status for run in RESULT.failures] == ["failed", "timeout"]
    assert not RESULT.is_complete
    assert StudyResult(RESULT.runs[:3]).is_complete


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_frame_has_a_row_for_each_run(kind):
    frame = RESULT.to_frame(kind)
    assert type(frame).__module__.partition(".")[0] == kind
    labels = ["dataset", "method", "repeat", "fold", "status", "error", "warnings"]
    assert list(frame.columns) == [*labels, "f1", "leaves", "tn", "fp", "fn", "tp"]
    assert len(frame) == 8
    assert list(frame["status"]) == [run.status for run in RESULT.runs]
    f1 = np.array(frame["f1"], dtype=float)
    np.testing.assert_allclose(f1, [1, 2 / 3, 0, np.nan, np.nan, np.nan, 1, 0])


def test_a_frame_has_all_metrics_by_default():
    assert set(METRICS) < set(StudyResult(RESULT.runs).to_frame().columns)


def test_without_pandas_a_frame_is_a_dict(monkeypatch):
    monkeypatch.setattr("thresher.frames.find_spec", lambda name: None)
    assert "pandas" in sys.modules
    assert RESULT.to_frame()["tp"][0] == 1.0


def test_unknown_metric_offers_near_names():
    with pytest.raises(ValueError, match=r"metric='F1' is unknown.*did you mean 'f1'"):
        RESULT.table("F1")


def test_an_empty_frame():
    assert len(StudyResult((record("a", "x", 0, "pending"),)).to_frame()) == 1
