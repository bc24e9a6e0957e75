"""Tables with a column of more levels than codes, and its levels put together by hand."""

from collections import Counter

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

NAMED = 254
LAST = {"text": "\U0010ffff", "number": 1e9}
"""Sorts behind every level."""
UNUSUAL = ("it's", 'a "b"', "", "back\\slash", "naïve ☃", "NULL", "nan", "other levels", "c1 ")


def random_table(seed, kind="text", n_levels=400, n_rows=3000):
    """Return a frame with a column "cavity" of many levels, some bad, and whether rows are."""
    random = np.random.default_rng(seed)
    levels = random.permutation(10 * n_levels)[:n_levels] - 5.0 * n_levels
    if kind == "text":
        levels = np.array([f"c{level:.0f}" for level in levels], dtype=object)
        levels[: len(UNUSUAL)] = UNUSUAL
    # Every level at least once, then some far more often than others.
    codes = np.append(np.arange(n_levels), n_levels * random.random(n_rows - n_levels) ** 2)
    codes = random.permutation(codes.astype(int))
    heat = random.normal(size=n_rows).round(2)
    bad = random.permutation(n_levels)[: random.integers(3, 40)]
    rate = np.where(np.isin(codes, bad), 0.35, 0.01) + 0.1 * (heat > 1.5)
    y = random.random(n_rows) < rate
    table = pd.DataFrame({"cavity": pd.Series(levels[codes]).astype("category"), "heat": heat})
    table.loc[random.random(n_rows) < 0.03, "cavity"] = None
    return table, y


def named_by_hand(values, y):
    """Return the levels that have more positives than chance explains, at least one, sorted."""
    pairs = [pair for pair in zip(values, y, strict=True) if pair[0] == pair[0]]
    rows = Counter(level for level, _ in pairs)
    positives = Counter(level for level, is_positive in pairs if is_positive)
    rate = positives.total() / rows.total()
    chance = {
        level: binomtest(positives[level], rows[level], rate, "greater").pvalue for level in rows
    }
    is_found = multipletests(list(chance.values()), alpha=0.1, method="fdr_bh")[0]
    found = [level for level, is_one in zip(chance, is_found, strict=True) if is_one]
    order = sorted(chance, key=lambda level: (chance[level], -rows[level], level))
    return sorted(order[: max(1, min(NAMED, len(found)))])


def grouped_by_hand(table, names, kind):
    """Return the table with one level in place of all that are not named."""
    values = table["cavity"].astype(object)
    is_other = values.notna() & ~values.isin(names)
    return table.assign(cavity=values.mask(is_other, LAST[kind]).astype("category"))


def rows_of_all_kinds(table, kind, n=150):
    """Return rows with levels that are named, others, levels never seen, and missing ones."""
    rows = table.sample(n, random_state=0).reset_index(drop=True)
    new = ["never seen", "c", "Ω"] if kind == "text" else [0.5, 1e6, -1e7]
    values = rows["cavity"].astype(object)
    values[: len(new)] = new
    values[len(new) : len(new) + 5] = None
    return rows.assign(cavity=values if kind == "text" else values.astype(float))
