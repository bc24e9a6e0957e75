"""How early scrap can be told: what a model reaches with the measurements up to each station."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from thresher.condition.station_order import station_order
from thresher.frames import frame_kind, make_frame
from thresher.judging.plot import plot_early
from thresher.threshold.counts import Counts, Vector
from thresher.threshold.search import ScoredRows
from thresher.threshold.unseen import (
    Problem,
    Unseen,
    can_vote,
    out_of_bag,
    out_of_fold,
    scorer_of,
    splitter,
)
from thresher.validation import draw_seed, read_target
from thresher.wording import storable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FOLDS = 5
DRAWS = 1000
"""Bootstrap samples behind the interval of F1."""


@dataclass(frozen=True)
class EarlyDetection:
    """What is reached at each station.

    Attributes
    ----------
    stations : in the order of the line.
    n_columns : number of columns known up to each.
    counts : decisions on rows that had no part in them, one entry a station.
    f1_low, f1_high : 95 % bootstrap interval of F1 over the rows.
    kind : library of the data frame.
    """

    stations: tuple[str, ...]
    n_columns: tuple[int, ...]
    counts: Counts
    f1_low: Vector
    f1_high: Vector
    kind: str | None

    def columns(self) -> dict[str, Any]:
        """Return the table's columns by name."""
        return {
            "station": np.array([storable(station) for station in self.stations], dtype=object),
            "columns": np.array(self.n_columns),
            "f1": self.counts.fbeta(),
            "f1_low": self.f1_low,
            "f1_high": self.f1_high,
            "precision": self.counts.precision,
            "recall": self.counts.recall,
            "alerts_per_1000": self.counts.alerts_per_1000,
        }

    def to_frame(self) -> Any:
        """Return a data frame of the library of X, one row a station."""
        return make_frame(self.columns(), self.kind)

    def plot(self, *, ax: "Axes | None" = None) -> "Figure":
        """Draw F1, precision and recall along the line; needs matplotlib."""
        return plot_early(self.columns(), ax=ax)


