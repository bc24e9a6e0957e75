"""How early it is known, station by station, as plain data."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.judging.early import EarlyDetection, early_detection
from thresher.report.summary.case import Case
from thresher.threshold.unseen import can_vote
from thresher.wording import name

MAX_TREES = 50
"""Of a forest that is fitted for every station."""

MEASURES = ("recall", "precision", "f1", "f1_low", "f1_high")


def early_data(found: EarlyDetection) -> dict[str, Any]:
    """Return one row a station."""
    columns = found.columns()
    rows = [
        {
            "station": name(station, 40),
            "columns": int(columns["columns"][place]),
            **{measure: float(columns[measure][place]) for measure in MEASURES},
        }
        for place, station in enumerate(found.stations)
    ]
    return {"rows": rows}


def detect_early(
    case: Case, stations: Mapping[str, str], names: Sequence[str] | None, seed: int
) -> EarlyDetection:
    """Fit the estimator again with the columns up to each station, a forest with fewer trees."""
    estimator = case.problem.estimator
    if hasattr(case.model, "forest_"):
        estimator.set_params(n_estimators=min(estimator.n_estimators, MAX_TREES))
    has_votes = can_vote(estimator) and not case.is_bound
    return early_detection(
        estimator,
        case.X,
        case.labels,
        stations,
        names=names,
        cv=None if has_votes else case.splits,
        pos_label=case.target.classes[case.target.positive],
        random_state=seed,
        n_jobs=case.n_jobs,
    )
