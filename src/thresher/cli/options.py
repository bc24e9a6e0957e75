"""Options that several commands share."""

import csv
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from thresher.errors import GateMissedError, ParameterError

if TYPE_CHECKING:
    from thresher.judging.judgement import Judgement
    from thresher.tables.source import Source
    from thresher.threshold.counts import Costs


Decorated = TypeVar("Decorated", bound=Callable[..., Any])

RULES = (
    "prior",
    "cost",
    "f1",
    "fbeta",
    "bcr",
    "gmean",
    "mcc",
    "precision_at_recall",
    "recall_at_precision",
    "budget",
    "refer",
)
"""The rules of `thresher.threshold.rules`, named here so that --help does not load them."""

MODEL = click.Path(exists=True, path_type=Path)
POSITIVE = click.FloatRange(0.0, min_open=True)
SHARE = click.FloatRange(0.0, 1.0)

drift_option = click.option(
    "--allow-drift",
    is_flag=True,
    help="Decide even if a column lies outside the training range.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    default=0,
    show_default=True,
    help="Seed of all that is drawn: the same seed gives the same result.",
)
jobs_option = click.option(
    "--jobs",
    type=int,
    default=1,
    show_default=True,
    help="Number of threads; -1 takes one for each core.",
)


def names(_context: click.Context, _option: click.Parameter, given: Sequence[str]) -> list[str]:
    """Take names separated by commas, or the option several times; quotes keep a comma."""
    lists = csv.reader(given, skipinitialspace=True)
    found = [name.strip() for names_of_one in lists for name in names_of_one]
    return list(dict.fromkeys(name for name in found if name))


def many(*flags: str, text: str) -> Callable[[Decorated], Decorated]:
    """Return an option that takes several names."""
    return click.option(*flags, multiple=True, callback=names, metavar="NAME,...", help=text)


def add_all(function: Decorated, options: Sequence[Callable[[Any], Any]]) -> Decorated:
    """Add several options, shown in their order."""
    for option in reversed(options):
        function = option(function)
    return function


def cost_options(function: Decorated) -> Decorated:
    """Add the costs of wrong decisions."""
    return add_all(
        function,
        [
            click.option("--cost-fp", type=click.FloatRange(0.0), help="What a false alarm costs."),
            click.option("--cost-fn", type=click.FloatRange(0.0), help="What a miss costs."),
        ],
    )


def rule_options(function: Decorated) -> Decorated:
    """Add the rule for the threshold and its parameters."""
    return add_all(
        cost_options(function),
        [
            click.option(
                "--rule",
                type=click.Choice(RULES),
                help="What the threshold is chosen for [f1; cost if costs are given, "
                "precision_at_recall if a floor, budget if a number of alerts, refer if a limit "
                "or a price].",
            ),
            click.option(
                "--beta",
                type=POSITIVE,
                default=1.0,
                help="Weight of recall beside precision in --rule fbeta [1].",
            ),
            click.option(
                "--floor",
                type=SHARE,
                help="Least recall that --rule precision_at_recall keeps, or least precision that "
                "recall_at_precision keeps.",
            ),
            click.option(
                "--per-1000",
                type=POSITIVE,
                help="Most alerts per 1000 rows that --rule budget spends.",
            ),
            click.option(
                "--confidence",
                type=SHARE,
                help="Promise what the rule aims at (recall, precision, alerts, cost) with this "
                "confidence.",
            ),
            click.option(
                "--miss",
                type=SHARE,
                help="Largest share of positives that --rule refer lets pass.",
            ),
            click.option(
                "--false-alarm",
                type=SHARE,
                help="Largest share of alerts that --rule refer lets be wrong.",
            ),
            click.option(
                "--price",
                type=click.FloatRange(0.0),
                help="What a referred row costs, for --rule refer beside both costs.",
            ),
        ],
    )


def rule_given(options: dict[str, Any]) -> str | None:
    """Return the rule that was named, or that the parameters given are for; None where none are."""
    from thresher.threshold.rules import rule_for

    return options["rule"] or rule_for(options)


def check_jobs(jobs: int) -> None:
    """Refuse to do nothing."""
    if jobs == 0:
        raise click.BadParameter("0 jobs do nothing; take 1 or more, or -1.", param_hint="--jobs")


def read_costs(options: dict[str, Any]) -> "Costs | None":
    """Take both costs away from the options of a command, or refuse one without the other."""
    fp, fn = options.pop("cost_fp"), options.pop("cost_fn")
    if (fp is None) != (fn is None):
        raise click.UsageError("--cost-fp and --cost-fn belong together.")
    if fp is None:
        return None
    from thresher.threshold.counts import Costs

    return Costs(fp, fn)


