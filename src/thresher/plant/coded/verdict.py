"""Whether the models of several codes are of use, in a few sentences."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from thresher.judging.judgement import Judgement
from thresher.judging.verdict import (
    HEADINGS,
    Terms,
    Verdict,
    alert_words,
    figures_of,
    found_words,
    judged_words,
    level_of,
)
from thresher.plant.coded.pareto import Pareto
from thresher.wording import counted, listed, percent, plain, quoted

if TYPE_CHECKING:
    from thresher.plant.model import PlantModel


def make_verdict(
    judgement: Judgement,
    pareto: Pareto,
    terms: Terms,
    per_1000: float | None,
    models: Mapping[str, "PlantModel"],
) -> Verdict:
    """Say what all codes together are worth: figures count a row once, whatever its codes."""
    blind = [code for code, model in models.items() if model.verdict.level == "blind"]
    level = "blind" if len(blind) == len(models) else level_of(judgement, ())
    sentences = [
        found_words(judgement, terms),
        alert_words(judgement, terms.unit),
        *_budget(judgement, per_1000, terms),
        *_named(pareto, terms),
        *_most_missed(pareto, terms),
        *_blind(blind, level, terms),
        judged_words(judgement, terms.unit),
    ]
    heading = HEADINGS[level].format(event=terms.event)
    figures = figures_of(judgement, terms, with_money=False)
    return Verdict(level, heading, [plain(one) for one in sentences], figures)


def _budget(judgement: Judgement, per_1000: float | None, terms: Terms) -> list[str]:
    """Compare the alerts on unseen rows with what was allowed."""
    if per_1000 is None:
        return []
    low, high = judgement.intervals["alerts_per_1000"] or (0.0, 1000.0)
    kept = (
        "more were raised than chance explains"
        if low > per_1000
        else "fewer were raised than chance explains"
        if high < per_1000
        else "it was kept as far as chance allows to tell"
    )
    return [
        f"The budget is {per_1000:g} alerts per 1000 {terms.unit} for all codes together, however "
        f"many codes alert on one; on unseen {terms.unit} {kept}."
    ]


def _named(pareto: Pareto, terms: Terms) -> list[str]:
    own, found = pareto.named
    if not found:
        return []
    return [
        f"Of the {terms.event} that it finds, {percent(own / found)} is found under its own code."
    ]


def _most_missed(pareto: Pareto, terms: Terms) -> list[str]:
    worst = max(pareto.codes, key=lambda one: pareto.cost_missed(one) or one.missed)
    if not worst.missed:
        return []
    cost = pareto.cost_missed(worst)
    by = "cost" if cost is not None else "number"
    return [
        f"By {by}, most is missed of {quoted(worst.code)}: {worst.missed:,} of "
        f"{counted(worst.rows, terms.unit)}."
    ]


def _blind(blind: list[str], level: str, terms: Terms) -> list[str]:
    if not blind or level == "blind":
        return []
    are = "is" if len(blind) == 1 else "are"
    return [
        f"{listed(map(quoted, blind))} {are} ranked no better than by chance: change "
        f"nothing on the word of {'its alerts' if len(blind) == 1 else 'their alerts'}."
    ]
