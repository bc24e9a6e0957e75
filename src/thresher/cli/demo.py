"""`thresher demo`: a bundled data set, scikit-learn's default tree beside ours."""

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.table import Table

FOLDS = 10
READABLE_DEPTH = 3
METRICS = {"f1": "F1", "recall": "Recall", "precision": "Precision", "bcr": "BCR"}


@click.command()
@click.option("--dataset", default="Pageblocks0", show_default=True, help="Bundled data set.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def demo(dataset: str, as_json: bool) -> None:
    """Train on a bundled data set and print the result."""
    from thresher.datasets import list_datasets

    if dataset not in list_datasets():
        raise click.BadParameter(
            f"{dataset!r} is not one of {', '.join(list_datasets())}.", param_hint="--dataset"
        )
    click.echo(f"{FOLDS}-fold cross-validation of two trees on {dataset} ...", err=True)
    result = run_demo(dataset)
    if as_json:
        click.echo(json.dumps(result, indent=2))
    else:
        _print_result(result)


def run_demo(dataset: str) -> dict[str, Any]:
    """Compare two trees on a data set and describe a small one.

    Parameters
    ----------
    dataset : str
        One of `thresher.datasets.list_datasets()`.

    Returns
    -------
    dict
        Facts of the data, a list `models` of scores averaged over the folds, and the text `tree`.
    """
    from sklearn.tree import DecisionTreeClassifier

    from thresher import ImbalancedTreeClassifier
    from thresher.datasets import load_dataset

    X, y = load_dataset(dataset)
    models = [DecisionTreeClassifier(random_state=0), ImbalancedTreeClassifier(random_state=0)]
    return {
        "dataset": dataset,
        "rows": len(y),
        "positives": int(y.sum()),
        "folds": FOLDS,
        "models": [{"model": type(model).__name__, **_scores(model, X, y)} for model in models],
        "tree": _readable_tree(dataset, X, y),
    }


def _readable_tree(dataset: str, X: Any, y: Any) -> str:
    from thresher import ImbalancedTreeClassifier
    from thresher.datasets.load import feature_names
    from thresher.tree.text import Wording, export_text

    small = ImbalancedTreeClassifier(max_depth=READABLE_DEPTH).fit(X, y)
    names = feature_names(dataset)
    words = Wording(names, [None] * len(names), ("common", "rare"), small.threshold_)
    return export_text(small.tree_, words)


def _scores(model: Any, X: Any, y: Any) -> dict[str, float]:
    """Mean over stratified folds; a precision without any positive prediction counts 0."""
    from sklearn.metrics import make_scorer, precision_score
    from sklearn.model_selection import StratifiedKFold, cross_validate

    scoring = {
        "f1": "f1",
        "recall": "recall",
        "precision": make_scorer(precision_score, zero_division=0),
        "bcr": "balanced_accuracy",
        "leaves": lambda fitted, *_: fitted.get_n_leaves(),
    }
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    scores = cross_validate(model, X, y, cv=folds, scoring=scoring)
    return {name: float(scores[f"test_{name}"].mean()) for name in scoring}


def _print_result(result: dict[str, Any]) -> None:
    from rich.console import Console

    rows, positives = result["rows"], result["positives"]
    share = f"{positives} of the rare class ({positives / rows:.1%})"
    click.echo(f"{result['dataset']}: {rows} rows, {share}\n")
    Console().print(_score_table(result["models"]))
    click.echo(f"\nA tree of depth {READABLE_DEPTH}, grown on all rows:\n")
    click.echo(result["tree"])


def _score_table(models: list[dict[str, Any]]) -> "Table":
    from rich.table import Table

    caption = f"means over {FOLDS} folds; BCR = mean of recall and specificity"
    table = Table(title="scikit-learn's default tree beside thresher's", caption=caption)
    table.add_column("Tree")
    for heading in [*METRICS.values(), "Leaves"]:
        table.add_column(heading, justify="right")
    for row in models:
        scores = [f"{row[metric]:.3f}" for metric in METRICS]
        table.add_row(row["model"], *scores, f"{row['leaves']:.1f}")
    return table
