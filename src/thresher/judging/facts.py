"""What is known of a training: the choices, the judgement, the scores behind both, as typed data.

None stands for what a file of a former version did not record.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from thresher.judging.judgement import Fold, Judgement
from thresher.judging.recipe import Recipe
from thresher.judging.row_prints import RowPrints
from thresher.judging.verdict import EVERYTHING, NOTHING, Terms
from thresher.model_file.record import Record, require
from thresher.threshold.counts import Counts
from thresher.threshold.rules import Costs
from thresher.threshold.score_counts import ScoreCounts

VERSION = 2
NOT_RECORDED = "not recorded"
MAX_ROWS = 2**53


@dataclass(frozen=True)
class Competitor:
    """A candidate as the table of candidates shows it; figures are from inner rows.

    Attributes
    ----------
    name : for people.
    value : what it reached of what the rule is after, at the threshold chosen for it.
    threshold : that threshold.
    is_chosen : whether it is the model.
    measure : what the rule of the training was after.
    """

    name: str
    value: float
    threshold: float
    is_chosen: bool
    measure: str = "value"


@dataclass(frozen=True)
class Facts:
    """What is known of a training.

    Attributes
    ----------
    target, positive : the column and its class to find.
    rows, positives : of the table.
    terms : what people call a row and a positive one.
    recipe : the choices of the user.
    held_out : how rows were held out, in words.
    judgement : the decisions about rows that chose nothing.
    folds : the folds behind it, each with its inner and its outer scores.
    scores : unseen scores of all rows on which the threshold was chosen.
    threshold_interval : its central 95 % over bootstrap samples.
    reachable_f1 : F1 of a threshold chosen for it on other rows.
    candidates : what competed.
    stations : the station of each column, in the order of the line.
    prints : hashes of the training rows.
    remarks : sentences about the table.
    library : version of the library that trained.
    """

    target: str | None = None
    positive: str | None = None
    rows: int | None = None
    positives: int | None = None
    terms: Terms = field(default_factory=Terms)
    recipe: Recipe = field(default_factory=Recipe)
    held_out: str = NOT_RECORDED
    judgement: Judgement | None = None
    folds: tuple[Fold, ...] = ()
    scores: ScoreCounts | None = None
    threshold_interval: tuple[float, float] | None = None
    reachable_f1: float | None = None
    candidates: tuple[Competitor, ...] = ()
    stations: Mapping[str, str] | None = None
    prints: RowPrints | None = None
    remarks: tuple[str, ...] = ()
    library: str = NOT_RECORDED

    @property
    def model(self) -> str:
        """The name of the chosen candidate."""
        return next((one.name for one in self.candidates if one.is_chosen), self.recipe.model)

    @property
    def choice(self) -> str | None:
        """What was chosen over what, in words; the figures are from inner rows."""
        others = [one for one in self.candidates if not one.is_chosen]
        chosen = next((one for one in self.candidates if one.is_chosen), None)
        if chosen is None or not others:
            return None
        next_best = max(others, key=lambda one: one.value)
        return (
            f"Of {len(self.candidates)} candidates, the {chosen.name} did best on inner rows "
            f"({chosen.measure} {abs(chosen.value):.3f}; next: the {next_best.name}, "
            f"{abs(next_best.value):.3f})."
        )

    def alerts_on(self, threshold: float) -> str | None:
        """Return "everything" or "nothing" where a threshold decides nothing, otherwise None."""
        if self.scores is None:
            return EVERYTHING if threshold < 0.0 else NOTHING if threshold >= 1.0 else None
        counts = self.scores.counts_at(threshold)
        alerts, rows = float(counts.tp[0] + counts.fp[0]), float(counts.total[0])
        return EVERYTHING if alerts == rows else NOTHING if alerts == 0.0 else None

    def as_json(self) -> dict[str, Any]:
        """Return what people and programs ask for, without scores and hashes."""
        return {
            "thresher": self.library,
            "target": self.target,
            "rows": self.rows,
            "positives": self.positives,
            **self.terms._asdict(),
            "model": self.model,
            "recipe": self.recipe.as_data(),
            "held_out": self.held_out,
            "judged": None if self.judgement is None else self.judgement.as_data(),
            "stations": None if self.stations is None else dict(self.stations),
            "reachable_f1": self.reachable_f1,
            "threshold_interval": self.threshold_interval,
            "candidates": [asdict(one) for one in self.candidates],
            "folds": [{"threshold": fold.threshold, "model": fold.model} for fold in self.folds],
            "remarks": list(self.remarks),
        }

    # ---------------------------------------------------------------------------------- in a file

    def as_data(self) -> dict[str, Any]:
        """Return plain data with arrays, for the model's file."""
        return {
            "version": VERSION,
            **self.as_json(),
            "positive": self.positive,
            "judged": None if self.judgement is None else _judgement_data(self.judgement),
            "threshold_interval": None
            if self.threshold_interval is None
            else list(self.threshold_interval),
            "folds": [_fold_data(fold) for fold in self.folds],
            "scores": None if self.scores is None else self.scores._asdict(),
            "prints": None
            if self.prints is None
            else {
                "hashes": self.prints.hashes.view(np.int64),
                "rows": self.prints.rows,
                "repeated": self.prints.repeated,
            },
        }

    @classmethod
    def from_record(cls, record: Record) -> "Facts":
        """Read what `as_data` wrote; a DamagedModelError where it is not sound."""
        recipe = read_recipe(record.record("recipe"))
        return cls(
            target=optional_text(record, "target"),
            positive=optional_text(record, "positive"),
            rows=_optional_count(record, "rows"),
            positives=_optional_count(record, "positives"),
            terms=Terms(record.text("unit"), record.text("event")),
            recipe=recipe,
            held_out=record.text("held_out"),
            judgement=_read_judgement(record, recipe.costs),
            folds=tuple(_read_fold(one) for one in record.records("folds")),
            scores=_read_scores(record.record("scores")) if record.has("scores") else None,
            threshold_interval=optional_pair(record, "threshold_interval"),
            reachable_f1=optional_number(record, "reachable_f1"),
            candidates=tuple(_read_competitor(one) for one in record.records("candidates")),
            stations=read_stations(record),
            prints=_read_prints(record.record("prints")) if record.has("prints") else None,
            remarks=tuple(read_texts(record, "remarks")),
            library=record.text("thresher"),
        )