# ------------------------------------------------------------------------------------------- tables


if TYPE_CHECKING:
    TextParameter = click.ParamType[str]
else:  # older versions of click take no type arguments
    TextParameter = click.ParamType


class PlaceType(TextParameter):
    """A path that exists, "-", or the URL of a database."""

    name = "table"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse paths that lead nowhere."""
        place = str(value)
        if place == "-" or "://" in place:
            return place
        if not Path(place).exists():
            self.fail(f"File '{place}' does not exist.", param, ctx)
        if Path(place).is_dir():
            self.fail(f"'{place}' is a folder; name a file.", param, ctx)
        return place

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Let the shell complete file names."""
        return [CompletionItem(incomplete, type="file")]


PLACE = PlaceType()


def _one_character(_context: click.Context, _option: click.Parameter, given: Any) -> str | None:
    if given is None:
        return None
    mark = {"tab": "\t", "\\t": "\t", "space": " "}.get(str(given).lower(), str(given))
    if len(mark) != 1 or mark in '"\r\n':
        raise click.BadParameter("Give one character, or tab or space.")
    return mark


def _meanings(
    _context: click.Context, _option: click.Parameter, given: Sequence[str]
) -> dict[str, str]:
    """Take NAME=MEANING; a name may hold signs of equality itself."""
    found = {}
    for text in given:
        name, mark, meaning = text.rpartition("=")
        if not mark or not name:
            raise click.BadParameter(f"{text!r} is not of the form NAME=MEANING.")
        found[name] = meaning.strip()
    return found


def source_options(function: Decorated) -> Decorated:
    """Add the options that say how a table is read."""
    for option in (
        click.option(
            "--missing",
            multiple=True,
            metavar="VALUE",
            help="What stands for no value [usual words, and numbers such as -9999]; none: no "
            "number does.",
        ),
        click.option(
            "--column",
            multiple=True,
            callback=_meanings,
            metavar="NAME=MEANING",
            help="What a column is: number, category, date, text, id, constant, or calendar (a "
            "date whose hour, weekday and month are learnt).",
        ),
        click.option(
            "--decimal", type=click.Choice([".", ","]), help="Mark before the decimals [found out]."
        ),
        click.option(
            "--sheet",
            metavar="NAME",
            help="Which sheet of a workbook to read: its name or its number.",
        ),
        click.option(
            "--skip-lines",
            type=click.IntRange(0),
            help="How many lines stand before the header [found out].",
        ),
        click.option(
            "--header/--no-header",
            default=None,
            help="Whether a line names the columns [found out].",
        ),
        click.option(
            "--query", metavar="SELECT...", help="What to read of a database, as a query."
        ),
        click.option(
            "--table", metavar="NAME", help="What to read of a database, as the name of a table."
        ),
        click.option(
            "--encoding",
            metavar="NAME",
            help="Encoding of a CSV file [found out: UTF-8, UTF-16 or Latin-1].",
        ),
        click.option(
            "--delimiter",
            callback=_one_character,
            metavar="CHAR",
            help="Mark between the cells of a CSV file [found out].",
        ),
    ):
        function = option(function)
    return function


def pop_source(
    place: str,
    options: dict[str, Any],
    more: Sequence[str] = (),
    needed: Sequence[str | None] = (),
) -> "Source":
    """Return the source of a table, and take its options away from those of the command.

    Where its first lines tell that a column is not there, this is said before anything is loaded.
    """
    from thresher.tables.source import Source

    names = ("delimiter", "encoding", "table", "query", "header", "skip_lines", "decimal", "column")
    given = {name: options.pop(name) for name in names}
    sheet, missing = options.pop("sheet"), options.pop("missing")
    given["sheet"] = int(sheet) if sheet is not None and sheet.isdecimal() else sheet
    source = Source(place, **given, more=tuple(more), missing=missing or None)
    source.check()
    if place:
        source.check_columns([*(name for name in needed if name), *source.column])
    return source


# ------------------------------------------------------------------------------ models that compete

MODELS = ("auto", "tree", "forest", "boosted")
CRITERIA = ("adaptive_renyi", "hellinger", "dkm", "entropy", "gain_ratio", "gini")
PRUNINGS = ("auto", "none", "bcr", "gmean", "error", "f1", "cost")
"""As in `thresher.judging.recipe`, named here so that --help does not load it."""


def size_or_auto(context: click.Context, option: click.Parameter, given: str) -> int | str:
    """Take a number of rows, or the word auto."""
    if given == "auto":
        return given
    return int(click.IntRange(1)(given, option, context))


