"""A made line whose scrap has three reasons, and a rare one."""

import numpy as np
import pandas as pd

QUICK = {"model": "tree", "criterion": "entropy", "leaves": 8, "pruning": "none", "derive": None}


def make_line(rows=600, seed=0):
    random = np.random.default_rng(seed)
    names = ["press_force", "glue", "torque", "gap"]
    X = pd.DataFrame(random.normal(size=(rows, 4)).round(3), columns=names)
    reason = np.full(rows, "ok", dtype=object)
    reason[:5] = "scratch"
    reason[(X["press_force"] > 1.3) & (random.random(rows) < 0.9)] = "crack"
    reason[(X["glue"] < -1.5) & (random.random(rows) < 0.9)] = "leak"
    reason[(X["torque"] > 0.8) & (X["gap"] > 0.5) & (random.random(rows) < 0.8)] = "noise"
    return X.assign(reason=reason)
