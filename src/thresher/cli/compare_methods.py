"""Which methods `thresher compare` takes, and how they read a table with missing values."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import click

FILLED = (
    "Missing values: methods that do not read them get the median of the training rows, and "
    "columns that say where it was filled in."
)


class Chosen(NamedTuple):
    """Factories of methods by name, and what a reader should know of the choice."""

    factories: Mapping[str, Any]
    remarks: list[str]

    def reading_gaps(self) -> "Chosen":
        """Return the same, such that all methods read missing values."""
        from thresher.benchmark.own_table import fill_missing

        filling = {name: partial(fill_missing, make) for name, make in self.factories.items()}
        return Chosen(filling, [*self.remarks, FILLED])


def choose_methods(names: Sequence[str], control: str | None) -> Chosen:
    """Return methods of the study by name, the paper's by default."""
    from thresher.benchmark import METHODS, PAPER_METHODS

    _check("--methods", names, METHODS)
    factories = {name: METHODS[name] for name in names or PAPER_METHODS}
    _check("--control", [control] if control else [], factories)
    return Chosen(factories, [])


def choose_usual_methods(names: Sequence[str], control: str | None, rule: str) -> Chosen:
    """Return methods for one's own table, by default what people use and is installed.

    A name that both have means the one with the tuned threshold.
    """
    from thresher.benchmark import METHODS
    from thresher.benchmark.usual_methods import USUAL_METHODS, usual_methods

    _check("--methods", names, {**USUAL_METHODS, **METHODS})
    offer = usual_methods(rule, [name for name in names if name in USUAL_METHODS])
    usual = offer.factories if not names or set(names) & set(USUAL_METHODS) else {}
    factories = {
        name: usual.get(name) or METHODS[name]
        for name in names or usual
        if name in usual or name not in USUAL_METHODS
    }
    if not factories:
        raise click.ClickException(" ".join(offer.left_out))
    _check("--control", [control] if control else [], factories)
    return Chosen(factories, offer.left_out)


def _check(option: str, names: Sequence[str], known: Mapping[str, Any]) -> None:
    from thresher.validation import check_choice

    try:
        for name in names:
            check_choice(option, name, tuple(known))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
