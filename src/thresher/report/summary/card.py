"""The model card: what the model is, where it came from, and what it must not be used for."""

import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from thresher import __version__
from thresher.judging.judgement import LEFT_OUT, Judgement
from thresher.judging.verdict import Setting, shown_threshold
from thresher.report.summary.case import Case
from thresher.wording import name, number, percent, threshold

PACKAGES = ("numpy", "scipy", "scikit-learn", "narwhals", "jinja2")


def card_data(
    case: Case,
    judgement: Judgement,
    setting: Setting,
    description: str | None,
    model: str | None = None,
) -> dict[str, Any]:
    """Return the facts of a model, its parameters, versions and limits."""
    negative, positive = case.target.totals
    above = threshold(shown_threshold(setting.threshold))
    own = "" if setting.alerts_on is None else f" (it alerts on {setting.alerts_on})"
    never = judgement.never_judged
    left = f"; {number(never)} rows were never judged" if never else ""
    facts = {
        "Model": name(model or type(case.model).__name__, 80),
        "Positive class": name(case.target.classes[case.target.positive]),
        "Other class": name(case.target.classes[1 - case.target.positive]),
        "Rows": f"{number(negative + positive)}, {number(positive)} of the positive class "
        f"({percent(positive / (negative + positive))})",
        "Threshold": f"{above}{own}{_span(setting.interval)}",
        **_alert_fact(setting),
        **({} if setting.promise is None else {"Promise": setting.promise}),
        "Judged on": f"{number(judgement.rows)} rows: {judgement.how}{left}",
        "Report made": date.today().isoformat(),
    }
    parameters = changed_parameters(case.model)
    if setting.interval is not None and parameters.get("n_bootstrap") == "0":
        del parameters["n_bootstrap"]  # the training drew the samples, not the model
    return {
        "facts": facts,
        "parameters": parameters,
        "versions": versions(),
        "limits": _limits(case, description),
    }


def _alert_fact(setting: Setting) -> dict[str, str]:
    if setting.threshold_alert is None:
        return {}
    return {"Threshold of alerts": threshold(shown_threshold(setting.threshold_alert))}


def changed_parameters(model: Any) -> dict[str, str]:
    """Return the parameters that are not at their default.

    >>> from thresher import ImbalancedTreeClassifier
    >>> changed_parameters(ImbalancedTreeClassifier(max_depth=4))
    {'max_depth': '4'}
    """
    given = model.get_params(deep=False)
    defaults = _defaults(type(model))
    return {
        key: name(value, 120)
        for key, value in sorted(given.items())
        if key not in defaults or repr(defaults[key]) != repr(value)
    }


def _defaults(kind: Any) -> dict[str, Any]:
    from inspect import Parameter, signature

    parameters = signature(kind.__init__).parameters.values()
    return {item.name: item.default for item in parameters if item.default is not Parameter.empty}


def versions() -> dict[str, str]:
    """Return the versions that this report was made with."""
    found = {"thresher": __version__, "Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _span(interval: Any) -> str:
    if interval is None:
        return ""
    low, high = (threshold(shown_threshold(end)) for end in interval)
    return f" (95 % interval {low} to {high})"


def _limits(case: Case, description: str | None) -> list[str]:
    rate = case.target.totals[1] / sum(case.target.totals)
    limits = [
        "Conditions are associations in these data, not proven causes; try a change on the line "
        "before relying on it.",
        f"The threshold fits a rate of {percent(rate)}. Where the rate moves, train again with "
        "newer rows (thresher train), or ask whoever programs with thresher to move the share "
        "(adjust_prior).",
        LEFT_OUT,
        "A level that training has not seen, or a value that is missing where none was, follows "
        "the larger branch of the tree.",
    ]
    return limits if description is None else [name(description, 400), *limits]
