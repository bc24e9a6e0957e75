"""What is known of a training: the choices, the judgement, the scores behind both, as typed data.

None stands for what is not known, as of an estimator that was saved by itself.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from thresher.errors import ParameterError
from thresher.evaluation.leakage import SHARES, Finding
from thresher.judging.column_summary import ColumnSummary, columns_data, read_columns
from thresher.judging.competitor import Competitor, Derived, candidates_table, choice_words
from thresher.judging.contest import Money
from thresher.judging.judgement import Fold, Judgement
from thresher.judging.recipe import Recipe
from thresher.judging.row_prints import MAX_PRINTS, RowPrints
from thresher.judging.verdict import EVERYTHING, NOTHING
from thresher.model_file.choice import describe_promise, promise_from
from thresher.model_file.fields import Record, is_number, require
from thresher.tables.dates import ORDERS
from thresher.tables.notation import COMMA, EITHER, POINT, Notation
from thresher.tables.plan import LABEL, MEANINGS, ColumnPlan, Plan, Unread
from thresher.text_table import TextTable
from thresher.threshold.counts import Counts
from thresher.threshold.promise import Promise, ReferPromise
from thresher.threshold.rules import RULE_PARAMETERS
from thresher.threshold.score_counts import ScoreCounts
from thresher.wording import class_name

VERSION = 2
NOT_RECORDED = "not recorded"
MAX_ROWS = 2**53
MOST_MONEY = 1e300


@dataclass(frozen=True)
class Facts:
    """What is known of a training.

    Attributes
    ----------
    target, positive : the column and its class to find.
    rows, positives : of the table.
    recipe : the choices of the user.
    held_out : how rows were held out, in words.
    judgement : the decisions about rows that chose nothing.
    folds : the folds behind it, each with its inner and its outer scores.
    scores : unseen scores of all rows on which the threshold was chosen.
    threshold_interval : hull of its 95 % confidence set.
    promise : what the threshold promises, None where nothing was asked for.
    reachable_f1 : F1 on the judged rows, had each fold chosen its threshold for F1.
    candidates : what competed.
    derived : what came of columns made of two others; None where they were not looked for.
    stages : the stage of each column, in the order of the line.
    prints : hashes of the training rows.
    columns : what the columns of the model looked like, in its order.
    remarks : sentences about the table.
    leaks : columns that may give the target away.
    plan : how the table was read.
    library : version of the library that trained.
    settings : columns that somebody can set on the line, as far as a user has said so.
    """

    target: str | None = None
    positive: str | None = None
    rows: int | None = None
    positives: int | None = None
    recipe: Recipe = field(default_factory=Recipe)
    held_out: str = NOT_RECORDED
    judgement: Judgement | None = None
    folds: tuple[Fold, ...] = ()
    scores: ScoreCounts | None = None
    threshold_interval: tuple[float, float] | None = None
    promise: Promise | ReferPromise | None = None
    reachable_f1: float | None = None
    candidates: tuple[Competitor, ...] = ()
    derived: Derived | None = None
    stages: Mapping[str, str] | None = None
    prints: RowPrints | None = None
    columns: tuple[ColumnSummary, ...] | None = None
    remarks: tuple[str, ...] = ()
    leaks: tuple[Finding, ...] = ()
    plan: Plan | None = None
    library: str = NOT_RECORDED
    settings: tuple[str, ...] = ()

    @property
    def class_name(self) -> str:
        """What people call positive rows."""
        return class_name(self.target, self.positive)

    @property
    def model(self) -> str:
        """The name of the chosen candidate."""
        return next((one.name for one in self.candidates if one.is_chosen), self.recipe.model)

    @property
    def share(self) -> float | None:
        """The share of positives among the rows that chose: of all, or of those that trained."""
        if len(self.folds) == 1:
            return self.folds[0].share
        if self.rows is None or self.positives is None:
            return None
        return self.positives / self.rows

    @property
    def choice(self) -> str | None:
        """What was chosen over what, and what derived columns gave, by figures of inner rows."""
        derived = None if self.derived is None else self.derived.words(self.model)
        return " ".join(filter(None, [choice_words(self.candidates), derived])) or None

    @property
    def candidates_table(self) -> TextTable | None:
        """What competed, the best first; None where there was nothing to choose from."""
        return candidates_table(self.candidates)

    def alerts_on(self, threshold: float) -> str | None:
        """Return "everything" or "nothing" where a threshold decides nothing, otherwise None."""
        if self.scores is None:
            return EVERYTHING if threshold < 0.0 else NOTHING if threshold >= 1.0 else None
        counts = self.scores.counts_at(threshold)
        alerts, rows = float(counts.tp[0] + counts.fp[0]), float(counts.total[0])
        return EVERYTHING if alerts == rows else NOTHING if alerts == 0.0 else None

    def as_json(self) -> dict[str, Any]:
        """Return what people and programs ask for, without scores, hashes and columns."""
        return {
            "thresher": self.library,
            "leakage": [finding.as_data() for finding in self.leaks],
            "target": self.target,
            "rows": self.rows,
            "positives": self.positives,
            "model": self.model,
            "recipe": self.recipe.as_data(),
            "held_out": self.held_out,
            "judged": None if self.judgement is None else self.judgement.as_data(),
            "stages": None if self.stages is None else dict(self.stages),
            "reachable_f1": self.reachable_f1,
            "threshold_interval": self.threshold_interval,
            "promise": describe_promise(self.promise),
            "candidates": [asdict(one) for one in self.candidates],
            "derived": None if self.derived is None else self.derived.as_data(),
            "folds": [
                {"threshold": fold.threshold, "model": fold.model, **_alert_data(fold)}
                for fold in self.folds
            ],
            "remarks": list(self.remarks),
            **({"settings": list(self.settings)} if self.settings else {}),
            "reading": None if self.plan is None else self.plan.as_data(),
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
            "columns": None if self.columns is None else columns_data(self.columns),
        }

    @classmethod
    def from_record(cls, record: Record) -> "Facts":
        """Read what `as_data` wrote; a DamagedModelError where it is not sound."""
        record.integer("version", VERSION, VERSION)
        recipe, (rows, positives) = read_recipe(record.record("recipe")), read_size(record)
        return cls(
            target=optional_text(record, "target"),
            positive=optional_text(record, "positive"),
            rows=rows,
            positives=positives,
            recipe=recipe,
            held_out=record.text("held_out"),
            judgement=_read_judgement(record, recipe),
            folds=tuple(_read_fold(one) for one in record.records("folds")),
            scores=read_scores(record.record("scores")) if record.has("scores") else None,
            threshold_interval=optional_pair(record, "threshold_interval"),
            promise=promise_from(record),
            reachable_f1=optional_number(record, "reachable_f1"),
            candidates=tuple(_read_competitor(one) for one in record.records("candidates")),
            derived=Derived.from_record(record.record("derived"))
            if record.has("derived")
            else None,
            stages=read_stages(record),
            prints=_read_prints(record.record("prints")) if record.has("prints") else None,
            columns=read_columns(record.record("columns")) if record.has("columns") else None,
            remarks=tuple(record.texts("remarks")),
            leaks=tuple(map(_read_finding, record.records("leakage"))),
            plan=read_plan(record.record("reading")) if record.has("reading") else None,
            library=record.text("thresher"),
            settings=tuple(record.texts("settings")) if record.has("settings") else (),
        )


def _read_finding(record: Record) -> Finding:
    shares: dict[str, Any] = {name: optional_number(record, name) for name in SHARES}
    columns, kind, fact = record.texts("columns"), record.text("kind"), record.text("fact")
    return Finding(tuple(columns), kind, fact, **shares)


def _judgement_data(judgement: Judgement) -> dict[str, Any]:
    names = ["tn", "fp", "fn", "tp", "how", "never_judged", "is_fixed"]
    if judgement.answered is not None:
        names += ["alert_fp", "alert_tp"]
    return {name: getattr(judgement, name) for name in names} | _money_data(judgement.money)


def _fold_data(fold: Fold) -> dict[str, Any]:
    scores = {"inner": fold.inner._asdict(), "outer": fold.outer._asdict()}
    found = {"threshold": fold.threshold, "model": fold.model, "share": fold.share, **scores}
    if fold.decided is not None:
        found["decided"] = {name: int(one[0]) for name, one in fold.decided._asdict().items()}
    return found | _alert_data(fold) | _money_data(fold.money)


def _alert_data(fold: Fold) -> dict[str, float]:
    alert = fold.threshold_alert
    return {} if alert is None else {"threshold_alert": alert}


def _money_data(money: Money | None) -> dict[str, Any]:
    return {} if money is None else {"money": money._asdict()}


# -------------------------------------------------------------------------------- taken apart again


def optional_text(record: Record, name: str) -> str | None:
    """Return a text, None where it is not recorded."""
    return record.text(name) if record.has(name) else None


def optional_number(record: Record, name: str) -> float | None:
    """Return a number, None where it is not recorded."""
    return record.number(name) if record.has(name) else None


def read_size(record: Record) -> tuple[int | None, int | None]:
    """Return the rows of a training and its positives, of which there are some but not all."""
    rows, positives = (_optional_count(record, name) for name in ("rows", "positives"))
    are_some = positives is None or 0 < positives < (MAX_ROWS if rows is None else rows)
    require(are_some, f"{record.place}.positives is not from 1 to its rows")
    return rows, positives


def _optional_count(record: Record, name: str) -> int | None:
    return record.integer(name, 0, MAX_ROWS) if record.has(name) else None


def optional_pair(record: Record, name: str) -> tuple[float, float] | None:
    """Return two numbers, None where they are not recorded."""
    if not record.has(name):
        return None
    pair = Record({str(place): one for place, one in enumerate(record.items(name))}, name)
    require(len(pair.data) == 2, f"{record.place}.{name} is not a pair of numbers")
    return pair.number("0"), pair.number("1")


def read_stages(record: Record) -> dict[str, str] | None:
    """Return the stage of each column."""
    if not record.has("stages"):
        return None
    found = dict(record.record("stages").data)
    require(all(type(text) is str for text in found.values()), "a stage is not a text")
    return found


def read_recipe(record: Record) -> Recipe:
    """Return the choices of a user."""
    readers: dict[str, Callable[[str], Any]] = {
        "model": record.text,
        "rule": record.text,
        "beta": record.number,
        "trees": lambda name: record.integer(name, 1, MAX_ROWS),
        "seed": lambda name: record.integer(name, 0, 2**64 - 1),
        "criterion": lambda name: optional_text(record, name),
        "leaves": lambda name: record.integer(name, 2, MAX_ROWS) if record.has(name) else None,
        "min_samples_leaf": lambda name: _size_or_word(record, name),
        "pruning": record.text,
        "pairs": record.truth,
        **dict.fromkeys(
            ("cost_fp_column", "cost_fn_column", "threshold_by"),
            lambda name: optional_text(record, name),
        ),
        **dict.fromkeys(
            ("cost_fp", "cost_fn", *RULE_PARAMETERS[1:]),
            lambda name: optional_number(record, name),
        ),
    }
    recipe = Recipe(**{name: read(name) for name, read in readers.items()})
    try:
        recipe.check()
    except ParameterError as error:
        require(False, f"{record.place} cannot be used: {str(error)[:200].rstrip('.')}")
    return recipe


def _size_or_word(record: Record, name: str) -> int | str:
    return (
        record.text(name) if type(record.data.get(name)) is str else record.integer(name, 1, 2**62)
    )


def _read_judgement(record: Record, recipe: Recipe) -> Judgement | None:
    if not record.has("judged"):
        return None
    inside = record.record("judged")
    never = _optional_count(inside, "never_judged")
    is_fixed, how = inside.truth("is_fixed"), inside.text("how")
    found = Judgement.of(
        read_counts(inside),
        how,
        never_judged=never,
        is_fixed=is_fixed,
        costs=recipe.costs,
        money=_read_money(inside),
    )
    if not inside.has("alert_fp"):
        return found
    fp = inside.integer("alert_fp", 0, found.fp)
    tp = inside.integer("alert_tp", 0, found.tp)
    return replace(found, alert_fp=fp, alert_tp=tp, price=recipe.price)


def _read_money(record: Record) -> Money | None:
    if not record.has("money"):
        return None
    inside = record.record("money")
    return Money(*(inside.within(name, -MOST_MONEY, MOST_MONEY) for name in Money._fields))


def read_counts(record: Record) -> Counts:
    """Return the four counts of a judgement."""
    counts = [record.integer(name, 0, MAX_ROWS) for name in Counts._fields]
    require(sum(counts) > 0, "no row was judged")
    return Counts(*(np.array([float(count)]) for count in counts))


def _read_fold(record: Record) -> Fold:
    inner, outer = (_read_counts_of_scores(record.record(name)) for name in ("inner", "outer"))
    _require_both(inner, record.place)
    threshold, alert = record.number("threshold"), optional_number(record, "threshold_alert")
    in_order = alert is None or threshold <= alert
    require(in_order, f"{record.place}.threshold_alert is below its threshold")
    return Fold(
        threshold,
        record.text("model"),
        inner,
        outer,
        record.share("share"),
        read_counts(record.record("decided")) if record.has("decided") else None,
        _read_money(record),
        alert,
    )


def read_scores(record: Record) -> ScoreCounts:
    """Return scores on which a threshold can be chosen."""
    found = _read_counts_of_scores(record)
    _require_both(found, record.place)
    return found


def _read_counts_of_scores(record: Record) -> ScoreCounts:
    length = len(record.array("score", "f", (None,)))
    found = ScoreCounts(*(record.floats(name, (length,)) for name in ScoreCounts._fields))
    require_scores(found, record.place)
    return found


def require_scores(found: ScoreCounts, place: str) -> None:
    """Raise unless scores are probabilities in order, with whole rows at each."""
    counts = np.concatenate([found.negative, found.positive])
    is_sound = (
        len(found.score) > 0
        and bool((np.diff(found.score) > 0).all())
        and bool((found.least <= found.score).all())
        and bool((found.least[1:] > found.score[:-1]).all())
        and found.least[0] >= 0.0
        and found.score[-1] <= 1.0
        and bool(((counts >= 0) & (counts <= MAX_ROWS) & (counts == np.floor(counts))).all())
        and bool((found.negative + found.positive > 0).all())
        and counts.sum() <= MAX_ROWS
    )
    require(is_sound, f"{place} are no scores")


def _require_both(found: ScoreCounts, place: str) -> None:
    are_both = min(found.negative.sum(), found.positive.sum()) > 0
    require(are_both, f"{place} has scores of one class only")


def _read_competitor(record: Record) -> Competitor:
    return Competitor(
        record.text("name"),
        record.number("value"),
        record.number("threshold"),
        record.truth("is_chosen"),
        record.text("measure"),
        *(optional_number(record, name) for name in ("low", "high", "gap", "noise")),
    )


def _read_prints(record: Record) -> RowPrints:
    found = record.array("hashes", "i", (None,))
    require(found.dtype == np.int64, f"{record.place}.hashes are not of 64 bits")
    hashes = found.view(np.uint64)
    require(len(hashes) <= MAX_PRINTS, f"{record.place}.hashes are above {MAX_PRINTS}")
    require((hashes[1:] > hashes[:-1]).all(), f"{record.place}.hashes are not sorted")
    rows = record.integer("rows", len(hashes), MAX_ROWS)
    return RowPrints(hashes, rows, record.integer("repeated", 0, rows))


MAX_COUNT = 2**53


def read_plan(record: Record) -> Plan:
    """Read what `Plan.as_data` wrote; a DamagedModelError where it is not sound."""
    columns = {one.text("name"): _read_column(one) for one in record.records("columns")}
    require(len(columns) == len(record.items("columns")), "a column is planned twice")
    lines = record.items("lines")
    require(all(type(line) is str for line in lines), f"{record.place}.lines is not texts")
    return Plan(columns, tuple(lines))


def _read_column(record: Record) -> ColumnPlan:
    meaning, order = record.text("meaning"), record.text("order")
    require(meaning in (*MEANINGS, LABEL), f"{record.place}.meaning is unknown")
    require(order in ("", *ORDERS), f"{record.place}.order is unknown")
    return ColumnPlan(
        meaning,
        _read_notation(record),
        record.text("unit"),
        order,
        tuple(_read_unread(one) for one in record.records("unread")),
        _read_sentinels(record),
        tuple(_read_unread(one) for one in record.records("doubtful")),
        record.integer("levels", 0, MAX_COUNT),
        record.truth("is_given"),
    )


def _read_notation(record: Record) -> Notation:
    decimal, thousands = record.text("decimal"), record.text("thousands")
    is_sound = decimal in (POINT, COMMA, EITHER) and thousands in ("", POINT, COMMA, "'", " ")
    require(is_sound and decimal != thousands, f"{record.place} has no such marks of numbers")
    return Notation(decimal, thousands)


def _read_sentinels(record: Record) -> tuple[float, ...]:
    numbers = record.items("sentinels")
    require(all(map(is_number, numbers)), f"{record.place}.sentinels are not numbers")
    return tuple(map(float, numbers))


def _read_unread(record: Record) -> Unread:
    return Unread(record.text("text"), record.integer("rows", 0, MAX_COUNT), record.text("place"))
