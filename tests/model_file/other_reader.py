"""A reader of model files after docs/model-format.md alone: nothing of the library is used."""

import json
from hashlib import sha256

import numpy as np

TYPES = {"BOOL": "?", "F32": "<f4", "F64": "<f8"}
TYPES |= {f"{sign.upper()}{8 * size}": f"<{sign}{size}" for sign in "iu" for size in (1, 2, 4, 8)}


def read(content):
    """Return the model of a file with its arrays in place."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    metadata = header.pop("__metadata__")
    assert metadata["thresher"] == "5"
    digest = metadata["sha256"].encode()
    assert sha256(content.replace(digest, b"0" * 64, 1)).hexdigest().encode() == digest
    document = json.loads(metadata["document"])
    for path, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        values = np.frombuffer(content[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
        place, *way = document, *path.split("/")
        for key in way[:-1]:
            place = place[int(key) if isinstance(place, list) else key]
        place[way[-1]] = values
    return document["model"]


def decide(model, rows):
    """Return probability and class of each row; a row is a list of values, None for missing."""
    others = [one for one in model["classes"]["values"] if one != model["positive_class"]]
    scores = [score(model, row) for row in rows]
    labels = [model["positive_class"] if p > model["threshold"] else others[0] for p in scores]
    return [min(max(p, 0.0), 1.0) for p in scores], labels


def score(model, row):
    """Return the probability of the positive class; of least squares, before it is clipped."""
    if model["kind"] == "threshold":
        p = min(max(score(model["fitted"], row), 0.0), 1.0)
        positive = model["fitted"].get("positive_class", model["classes"]["values"][1])
        p = p if positive == model["positive_class"] else 1.0 - p
        return shifted(p, model["choice"]["factor"])
    if model["kind"] == "logistic_regression":
        return 1.0 / (1.0 + np.exp(-(model["coef"][0] @ np.array(row) + model["intercept"][0])))
    if model["kind"] == "least_squares":
        return float(np.array(row) @ model["coef"] + model["intercept"])
    codes = prepared(model["columns"], row)
    if model["kind"] == "tree":
        return leaf_share(model["tree"], codes)
    if model["kind"] == "alpha_trees":
        return vote(model, codes)
    return forest_share(model, codes)


def shifted(p, factor):
    return p if factor == 1.0 else factor * p / (factor * p + (1.0 - p))


def prepared(columns, row):
    codes = []
    unnamed = columns.get("unnamed_levels") or [False] * len(row)
    for known, has_others, value in zip(columns["levels"], unnamed, row, strict=True):
        if value is None or value != value:
            codes.append(None)
        elif known is None:
            codes.append(float(value))
        elif value in known:
            codes.append(known.index(value))
        else:
            codes.append(len(known) if has_others else None)
    return codes


def goes_left(value, missing_left, cut, levels):
    if value is None:
        return missing_left
    return value <= cut if levels is None else bool(levels[value // 8] >> (value % 8) & 1)


def leaf_share(tree, codes):
    node = 0
    while tree["feature"][node] >= 0:
        row = tree["category"][node]
        left = goes_left(
            codes[tree["feature"][node]],
            tree["missing_left"][node],
            tree["cut"][node],
            None if row < 0 else tree["levels_left"][row],
        )
        node = tree["left" if left else "right"][node]
    negative, positive = tree["weight"][node] * tree["class_weight"]
    return positive / (negative + positive)


def vote(model, codes):
    shares = [leaf_share(one["tree"], codes) for one in model["estimators"]]
    if model["parameters"]["voting"] == "majority":
        thresholds = [one["threshold"] for one in model["estimators"]]
        return sum(p > t for p, t in zip(shares, thresholds, strict=True)) / len(shares)
    mean = 0.0
    for number, share in enumerate(shares, start=1):
        mean += (share - mean) / number
    return mean


def forest_share(model, codes):
    trees, levels = model["trees"], model["columns"]["levels"]
    inner = trees["feature"] >= 0
    is_category = np.array([levels[one] is not None for one in trees["feature"]]) & inner
    places = {
        "inner": np.cumsum(inner) - 1,
        "cut": np.cumsum(inner & ~is_category) - 1,
        "levels": np.cumsum(is_category) - 1,
    }
    mean = 0.0
    for number, begin in enumerate(trees["begin"][:-1], start=1):
        before = places["inner"][begin - 1] + 1 if begin else 0
        node = begin
        while inner[node]:
            column = trees["feature"][node]
            left = goes_left(
                codes[column],
                trees["missing_left"][places["inner"][node]],
                None if is_category[node] else trees["cut"][places["cut"][node]],
                trees["levels_left"][places["levels"][node]] if is_category[node] else None,
            )
            node = begin + 2 * (places["inner"][node] - before) + (1 if left else 2)
        mean += (leaf_vote(model, node) - mean) * (1.0 / number)
    return shifted(mean, model["choice"]["factor"])


def leaf_vote(model, node):
    trees, parameters, training = model["trees"], model["parameters"], model["training"]
    counts = trees["rows"] if trees.get("weight") is None else trees["weight"]
    negative, positive = counts[node] * np.array(training["class_factors"])
    row = training.get("row_weight", 1.0)
    if parameters["smoothing"] == "laplace":
        return (positive + row) / (negative + positive + 2.0 * row)
    if parameters["smoothing"] == "m_estimate":
        a, b = np.array(training["weight"]) * np.array(training["class_factors"])
        m, share = parameters["smoothing_m"], b / (a + b)
        return (positive + m * share * row) / (negative + positive + m * row)
    return positive / (negative + positive)
