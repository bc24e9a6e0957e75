"""Random tables with categories and missing values, and trees grown on them."""

import numpy as np
import pandas as pd

from thresher import ImbalancedTreeClassifier


def random_table(seed, n_rows=300):
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "force": random.normal(size=n_rows).round(1),
            'a "quoted" name': random.integers(0, 4, n_rows).astype(float),
            "line": random.choice(["north", "it's", "east", "w"], n_rows),
            "mostly missing": random.normal(size=n_rows),
        }
    )
    for column in table.columns:
        table.loc[random.random(n_rows) < random.choice([0.0, 0.2]), column] = None
    table.loc[random.random(n_rows) < 0.6, "mostly missing"] = None
    score = table["force"].fillna(1.0) + (table["line"] == "w") + random.normal(size=n_rows)
    score += table["mostly missing"].isna()
    return table, (score > score.quantile(0.8)).to_numpy().astype(int)


def random_tree(seed, **parameters):
    table, y = random_table(seed)
    model = ImbalancedTreeClassifier(threshold=0.3, pruning=None, **parameters)
    return model.fit(table, y), table, y
