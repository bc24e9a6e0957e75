"""How early it is known, station by station, as plain data."""

from collections.abc import Mapping
from typing import Any

from thresher.plant.early import EarlyDetection, early_detection
from thresher.report.scores import Case
from thresher.report.wording import name

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


def detect_early(case: Case, stations: Mapping[str, str], seed: int) -> EarlyDetection:
    """Fit the estimator again with the columns up to each station."""
    estimator = case.problem.estimator
    has_votes = bool(getattr(estimator, "bootstrap", False)) and hasattr(case.model, "forest_")
    return early_detection(
        estimator,
        case.X,
        case.labels,
        stations,
        cv=None if has_votes else case.splits,
        pos_label=case.target.classes[case.target.positive],
        random_state=seed,
        n_jobs=case.n_jobs,
    )
