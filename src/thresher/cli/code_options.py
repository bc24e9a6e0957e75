"""Options of `thresher train` for a target with reason codes."""

from collections.abc import Sequence
from typing import Any

import click

from thresher.cli.options import Decorated, add_all, many


def _costs(
    _context: click.Context, _option: click.Parameter, given: Sequence[str]
) -> dict[str, float]:
    """Take CODE=COST, the option several times."""
    found = {}
    for text in given:
        code, sign, cost = text.rpartition("=")
        try:
            found[code] = float(cost)
        except ValueError:
            sign = ""
        if not sign or not code:
            raise click.BadParameter(f"{text!r} is not of the form CODE=COST.")
    return found


def code_options(function: Decorated) -> Decorated:
    """Add what is asked of reason codes."""
    return add_all(
        function,
        [
            many(
                "--codes",
                text="The target has reason codes: a model for each of these, or for 'all'; "
                "--per-1000 alerts are for all of them together.",
            ),
            click.option(
                "--good",
                metavar="VALUE",
                help="With --codes: the value of good rows [the most frequent one]; '' where they "
                "have none.",
            ),
            click.option(
                "--code-cost",
                multiple=True,
                callback=_costs,
                metavar="CODE=COST",
                help="With --codes: cost of a missed row of a code, several times.",
            ),
        ],
    )


def pop_codes(options: dict[str, Any]) -> None:
    """Turn the options of codes into what the library's `train` takes."""
    names, costs = options["codes"], options.pop("code_cost")
    options["codes"] = "all" if names == ["all"] else names or None
    if costs and options["cost_fn"] is not None:
        raise click.UsageError("Give --cost-fn or --code-cost, not both.")
    if costs:
        options["cost_fn"] = costs