def early_detection(
    model: Any,
    X: Any,
    y: Any,
    stations: Mapping[str, str],
    *,
    names: Sequence[str] | None = None,
    cv: Any = None,
    pos_label: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> EarlyDetection:
    """Tell what can be known of the rare class at each station of a line.

    For each station a clone of the model is fitted on the columns of all stations up to it. Rows
    are scored by trees that have not seen them (a forest: out of bag) or in folds; the threshold
    of largest F1 is chosen on four fifths of these scores and judged on the last, in turn.

    Parameters
    ----------
    model : classifier
        A forest is quickest: it is fitted once for each station.
    X, y : table, and labels of two classes
    stations : mapping of column to station, in the order of the line
        Columns that are not in it are left out.
    names : names of the columns, default=None
        Of an array, which has none of its own.
    cv : int, splitter or None, default=None
        How rows are scored: folds, for instance ordered by time. None: out of bag for an
        ImbalancedForestClassifier with `bootstrap`, five folds for others.
    pos_label : object, default=None
        The positive class; by default the rarer one.
    random_state : int, RandomState or None, default=0
        Seed of the folds and of the intervals.
    n_jobs : int, default=None
        Folds that are fitted at the same time.

    Returns
    -------
    EarlyDetection
        With `to_frame()` and `plot()`.

    Examples
    --------
    >>> from thresher import ImbalancedForestClassifier
    >>> from thresher.datasets import make_assembly_line
    >>> line = make_assembly_line(2000, random_state=0)
    >>> model = ImbalancedForestClassifier(50, random_state=0)
    >>> early = early_detection(model, line.X, line.y, line.stations)
    >>> f1 = early.counts.fbeta()
    >>> bool(f1[0] < f1[3] < f1[-1])
    True
    """
    known, order = _columns_of(X, names), station_order(stations)
    _check_stations(stations, known)
    seed = draw_seed(random_state)
    target = read_target(y, len(X), pos_label=pos_label)
    is_positive = target.is_positive.astype(np.bool_)
    labels = target.classes.take(is_positive == bool(target.positive))
    n_columns, judged = [], []
    for place in range(len(order)):
        chosen = [column for column in known if stations.get(column) in order[: place + 1]]
        part, table = _for_columns(model, known, chosen), _select(X, known, chosen)
        problem = Problem(part, table, labels, target.classes, target.positive)
        rows, scores = _unseen_scores(problem, cv, seed, n_jobs)
        judged.append(best_f1_counts(scores, is_positive[rows], seed))
        n_columns.append(len(chosen))
    counts = Counts(*(np.concatenate(entries) for entries in zip(*judged, strict=True)))
    return EarlyDetection(order, tuple(n_columns), counts, *_intervals(counts, seed), frame_kind(X))


def _columns_of(X: Any, given: Sequence[str] | None) -> list[str]:
    own = getattr(X, "column_names", None)
    own = getattr(X, "columns", None) if own is None else own
    names = given if own is None else own
    if names is None or not all(isinstance(name, str) for name in names):
        raise TypeError("X must have named columns, for stations go by these: give names=[...].")
    if len(names) != X.shape[1]:
        raise ValueError(f"names has {len(names)} entries, but X has {X.shape[1]} columns.")
    return list(names)


def _check_stations(stations: Mapping[str, str], known: Sequence[str]) -> None:
    if not stations:
        raise ValueError("stations is empty; map at least one column of X to its station.")
    unknown = [column for column in stations if column not in known]
    if unknown:
        raise ValueError(f"stations names the column {unknown[0]!r}, which X does not have.")


def _select(X: Any, known: list[str], chosen: list[str]) -> Any:
    """Return some columns; pandas takes them by index, others by `select`, arrays by position."""
    if isinstance(X, np.ndarray):
        return X[:, [known.index(column) for column in chosen]]
    return X.select(chosen) if hasattr(X, "select") else X[chosen]


def _for_columns(model: Any, known: list[str], chosen: list[str]) -> Any:
    """Return the model for some of the columns: those that it was told of may go."""
    model = _with_pairs_of(model, known, chosen)
    told = getattr(model, "categorical_features", None)
    if told is None or isinstance(told, str):
        return model
    told = np.asarray(told)
    if told.dtype.kind in "bi":
        told = np.asarray(known, dtype=object)[told]
    kept = [place for place, column in enumerate(chosen) if column in set(told.tolist())]
    return clone(model).set_params(categorical_features=kept or None)


def _with_pairs_of(model: Any, known: list[str], chosen: list[str]) -> Any:
    """Return the model without the given pairs of columns that are not there."""
    names = ("derive", "estimator__derive")
    derives = {name: model.get_params().get(name) for name in names}
    kept = {
        name: derive.within(known, chosen)
        for name, derive in derives.items()
        if getattr(derive, "pairs", None) is not None
    }
    return clone(model).set_params(**kept) if kept else model


def _unseen_scores(problem: Problem, cv: Any, seed: int, n_jobs: int | None) -> Unseen:
    """Score rows by trees that have not seen them where there are such, otherwise in folds."""
    if cv is None and can_vote(problem.estimator):
        forest = scorer_of(problem.estimator)
        votes = out_of_bag(problem, forest.fit(problem.X, problem.labels))
        assert votes is not None
        return votes
    if cv is None:
        cv = StratifiedKFold(FOLDS, shuffle=True, random_state=seed % 2**32)
    splits = splitter(cv, problem.labels, None).split(problem.X, problem.labels)
    return out_of_fold(problem, splits, n_jobs=n_jobs)


def best_f1_counts(scores: Vector, is_positive: NDArray[np.bool_], seed: int = 0) -> Counts:
    """Count decisions whose threshold was chosen for F1 on four fifths of the rows, in turn.

    >>> is_positive = np.arange(100) >= 90
    >>> best_f1_counts(0.1 + 0.8 * is_positive, is_positive).fbeta()
    array([1.])
    """
    rare = int(min(is_positive.sum(), (~is_positive).sum()))
    folds = StratifiedKFold(max(2, min(FOLDS, rare)), shuffle=True, random_state=seed % 2**32)
    alert = np.zeros(len(scores), dtype=np.bool_)
    for chosen_on, judged_on in folds.split(scores[:, None], is_positive) if rare > 1 else ():
        cuts = ScoredRows.of(scores[chosen_on], is_positive[chosen_on], is_probability=False).cuts()
        alert[judged_on] = scores[judged_on] > cuts.best_threshold(cuts.counts.fbeta())
    return Counts.of(alert, is_positive)


def _intervals(counts: Counts, seed: int) -> tuple[Vector, Vector]:
    """Return the 2.5 and 97.5 % points of F1 over bootstrap samples of the rows."""
    random = np.random.default_rng(seed)
    ends = []
    for station in np.array(counts).T:
        drawn = random.multinomial(int(station.sum()), station / station.sum(), size=DRAWS)
        f1 = Counts(*drawn.T.astype(np.float64)).fbeta()
        ends.append(np.quantile(f1, [0.025, 0.975]))
    low, high = np.array(ends).T
    return low, high
