"""A fitted model and its table in, everything that a report shows out, as plain data."""

import platform
from collections.abc import Mapping, Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import __version__
from thresher.condition.finding import find_conditions
from thresher.condition.readable_tree import is_taken_over
from thresher.condition.table import ConditionTable
from thresher.frames import read_vector
from thresher.judging.judgement import LEFT_OUT, Judgement
from thresher.judging.verdict import Setting, make_verdict, shown_threshold
from thresher.matrix import Columns, read_matrix
from thresher.report.summary.case import (
    Case,
    Judged,
    judge_case,
    make_case,
    read_setting,
    score_case,
)
from thresher.report.summary.conditions import SEEN, UNSEEN, condition_data, tree_data
from thresher.report.summary.curves import calibration_data, slider_data
from thresher.report.summary.influence import influence_data
from thresher.report.summary.quality import quality_data, text_table_data
from thresher.text_table import TextTable
from thresher.threshold.counts import Costs
from thresher.wording import RARE_CASES, name, number, percent, threshold

FORMAT = 2

HOW_TO_GET = {
    "conditions": "Conditions are read from the models of this package.",
    "tree": "A tree can be shown for models of this package, for those that are no tree as long "
    "as their training rows are at hand.",
}
"""What to say where a section is left out, because its input was not given."""


