"""What the probability must exceed, in an ONNX graph: one number, or one for each row."""

from typing import Any

import numpy as np

from thresher.export.onnx.graph import Graph
from thresher.export.row_cut import CostCut, GroupCut
from thresher.export.scoring import Scoring


def add_cut(
    graph: Graph, scoring: Scoring, dtype: Any, features: str, places: dict[int, int]
) -> str:
    """Add the cut; `features` is the matrix of all columns, `places` where each stands in it."""
    if scoring.cut is None:
        return graph.double(scoring.threshold)
    axes = graph.constant([1], np.int64)
    if isinstance(scoring.cut, CostCut):
        found = _of_costs(graph, scoring.cut, dtype)
    elif isinstance(scoring.cut.groups[0], str):
        found = _of_texts(graph, scoring, scoring.cut)
    else:
        found = _of_numbers(graph, scoring, scoring.cut, features, places)
    return graph.add("Squeeze", found, axes)


def _of_costs(graph: Graph, cut: CostCut, dtype: Any) -> str:
    inputs = {name: graph.cast(graph.input(name, dtype, 1), np.float64) for name in cut.columns}
    fp, fn = (
        inputs[one] if isinstance(one, str) else graph.constant([[one]], np.float64)
        for one in (cut.fp, cut.fn)
    )
    gain_tp, gain_tn, least = map(graph.double, (cut.gain_tp, cut.gain_tn, cut.least_saving))
    total = graph.add("Add", graph.add("Add", graph.add("Add", fp, fn), gain_tp), gain_tn)
    base = graph.add("Add", graph.add("Add", fp, gain_tn), least)
    is_some = graph.add("Greater", total, graph.double(0.0))
    return graph.add("Where", is_some, graph.add("Div", base, total), graph.double(1.0))


def _of_texts(graph: Graph, scoring: Scoring, cut: GroupCut) -> str:
    """Return the cuts of texts, which are an input of their own as a category column."""
    name, count = scoring.names[cut.place], len(cut.groups)
    if scoring.levels[cut.place] is None:
        raise ValueError(
            f"The groups of {name!r} are texts, but the model knows the column as numbers; ONNX "
            "has no input for them, export to SQL or Python."
        )
    code = graph.add_ml(
        "LabelEncoder",
        name,
        keys_strings=list(cut.groups),
        values_int64s=list(range(count)),
        default_int64=count,
    )
    cuts = graph.constant([*cut.cuts, scoring.threshold], np.float64)
    return graph.add("Gather", cuts, code)


def _of_numbers(
    graph: Graph, scoring: Scoring, cut: GroupCut, features: str, places: dict[int, int]
) -> str:
    """Return the cuts of numbers, compared one by one."""
    name, levels = scoring.names[cut.place], scoring.levels[cut.place]
    if levels is None:
        place = graph.constant([places[cut.place]], np.int64)
        given = graph.add("Gather", features, place, axis=1)
    else:
        given = name
    wide = graph.cast(given, np.float64)
    is_group = graph.add("Equal", wide, graph.constant([cut.groups], np.float64))
    is_one = graph.cast(is_group, np.float64)
    # A sum with one term that is not 0: the cut itself.
    found = graph.add("MatMul", is_one, graph.constant([[one] for one in cut.cuts], np.float64))
    known = graph.add("ReduceMax", is_one, axes=[1], keepdims=1)
    is_known = graph.cast(known, np.bool_)
    return graph.add("Where", is_known, found, graph.double(scoring.threshold))