def candidate_options(function: Decorated) -> Decorated:
    """Add what competes: models, and the shape of trees."""
    return add_all(
        function,
        [
            click.option(
                "--model",
                type=click.Choice(MODELS),
                default="auto",
                show_default=True,
                help="What to train; auto takes the simplest within the noise of the best on "
                "unseen rows.",
            ),
            click.option(
                "--trees",
                type=click.IntRange(1),
                default=400,
                show_default=True,
                help="Number of trees of a forest.",
            ),
            click.option(
                "--criterion",
                type=click.Choice(CRITERIA),
                help="What trees are split by [for a tree the better of two on unseen rows].",
            ),
            click.option(
                "--leaves",
                type=click.IntRange(2),
                help="Most leaves of a tree [8 or 32, the better on unseen rows].",
            ),
            click.option(
                "--min-samples-leaf",
                callback=size_or_auto,
                metavar="N|auto",
                default="auto",
                show_default=True,
                help="Least rows of a leaf; auto takes 5 for a tree, and lets votes decide for a "
                "forest.",
            ),
            click.option(
                "--pruning",
                type=click.Choice(PRUNINGS),
                default="auto",
                show_default=True,
                help="What a tree is pruned for; auto takes what the rule is after, or leaves it.",
            ),
            click.option(
                "--pairs/--no-pairs",
                default=True,
                show_default=True,
                help="Try products, ratios and differences of columns.",
            ),
        ],
    )


# ------------------------------------------------------------------------------------------ --limit


def windows(
    _context: click.Context, _option: click.Parameter, given: Sequence[str]
) -> dict[str, Any]:
    """Take what settings may be: NAME=LOW:HIGH, either end may be left out, or NAME=LEVEL,..."""
    return dict(_window(text) for text in given)


def _window(text: str) -> tuple[str, Any]:
    name, sign, words = text.rpartition("=")
    if not sign or not name:
        raise click.BadParameter(f"{text!r} is not NAME=LOW:HIGH or NAME=LEVEL,LEVEL.")
    ends = words.split(":")
    try:
        if len(ends) == 2:
            low, high = (float(end) if end.strip() else None for end in ends)
            return name, (low, high)
    except ValueError:
        pass
    return name, [level.strip() for level in words.split(",")]


limit_option = click.option(
    "--limit",
    "limits",
    multiple=True,
    callback=windows,
    metavar="NAME=LOW:HIGH",
    help="What a setting may be; NAME=LEVEL,LEVEL for a category. Several times.",
)


# ---------------------------------------------------------------------------------------- --require

SHARES = ("recall", "precision", "f1")
AT_LEAST = (*SHARES, "positives")
AT_MOST = ("alerts", "cost")
"""Both of 1,000 rows."""


def _read(
    _context: click.Context, _option: click.Parameter, given: Sequence[str]
) -> dict[str, float]:
    """Return the numbers by name."""
    required = {}
    for text in given:
        name, _, number = text.partition("=")
        try:
            required[name] = float(number)
        except ValueError:
            required[name] = float("nan")
        is_in_range = isfinite(required[name]) and (name not in SHARES or required[name] <= 1.0)
        if name not in (*AT_LEAST, *AT_MOST) or not is_in_range:
            raise click.BadParameter(
                f"{text!r} is not NAME=NUMBER; a name is recall, precision, f1 (at most 1), "
                "positives, alerts or cost."
            )
    return required


require_option = click.option(
    "--require",
    "required",
    multiple=True,
    callback=_read,
    metavar="NAME=NUMBER",
    help="Exit with 4 if this is missed, such as recall=0.5 (repeatable): recall, precision, f1 "
    "and positives at least, alerts and cost per 1,000 rows at most.",
)


def check_required(
    judgement: "Judgement", required: Mapping[str, float], *, wrote_files: bool
) -> None:
    """Raise where a judgement misses what is required."""
    figures = {
        "recall": judgement.recall,
        "precision": judgement.precision,
        "f1": judgement.f1,
        "positives": judgement.tp + judgement.fn,
        "alerts": judgement.alerts_per_1000,
        "cost": judgement.cost_per_1000,
    }
    missed = []
    for name, number in required.items():
        figure = figures[name]
        if figure is None:
            raise ParameterError("--require cost needs costs; add --cost-fp and --cost-fn.")
        # A figure that is not defined, such as the precision of no alert, is missed.
        if not (figure >= number if name in AT_LEAST else figure <= number):
            missed.append(f"{name} is {figure:.3g} on held-out rows, --require {name}={number:g}")
    if missed:
        written = " The files were written." if wrote_files else ""
        raise GateMissedError(f"Gate not met: {'; '.join(missed)}.{written}")