def summarize(
    model: Any,
    X: Any,
    y: Any,
    *,
    stages: Mapping[str, str] | None = None,
    times: Any = None,
    costs: Costs | Mapping[str, float] | None = None,
    cv: Any = 5,
    groups: Any = None,
    held_out: bool | str = False,
    judged: Judged | None = None,
    conditions: ConditionTable | None = None,
    setting: Setting | None = None,
    name_of_model: str | None = None,
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
    stages : mapping of column to stage, default=None
        In the order of the line.
    times : array of datetime64 or of ISO texts, default=None
        When each row was made.
    costs : Costs or mapping with "fp" and "fn", default=None
        Cost of a false alarm and of a miss; "gain_tp" and "gain_tn" on demand.
    cv : int, splitter or splits, default=5
        Folds on which the model is fitted again.
    groups : array-like, default=None
        Groups for a splitter that needs them.
    held_out : bool or str, default=False
        Whether the model has not seen these rows; a text says what they are instead.
    judged : Judged, default=None
        Scores, folds and judgement of a training that has judged itself.
    conditions : ConditionTable, default=None
        What `thresher.find_conditions(..., output="table")` gave; found here by default.
    setting : Setting, default=None
        How the model decides: its threshold and how that came about; read from it by default.
    name_of_model : str, default=None
        What the model is, in words.
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
    >>> summary = summarize(model, X, y)
    >>> summary["verdict"]["level"]
    'fair'
    >>> render(summary).startswith("<!DOCTYPE html>")
    True
    """
    case = make_case(model, X, y, cv=cv, groups=groups, held_out=held_out, seed=seed, n_jobs=n_jobs)
    money = read_costs(costs)
    if judged is None:
        judged = judge_case(case, score_case(case), money, seed)
    scored, judgement, folds = judged
    # The table as numbers, in the model's codes where it has some.
    inner = getattr(model, "estimator_", model)
    columns = getattr(inner, "columns_", None)
    if isinstance(columns, Columns):
        matrix = columns.matrix(X, "summarize")
    else:
        matrix, columns = read_matrix(X)
    table = conditions
    # Trees that were taken over are imitated on their training rows, which are not at hand here.
    can_be_read = hasattr(inner, "tree_") or hasattr(inner, "to_tree")
    if table is None and can_be_read and not is_taken_over(inner):
        names = ("X_test", "y_test") if held_out else ("X", "y")
        table = find_conditions(
            model,
            **dict(zip(names, (case.X, case.labels), strict=True)),
            stages=stages,
            cost_fp=None if money is None else money.fp,
            cost_fn=None if money is None else money.fn,
            max_leaf_nodes=max_leaf_nodes,
            cv=case.splits,
            output="table",
            random_state=seed,
            n_jobs=n_jobs,
        )
    found = None
    if table is not None:
        moments = None if times is None else _times(times, len(case.labels))
        found = condition_data(table, matrix, columns, case.is_positive, moments)
        found["pictured"] = UNSEEN if held_out is True else SEEN
    called = RARE_CASES if table is None else table.class_name
    title = (
        called if table is None or table.target is None else f"{table.target} = {table.pos_label}"
    )
    setting = setting or read_setting(model, scored)
    sections = {"conditions": found, "tree": tree_data(case, max_leaf_nodes)}
    return {
        "format": FORMAT,
        "title": name(f"What leads to {title}?", 120),
        "class_name": called,
        "verdict": make_verdict(judgement, folds, setting, table, called).as_data(),
        "slider": slider_data(scored, case.threshold, money, judgement, setting.threshold_alert),
        **sections,
        "calibration": calibration_data(scored),
        "quality": quality_data(matrix, columns, stages or {}, notes, seed, reading),
        "card": card_data(case, judgement, setting, name_of_model),
        "candidates": None if candidates is None else text_table_data(candidates),
        "missing": {key: HOW_TO_GET[key] for key, value in sections.items() if value is None},
        "influence": influence_data(model, matrix, columns, case.is_positive, seed),
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


def _times(times: Any, count: int) -> NDArray[Any]:
    """Return the time of each of so many rows."""
    given = np.asarray(read_vector(times, "times"))
    if given.shape != (count,):
        raise ValueError(
            f"times must have one entry for each of the {count} rows, got the shape {given.shape}."
        )
    try:
        return given.astype("datetime64[s]")
    except ValueError as error:
        raise ValueError(f"times must be dates or times: {error}.") from error


PACKAGES = ("numpy", "scipy", "scikit-learn", "narwhals", "jinja2")


def card_data(
    case: Case,
    judgement: Judgement,
    setting: Setting,
    model: str | None = None,
) -> dict[str, Any]:
    """Return the facts of a model, its parameters, versions and limits."""

    def words(value: float) -> str:
        return threshold(shown_threshold(value))

    negative, positive = case.target.totals
    rate = positive / (negative + positive)
    own = "" if setting.alerts_on is None else f" (it alerts on {setting.alerts_on})"
    never = judgement.never_judged
    left = f"; {number(never)} rows were never judged" if never else ""
    between = ""
    if setting.interval is not None:
        low, high = map(words, setting.interval)
        between = f" (95 % interval {low} to {high})"
    facts = {
        "Model": name(model or type(case.model).__name__, 80),
        "Positive class": name(case.target.classes[case.target.positive]),
        "Other class": name(case.target.classes[1 - case.target.positive]),
        "Rows": f"{number(negative + positive)}, {number(positive)} of the positive class "
        f"({percent(rate)})",
        "Threshold": f"{words(setting.threshold)}{own}{between}",
    }
    if setting.threshold_alert is not None:
        facts["Threshold of alerts"] = words(setting.threshold_alert)
    if setting.promise is not None:
        facts["Promise"] = setting.promise
    facts["Judged on"] = f"{number(judgement.rows)} rows: {judgement.how}{left}"
    facts["Report made"] = date.today().isoformat()
    parameters = changed_parameters(case.model)
    if setting.interval is not None and parameters.get("n_bootstrap") == "0":
        del parameters["n_bootstrap"]  # the training drew the samples, not the model
    return {
        "facts": facts,
        "parameters": parameters,
        "versions": versions(),
        "limits": [
            "Conditions are associations in these data, not proven causes; try a change on the "
            "line before relying on it.",
            f"The threshold fits a rate of {percent(rate)}. Where the rate moves, train again with "
            "newer rows (thresher train), or ask whoever programs with thresher to move the share "
            "(adjust_prior).",
            LEFT_OUT,
            "A level that training has not seen, or a value that is missing where none was, "
            "follows the larger branch of the tree.",
        ],
    }


def changed_parameters(model: Any) -> dict[str, str]:
    """Return the parameters that are not at their default.

    >>> from thresher import ImbalancedTreeClassifier
    >>> changed_parameters(ImbalancedTreeClassifier(max_depth=4))
    {'max_depth': '4'}
    """
    known = signature(type(model).__init__).parameters
    return {
        key: name(value, 120)
        for key, value in sorted(model.get_params(deep=False).items())
        if key not in known or repr(known[key].default) != repr(value)
    }


def versions() -> dict[str, str]:
    """Return the versions that this report was made with."""
    found = {"thresher": __version__, "Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
