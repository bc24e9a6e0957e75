"""Options that several commands share."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from thresher.tables.errors import GateMissedError

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
)
"""The rules of `thresher.threshold.rules`, named here so that --help does not load them."""

MODEL_FILE = "model.thresher"
"""What `thresher train` writes into its folder."""

MODEL = click.Path(exists=True, path_type=Path)
POSITIVE = click.FloatRange(0.0, min_open=True)
SHARE = click.FloatRange(0.0, 1.0)

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
seed_option = click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True
)
jobs_option = click.option(
    "--jobs", type=int, default=1, show_default=True, help="Threads; -1: one for each core."
)


def names(_context: click.Context, _option: click.Parameter, given: Sequence[str]) -> list[str]:
    """Take names separated by commas, or the option several times."""
    found = [name.strip() for text in given for name in text.split(",")]
    return list(dict.fromkeys(name for name in found if name))


def many(*flags: str, text: str) -> Callable[[Decorated], Decorated]:
    """Return an option that takes several names."""
    return click.option(*flags, multiple=True, callback=names, metavar="NAME,...", help=text)


def _all(function: Decorated, options: Sequence[Callable[[Any], Any]]) -> Decorated:
    for option in reversed(options):
        function = option(function)
    return function


def cost_options(function: Decorated) -> Decorated:
    """Add the costs of wrong decisions."""
    return _all(
        function,
        [
            click.option("--cost-fp", type=click.FloatRange(0.0), help="Cost of a false alarm."),
            click.option("--cost-fn", type=click.FloatRange(0.0), help="Cost of a miss."),
        ],
    )


def rule_options(function: Decorated) -> Decorated:
    """Add the rule for the threshold and its parameters."""
    return _all(
        cost_options(function),
        [
            click.option(
                "--rule",
                type=click.Choice(RULES),
                help="What the threshold is chosen for [f1; cost if costs are given].",
            ),
            click.option("--beta", type=POSITIVE, default=1.0, help="Of --rule fbeta."),
            click.option(
                "--floor",
                type=SHARE,
                help="Least recall of precision_at_recall, or precision of recall_at_precision.",
            ),
            click.option(
                "--per-1000", type=POSITIVE, help="Most alerts per 1000 rows, of --rule budget."
            ),
        ],
    )


def gate_options(function: Decorated) -> Decorated:
    """Add the quality gates."""
    return _all(
        function,
        [
            click.option(
                "--min-precision", type=SHARE, help="Exit with 4 if the precision is lower."
            ),
            click.option("--min-recall", type=SHARE, help="Exit with 4 if the recall is lower."),
        ],
    )


def check_gates(found: dict[str, float], options: dict[str, Any], ending: str = "") -> None:
    """Raise where precision or recall are below what was asked for."""
    missed = [
        f"{name} is {found[name]:.3f}, below --min-{name} {options[f'min_{name}']:g}"
        for name in ("precision", "recall")
        if options[f"min_{name}"] is not None and found[name] < options[f"min_{name}"]
    ]
    if missed:
        raise GateMissedError(f"The quality gate is missed: {' and '.join(missed)}{ending}.")


def check_jobs(jobs: int) -> None:
    """Refuse to do nothing."""
    if jobs == 0:
        raise click.BadParameter("0 jobs do nothing; take 1 or more, or -1.", param_hint="--jobs")


def model_file(path: Path) -> Path:
    """Return the file of a model that is named by it or by the folder of `thresher train`."""
    return path / MODEL_FILE if path.is_dir() else path
