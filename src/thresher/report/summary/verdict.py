"""The verdict: in a few plain sentences, whether the model is of use and what it found."""

from typing import Any

from scipy.stats import mannwhitneyu

from thresher.judging.early import best_f1_counts
from thresher.report.summary.case import Scored
from thresher.threshold.counts import Counts
from thresher.threshold.rules import Costs
from thresher.wording import fixed, name, number, out_of, percent

DOUBT = 0.01
"""Above this p-value the ranking of unseen rows may as well be chance."""
STRONG, FAIR = 0.7, 0.4
"""F1 from which a model is called strong, and of use."""

HEADINGS = {
    "strong": "Most {event} can be seen coming.",
    "fair": "Part of the {event} can be seen coming.",
    "weak": "Little of the {event} can be seen coming.",
    "blind": "These columns do not tell {event} from the rest.",
}


def verdict_data(
    scored: Scored,
    threshold: float,
    *,
    costs: Costs | None,
    conditions: dict[str, Any] | None,
    unit: str,
    event: str,
) -> dict[str, Any]:
    """Return a level, a heading, sentences, and the figures that stand out.

    The level goes by the F1 that is reached with a threshold chosen for it on other rows: what
    can be told at all. A threshold for low costs may have its reasons for another F1.
    """
    counts = scored.counts_at(threshold)
    level = level_of(scored)
    sentences = [_found(counts, unit, event), _alerts(counts, unit)]
    sentences += _money(counts, costs, unit)
    sentences += _best_condition(conditions, event)
    if level == "blind":
        sentences = [
            f"Rows that the model had not seen were ranked no better than by chance. Do not stop "
            f"{unit} on its word; look for other measurements.",
            *sentences[:2],
        ]
    return {
        "level": level,
        "heading": HEADINGS[level].format(event=event),
        "sentences": sentences,
        "figures": _figures(counts, costs, unit, event),
    }


def level_of(scored: Scored) -> str:
    """Return "strong", "fair", "weak" or "blind"."""
    positive = scored.probability[scored.is_positive]
    negative = scored.probability[~scored.is_positive]
    if mannwhitneyu(positive, negative, alternative="greater").pvalue > DOUBT:
        return "blind"
    f1 = float(best_f1_counts(scored.probability, scored.is_positive).fbeta()[0])
    return "strong" if f1 >= STRONG else "fair" if f1 >= FAIR else "weak"


def saved_per_1000(counts: Counts, costs: Costs) -> float:
    """Return what alerts save, per 1000 rows, against no alert at all."""
    tn, fp, fn, tp = (float(values[0]) for values in counts)
    silent = costs.fn * (fn + tp) - costs.gain_tn * (tn + fp)
    spent = costs.fp * fp + costs.fn * fn - costs.gain_tp * tp - costs.gain_tn * tn
    return 1000.0 * (silent - spent) / (tn + fp + fn + tp)


def _found(counts: Counts, unit: str, event: str) -> str:
    found = out_of(float(counts.recall[0]))
    return f"Of all {unit} that end as {event}, the model finds {found}."


def _alerts(counts: Counts, unit: str) -> str:
    per_1000 = fixed(float(counts.alerts_per_1000[0]), 0)
    right = out_of(float(counts.precision[0]))
    return f"It raises {per_1000} alerts per 1000 {unit}; {right} alerts are right."


def _money(counts: Counts, costs: Costs | None, unit: str) -> list[str]:
    if costs is None:
        return []
    saved = saved_per_1000(counts, costs)
    verb = "saves" if saved >= 0 else "loses"
    return [
        f"At a cost of {costs.fp:g} for a false alarm and {costs.fn:g} for a miss, it {verb} "
        f"{number(abs(saved))} per 1000 {unit} against no alarm at all."
    ]


def _best_condition(conditions: dict[str, Any] | None, event: str) -> list[str]:
    if conditions is None or not conditions["rows"]:
        return []
    first = next((row for row in conditions["rows"] if not row["may_be_chance"]), None)
    if first is None:
        return [
            "None of the combinations of conditions that it found can be told from chance: do not "
            "change anything for their sake."
        ]
    where = "" if first["station"] is None else f", known at {first['station']}"
    return [
        f"The condition behind most {event} is “{first['text']}”{where}: "
        f"{percent(first['coverage'], 0)} of all {event}, at {fixed(first['lift'], 1)} times the "
        "usual rate."
    ]


def _figures(counts: Counts, costs: Costs | None, unit: str, event: str) -> list[dict[str, str]]:
    figures = [
        {"value": percent(float(counts.recall[0])), "label": f"of {event} found (recall)"},
        {"value": percent(float(counts.precision[0])), "label": "of alerts right (precision)"},
        {"value": fixed(float(counts.alerts_per_1000[0]), 1), "label": f"alerts per 1000 {unit}"},
    ]
    if costs is not None:
        saved = number(saved_per_1000(counts, costs))
        figures.append({"value": saved, "label": f"saved per 1000 {unit}"})
    return figures


def event_of(event: str | None, label: Any) -> str:
    """Return the word for the positive class: as given, or its label in quotes.

    >>> event_of(None, 1), event_of("scrap", 1)
    ('“1”', 'scrap')
    """
    return f"“{name(label, 40)}”" if event is None else name(event, 40)
