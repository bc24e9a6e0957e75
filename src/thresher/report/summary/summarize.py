"""A fitted model and its table in, everything that a report shows out, as plain data."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from thresher.column import Matrix
from thresher.condition.finding import conditions as find_conditions
from thresher.condition.readable_tree import is_taken_over
from thresher.condition.table import ConditionTable
from thresher.judging.early import EarlyDetection
from thresher.judging.monitoring import Monitoring
from thresher.judging.verdict import Setting, Terms, make_verdict, terms_of
from thresher.matrix import Columns, read_matrix
from thresher.report.summary.calibration import calibration_data
from thresher.report.summary.card import card_data
from thresher.report.summary.case import Case, Judged, Scored, judge_case, make_case, score_case
from thresher.report.summary.comparison import comparison_data, read_setting
from thresher.report.summary.conditions import SEEN, UNSEEN, condition_data
from thresher.report.summary.daily import daily_data, follow_days, read_times
from thresher.report.summary.early import detect_early, early_data
from thresher.report.summary.influence import influence_data
from thresher.report.summary.line import line_data
from thresher.report.summary.quality import quality_data, text_table_data
from thresher.report.summary.scorecard import scorecard_data
from thresher.report.summary.slider import slider_data
from thresher.report.summary.tree import tree_data
from thresher.text_table import TextTable
from thresher.threshold.rules import Costs
from thresher.wording import name

FORMAT = 2

HOW_TO_GET = {
    "line": "Give the station of each column (stations=..., on the command line --stations) to see "
    "the line, where each condition is known, and how early.",
    "conditions": "Conditions are read from the models of this package.",
    "tree": "A tree can be shown for models of this package, for those that are no tree as long "
    "as their training rows are at hand.",
    "early": "Give the station of each column (stations=..., on the command line --stations) to "
    "see how early it is known.",
    "daily": "Give the time of each row (times=..., on the command line --time) to see the rate "
    "of each day between its control limits.",
}
"""What to say where a section is left out, because its input was not given."""


def summarize(
    model: Any,
    X: Any,
    y: Any,
    *,
    stations: Mapping[str, str] | None = None,
    times: Any = None,
    costs: Costs | Mapping[str, float] | None = None,
    cv: Any = 5,
    groups: Any = None,
    held_out: bool = False,
    judged: Judged | None = None,
    conditions: ConditionTable | None = None,
    early: EarlyDetection | None = None,
    daily: Monitoring | None = None,
    resampling: bool = True,
    title: str | None = None,
    description: str | None = None,
    unit: str = "rows",
    event: str | None = None,
    setting: Setting | None = None,
    name_of_model: str | None = None,
    tests: Sequence[str] | None = None,
    notes: Sequence[str] = (),
    reading: TextTable | None = None,
    candidates: TextTable | None = None,
    max_leaf_nodes: int = 32,
    seed: int = 0,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """Return all that a report shows, as data that JSON can hold; no row of the table is in it.

    Every figure comes from rows that the model that judged them had not seen: those of `judged`,
    otherwise out-of-bag votes of a forest (unless `cv` are splits or a splitter, for time or
    groups), otherwise folds on which the model is fitted again, or the rows as they are if they
    are `held_out`. A threshold that a rule chose is judged on other rows than it was chosen on.

    Parameters
    ----------
    model : fitted classifier with `predict_proba`
        A tree, a forest, or a ThresholdClassifier around a tree; for others the conditions and
        the tree are left out.
    X, y : table and labels
        The rows that the model was fitted on, or rows that it has not seen with `held_out=True`.
    stations : mapping of column to station, default=None
        In the order of the line.
    times : array of datetime64 or of ISO texts, default=None
        When each row was made.
    costs : Costs or mapping with "fp" and "fn", default=None
        Cost of a false alarm and of a miss; "gain_tp" and "gain_tn" on demand.
    cv : int, splitter or splits, default=5
        Folds on which the model is fitted again.
    groups : array-like, default=None
        Groups for a splitter that needs them.
    held_out : bool, default=False
        Whether the model has not seen these rows.
    judged : Judged, default=None
        Scores, folds and judgement of a training that has judged itself.
    conditions : ConditionTable, default=None
        What `thresher.conditions(..., output="table")` gave; found here by default.
    early, daily : what `early_detection` and `daily_monitoring` of thresher.plant gave
        Found here by default, where there are stations and times.
    resampling : bool, default=True
        Compare with resampled classes, which takes two more fits a fold.
    title, description : str
        The heading, and a sentence about the data.
    unit, event : str
        What a row is, in the plural, and the word for the positive class, a plural or a mass noun
        ("rare cases" by default).
    setting : Setting, default=None
        How the model decides: its threshold and how that came about; read from it by default.
    name_of_model : str, default=None
        What the model is, in words.
    tests : names of stations, default=None
        End-of-line tests; by default the stations whose name says so.
    reading : TextTable, default=None
        What each column was taken for; see `thresher.tables.plan.Plan.as_table`.
    candidates : TextTable, default=None
        What competed for the model; see `thresher.judging.facts.Facts.candidates_table`.
    notes : sentences, default=()
        Warnings about the data, shown with its quality.
    max_leaf_nodes : int, default=32
        Most leaves of the tree that imitates a forest.
    seed : int, default=0
    n_jobs : int, default=None

    Returns
    -------
    dict

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier
    >>> from thresher.datasets import load_dataset
    >>> from thresher.report import render, summarize
    >>> X, y = load_dataset("Yeast-me1")
    >>> model = ImbalancedTreeClassifier(max_depth=3).fit(X, y)
    >>> summary = summarize(model, X, y, resampling=False)
    >>> summary["verdict"]["level"], summary["missing"]["line"][:29]
    ('fair', 'Give the station of each colu')
    >>> render(summary).startswith("<!DOCTYPE html>")
    True
    """
    case = make_case(model, X, y, cv=cv, groups=groups, held_out=held_out, seed=seed, n_jobs=n_jobs)
    money = read_costs(costs)
    if judged is None:
        judged = judge_case(case, score_case(case), money, seed)
    scored = judged.scored
    assert isinstance(scored, Scored), "The rows are at hand."
    matrix, columns = _matrix(model, X)
    table = conditions
    if table is None and _is_readable(model):
        table = _found(case, stations, money, max_leaf_nodes, seed)
    positive = str(case.target.classes[case.target.positive])
    terms = terms_of(unit, event, "", positive)
    found = None
    if table is not None:
        moments = None if times is None else read_times(times, len(case.labels))
        found = condition_data(table, matrix, columns, case.is_positive, moments)
        found["pictured"] = UNSEEN if held_out else SEEN
    setting = setting or read_setting(model, scored)
    sections = {
        "conditions": None if found is None else found | terms._asdict(),
        "line": None if stations is None else _line(stations, table, tests),
        "tree": tree_data(case, max_leaf_nodes, terms.unit),
        "early": _early(case, early, stations, columns.names, seed),
        "daily": _daily(case, scored, daily, times),
    }
    heading = Heading(title or f"What leads to {terms.event}?", description, terms)
    comparison = comparison_data(
        case, judged, setting.words, money, resampling=resampling, seed=seed
    )
    found = put_together(
        heading,
        case,
        judged,
        setting,
        table,
        sections=sections,
        costs=money,
        comparison=comparison,
        quality=quality_data(matrix, columns, dict(stations or {}), notes, seed, reading),
        name_of_model=name_of_model,
        candidates=candidates,
        missing=HOW_TO_GET,
    )
    found["influence"] = influence_data(model, matrix, columns, case.is_positive, seed)
    points = scorecard_data(model)
    return found if points is None else found | {"scorecard": points}


class Heading(NamedTuple):
    """What stands above a report, and what people call a row and a positive one."""

    title: str
    description: str | None
    terms: Terms


def put_together(
    heading: Heading,
    case: Case,
    judged: Judged,
    setting: Setting,
    table: ConditionTable | None,
    *,
    sections: Mapping[str, Any],
    costs: Costs | None,
    comparison: Mapping[str, Any],
    quality: Mapping[str, Any],
    name_of_model: str | None,
    candidates: TextTable | None,
    missing: Mapping[str, str],
) -> dict[str, Any]:
    """Return all parts of a report; `missing` tells why a section may be None.

    Of `case` nothing is asked but its model and its target: its rows may be elsewhere.
    """
    title, description, terms = heading
    scored, judgement, folds = judged
    return {
        "format": FORMAT,
        "title": name(title, 120),
        "description": None if description is None else name(description, 400),
        **terms._asdict(),
        "verdict": make_verdict(judgement, folds, setting, table, terms).as_data(),
        "slider": slider_data(scored, case.threshold, costs, judgement, setting.threshold_alert),
        **sections,
        "comparison": comparison,
        "calibration": calibration_data(scored),
        "quality": quality,
        "card": card_data(case, judgement, setting, description, name_of_model),
        "candidates": None if candidates is None else text_table_data(candidates),
        "missing": {key: missing[key] for key, value in sections.items() if value is None},
    }


def read_costs(costs: Costs | Mapping[str, float] | None) -> Costs | None:
    """Return costs as what the rules take.

    >>> read_costs({"fp": 5, "fn": 80})
    Costs(fp=5, fn=80, gain_tp=0.0, gain_tn=0.0)
    """
    if costs is None:
        return None
    if not isinstance(costs, Costs):
        unknown = sorted(set(costs) - set(Costs._fields))
        if unknown:
            raise ValueError(
                f"costs has the unknown entry {unknown[0]!r}; choose from "
                f"{', '.join(Costs._fields)}."
            )
        costs = Costs(**costs)
    costs.check()
    return costs


def _matrix(model: Any, X: Any) -> tuple[Matrix, Columns]:
    """Return the table as numbers, in the model's codes where it has some."""
    inner = getattr(model, "estimator_", model)
    columns = getattr(inner, "columns_", None)
    if isinstance(columns, Columns):
        return columns.matrix(X, "summarize"), columns
    return read_matrix(X)


