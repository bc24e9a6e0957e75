"""Options that say which models compete, and of which shape."""

import click

from thresher.cli.options import POSITIVE, Decorated, add_all

MODELS = ("auto", "tree", "card", "forest", "boosted", "blend")
CRITERIA = ("adaptive_renyi", "hellinger", "dkm", "entropy", "gain_ratio", "gini")
PRUNINGS = ("auto", "none", "bcr", "gmean", "error", "f1", "cost")
"""As in `thresher.judging.recipe`, named here so that --help does not load it."""

SHAPE = ("criterion", "leaves", "min_samples_leaf", "pruning", "derive", "smooth")
"""Options that a recipe takes under their own name."""


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
                default=200,
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
                "--derive",
                type=click.Choice(["auto", "none"]),
                default="auto",
                show_default=True,
                help="Whether columns made of two others compete; auto lets those that earn their "
                "place.",
            ),
            click.option(
                "--smooth", is_flag=True, help="Choose a metric's threshold on smoothed labels."
            ),
            click.option(
                "--time-budget",
                type=POSITIVE,
                metavar="SECONDS",
                help="Leave out candidates that take longer; the result depends on the machine.",
            ),
        ],
    )