def _judgement_data(judgement: Judgement) -> dict[str, Any]:
    names = ("tn", "fp", "fn", "tp", "how", "never_judged", "is_fixed")
    return {name: getattr(judgement, name) for name in names}


def _fold_data(fold: Fold) -> dict[str, Any]:
    scores = {"inner": fold.inner._asdict(), "outer": fold.outer._asdict()}
    return {"threshold": fold.threshold, "model": fold.model, "share": fold.share, **scores}


# -------------------------------------------------------------------------------- taken apart again


def optional_text(record: Record, name: str) -> str | None:
    """Return a text, None where it is not recorded."""
    return record.text(name) if record.has(name) else None


def optional_number(record: Record, name: str) -> float | None:
    """Return a number, None where it is not recorded."""
    return record.number(name) if record.has(name) else None


def _optional_count(record: Record, name: str) -> int | None:
    return record.integer(name, 0, MAX_ROWS) if record.has(name) else None


def optional_pair(record: Record, name: str) -> tuple[float, float] | None:
    """Return two numbers, None where they are not recorded."""
    if not record.has(name):
        return None
    pair = Record({str(place): one for place, one in enumerate(record.items(name))}, name)
    require(len(pair.data) == 2, f"{record.place}.{name} is not a pair of numbers")
    return pair.number("0"), pair.number("1")


def read_texts(record: Record, name: str) -> list[str]:
    """Return a list of texts."""
    texts = record.items(name)
    require(all(type(text) is str for text in texts), f"{record.place}.{name} is not texts")
    return texts


def read_stations(record: Record) -> dict[str, str] | None:
    """Return the station of each column."""
    if not record.has("stations"):
        return None
    found = dict(record.record("stations").data)
    require(all(type(text) is str for text in found.values()), "a station is not a text")
    return found


def read_recipe(record: Record) -> Recipe:
    """Return the choices of a user; those of 0.1.0 are fewer."""
    known = set(Recipe.__dataclass_fields__) & set(record.data)
    values = {name: record[name] for name in known}
    for name in ("cost_fp", "cost_fn", "floor", "per_1000"):
        values[name] = optional_number(record, name) if name in known else None
    recipe = Recipe(**values)
    try:
        recipe.check()
    except (TypeError, ValueError) as error:
        require(False, f"{record.place} cannot be used: {str(error)[:200].rstrip('.')}")
    return recipe


def _read_judgement(record: Record, costs: Costs | None) -> Judgement | None:
    if not record.has("judged"):
        return None
    inside = record.record("judged")
    never = _optional_count(inside, "never_judged")
    is_fixed, how = inside.truth("is_fixed"), inside.text("how")
    return Judgement.of(
        read_counts(inside), how, never_judged=never, is_fixed=is_fixed, costs=costs
    )


def read_counts(record: Record) -> Counts:
    """Return the four counts of a judgement."""
    counts = [record.integer(name, 0, MAX_ROWS) for name in Counts._fields]
    require(sum(counts) > 0, "no row was judged")
    return Counts(*(np.array([float(count)]) for count in counts))


def _read_fold(record: Record) -> Fold:
    inner, outer = (_read_scores(record.record(name)) for name in ("inner", "outer"))
    return Fold(
        record.number("threshold"), record.text("model"), inner, outer, record.share("share")
    )


def _read_scores(record: Record) -> ScoreCounts:
    length = len(record.array("score", "f", (None,)))
    found = ScoreCounts(*(record.floats(name, (length,)) for name in ScoreCounts._fields))
    is_sound = (
        bool((np.diff(found.score) > 0).all())
        and bool((found.least <= found.score).all())
        and bool((found.least[1:] > found.score[:-1]).all())
        and bool((found.negative >= 0).all())
        and bool((found.positive >= 0).all())
        and bool((found.negative + found.positive > 0).all())
    )
    require(length and is_sound, f"{record.place} are no scores")
    return found


def _read_competitor(record: Record) -> Competitor:
    return Competitor(
        record.text("name"),
        record.number("value"),
        record.number("threshold"),
        record.truth("is_chosen"),
        record.text("measure"),
    )


def _read_prints(record: Record) -> RowPrints:
    hashes = record.array("hashes", "i", (None,)).view(np.uint64)
    require(bool((np.diff(hashes) > 0).all()) or len(hashes) < 2, "its hashes are not sorted")
    rows = record.integer("rows", 0, MAX_ROWS)
    return RowPrints(hashes, rows, record.integer("repeated", 0, rows))


def competitors(rivals: Sequence[Any], chosen: Any, measure: str) -> tuple[Competitor, ...]:
    """Return the table of candidates of a training."""
    return tuple(
        Competitor(one.candidate.name, one.value, one.threshold, one is chosen, measure)
        for one in rivals
    )
