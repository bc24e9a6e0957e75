"""Options that several commands share."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from thresher.tables.source import Source
    from thresher.threshold.rules import Costs

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

training_rows_option = click.option(
    "--allow-training-rows",
    is_flag=True,
    help="Take rows that the model was trained on; figures on them flatter it.",
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
    """Take names separated by commas, or the option several times."""
    found = [name.strip() for text in given for name in text.split(",")]
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


def gate_options(function: Decorated) -> Decorated:
    """Add the quality gates."""
    return add_all(
        function,
        [
            click.option(
                "--min-precision", type=SHARE, help="Exit with 4 if the precision is lower."
            ),
            click.option("--min-recall", type=SHARE, help="Exit with 4 if the recall is lower."),
        ],
    )


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
    from thresher.threshold.rules import Costs

    return Costs(fp, fn)


# ---------------------------------------------------------------------------------------- tables


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
    from thresher.tables.glance import check_columns
    from thresher.tables.source import Source

    names = ("delimiter", "encoding", "table", "query", "header", "skip_lines", "decimal", "column")
    given = {name: options.pop(name) for name in names}
    sheet, missing = options.pop("sheet"), options.pop("missing")
    given["sheet"] = int(sheet) if sheet is not None and sheet.isdecimal() else sheet
    source = Source(place, **given, more=tuple(more), missing=missing or None)
    source.check()
    if place:
        check_columns(source, [*(name for name in needed if name), *source.column])
    return source
