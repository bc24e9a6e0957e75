"""Forests on bins beside forests on exact values: is max_bins="auto" as good? `make bins-study`.

Only tables of more than EXACT_ROWS rows differ; of these the paper has Letter, the fresh families
bank_marketing and nassCDS_dead, and one of 200,000 rows is made. The same folds and seeds for both:
five folds and three seeds, one fold a seed above 100,000 rows. F1 is that of the threshold chosen
out of bag, at 200 trees; a difference is told with its standard error over the pairs.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from accuracy_sets import load
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import StratifiedKFold
from tables import Shape, make_table

from thresher import ImbalancedForestClassifier

SETS = ("Letter-A", "Letter-B", "Letter-C", "Letter-D", "nassCDS_dead", "bank_marketing")
MADE = 200_000
SEEDS = range(3)
FOLDS = 5
LARGE = 100_000
BINS = 255


class Row(NamedTuple):
    """Means over the pairs of folds, and the difference with its standard error."""

    name: str
    rows: int
    exact: float
    bins: float
    difference: float
    error: float

    def __str__(self) -> str:
        return (
            f"| {self.name} | {self.rows:,} | {self.exact:.3f} | {self.bins:.3f} | "
            f"{self.difference:+.4f} | {self.error:.4f} |"
        )


def tables() -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, the matrix and the classes of each table."""
    for name in SETS:
        X, y = load(name)
        yield name, np.asarray(X, dtype=float), np.asarray(y)
    made = make_table(Shape(MADE))
    yield f"made, {MADE:,} rows", made.X, made.y


def scores(X: Any, y: Any, train: Any, test: Any, seed: int, bins: int | None) -> Any:
    """Return F1 and average precision on the rows of a fold."""
    model = ImbalancedForestClassifier(max_bins=bins, random_state=seed, n_bootstrap=0)
    model.fit(X[train], y[train])
    truth = y[test] == model.pos_label_
    probability = model.predict_proba(X[test])[:, model.positive_index_]
    decided = probability > model.threshold_
    return f1_score(truth, decided), average_precision_score(truth, probability)


def compare(name: str, X: Any, y: Any) -> list[Row]:
    """Return the row of F1 and that of average precision."""
    pairs = []
    for seed in SEEDS:
        folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(X, y))
        for train, test in folds[:1] if len(y) > LARGE else folds:
            pairs.append([scores(X, y, train, test, seed, bins) for bins in (None, BINS)])
    exact, bins = np.array(pairs).transpose(1, 0, 2)
    error = (bins - exact).std(axis=0, ddof=1) / np.sqrt(len(pairs))
    return [
        Row(f"{name}, {what}", len(y), *(of[:, i].mean() for of in (exact, bins, bins - exact)), e)
        for i, (what, e) in enumerate(zip(("F1", "average precision"), error, strict=True))
    ]


def main() -> None:
    print("| table | rows | exact | 255 bins | difference | standard error |")
    print("| --- | --- | --- | --- | --- | --- |")
    for table in tables():
        print(*compare(*table), sep="\n", flush=True)


if __name__ == "__main__":
    main()