def _is_readable(model: Any) -> bool:
    inner = getattr(model, "estimator_", model)
    # Trees that were taken over are imitated on their training rows, which are not at hand here.
    can_be_read = hasattr(inner, "tree_") or hasattr(inner, "to_tree")
    return can_be_read and not is_taken_over(inner)


def _found(
    case: Case,
    stations: Mapping[str, str] | None,
    costs: Costs | None,
    max_leaf_nodes: int,
    seed: int,
) -> ConditionTable:
    rows = (
        {"X_test": case.X, "y_test": case.labels}
        if case.held_out
        else {
            "X": case.X,
            "y": case.labels,
        }
    )
    table: ConditionTable = find_conditions(
        case.model,
        **rows,
        stations=stations,
        cost_fp=None if costs is None else costs.fp,
        cost_fn=None if costs is None else costs.fn,
        max_leaf_nodes=max_leaf_nodes,
        cv=case.splits,
        output="table",
        random_state=seed,
        n_jobs=case.n_jobs,
    )
    return table


def _early(
    case: Case,
    found: EarlyDetection | None,
    stations: Mapping[str, str] | None,
    names: Sequence[str] | None,
    seed: int,
) -> dict[str, Any] | None:
    if found is None and stations is not None:
        found = detect_early(case, stations, names, seed)
    return None if found is None else early_data(found)


def _daily(
    case: Case, scored: Scored, days: Monitoring | None, times: Any
) -> dict[str, Any] | None:
    if days is None and times is not None:
        days = follow_days(case, scored, times)
    return None if days is None else daily_data(days)


def _line(
    stations: Mapping[str, str], table: ConditionTable | None, tests: Sequence[str] | None
) -> dict[str, Any]:
    if table is None:
        return line_data(stations, (), tests)
    return line_data(stations, table.stations, tests, table.is_confirmed.tolist())
