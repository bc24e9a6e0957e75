"""Part numbers and columns that give the target away are found; honest columns are not."""

import numpy as np
import pandas as pd

from thresher.plant import find_suspects


def parts(n=600, seed=0):
    random = np.random.default_rng(seed)
    bad = random.random(n) < 0.1
    return pd.DataFrame(
        {
            "number": np.arange(n),
            "serial": [f"SN{place:06d}" for place in range(n)],
            "repair_code": np.where(bad, 7.0, np.nan),
            "stage": random.choice(["a", "b"], n),
            "value": random.normal(size=n) + bad,
            "scrap": bad,
        }
    )


def test_what_is_suspicious_is_named_and_nothing_else():
    found = find_suspects(parts(), "scrap")
    assert list(found.unusable) == ["number", "serial"]
    assert [sentence.split("'")[1] for sentence in found.warnings] == ["repair_code"]
    assert not find_suspects(parts(), "scrap", ignore=["number", "serial", "repair_code"]).sentences


def test_honest_columns_are_hardly_ever_suspected():
    suspected = [
        bool(find_suspects(parts(seed=seed)[["stage", "value", "scrap"]], "scrap").sentences)
        for seed in range(20)
    ]
    assert sum(suspected) == 0


def test_a_small_table_is_not_judged():
    assert find_suspects(parts(20, seed=3).drop(columns="serial"), "scrap").sentences == []
