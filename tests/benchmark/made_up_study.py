"""Studies whose scores are chosen, so that a test knows what has to be said of them."""

import numpy as np

from thresher.benchmark.paper import paper_datasets, paper_methods, paper_table
from thresher.benchmark.study.measures import Measures
from thresher.benchmark.study.result import RunRecord, StudyResult

FOLDS = 4
ROWS = 10_000

SCORES = {
    f"set {row}": {"ARDT": 0.8 - 0.01 * row, "LinR": 0.3 + 0.01 * row, "CDT": 0.7}
    for row in range(6)
}


def measures_of(f1):
    """Return counts of 1000 positives with an F1 near the one asked for; ACC rises with it."""
    tp = round(1000 * f1)
    return Measures(ROWS - 1000 + tp, 1000 - tp, 1000 - tp, tp, 0.5, 0.1, 0.25, 0.05, 3)


def study_of(scores, failed=()):
    """Return a study with these F1 (data set -> method -> score); folds differ by 0.002 a step.

    failed : pairs (data set, method) whose first fold has the status "failed".
    """
    runs = []
    for dataset, of_methods in scores.items():
        for method, score in of_methods.items():
            for fold, shift in enumerate((-0.003, -0.001, 0.001, 0.003)):
                place = (dataset, method, 0, fold)
                if fold == 0 and (dataset, method) in failed:
                    runs.append(RunRecord(*place, "failed", "ValueError: it broke"))
                else:
                    value = float(np.clip(score + shift, 0.0, 1.0))
                    runs.append(RunRecord(*place, "done", None, None, measures_of(value)))
    settings = {
        "folds": FOLDS,
        "repeats": 1,
        "random_state": 0,
        "versions": {"python": "3.x", "thresher": "0.x"},
    }
    return StudyResult(tuple(runs), settings=settings)


def scores_like_paper(datasets=None, methods=None, **changes):
    """Return the paper's F1, with other values for some methods on all data sets."""
    printed = paper_table("f1").scores
    return {
        dataset: {
            method: changes.get(method.replace("+", "_"), printed.of(dataset, method))
            for method in methods or paper_methods()
        }
        for dataset in datasets or paper_datasets()
    }
