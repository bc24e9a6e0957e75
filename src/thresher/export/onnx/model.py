"""A model as an ONNX graph: table in, label and probabilities out."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.answers import ANSWERS
from thresher.column import Levels, has_others, named
from thresher.export.onnx.graph import Graph, run
from thresher.export.onnx.trees import Terms, add_trees
from thresher.export.readers import read_scoring
from thresher.export.scoring import (
    ZERO,
    Clip,
    Complement,
    CostCut,
    GroupCut,
    Line,
    Logistic,
    Scoring,
    Step,
    Trees,
)
from thresher.export.verification import (
    EQUAL,
    EQUAL_FLOAT32,
    VerifiedRows,
    another_level,
    verified_rows,
)
from thresher.pair import Pair
from thresher.validation import check_choice

if TYPE_CHECKING:
    from thresher.export.onnx.graph import ModelProto


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


# ---------------------------------------------------------------------------------------- the graph

DTYPES: dict[str, Any] = {"float32": np.float32, "float64": np.float64}
NAMES = ("X", "label", "probabilities")
ANSWER = "answer"
"""The names of the graph; the last is there where rows are referred."""
OPERATORS = {
    "product": "Mul",
    "difference": "Sub",
    "ratio": "Div",
    "sum": "Add",
    "distance": "Sub",
}


def to_onnx(
    model: Any,
    *,
    dtype: str = "float32",
    cost_fp_column: str | None = None,
    cost_fn_column: str | None = None,
    verify: Any = None,
) -> "ModelProto":
    """Return a fitted model as an ONNX model; needs onnx.

    Parameters
    ----------
    model : fitted model
        As in `to_sql`.
    dtype : {"float32", "float64"}, default="float32"
        Type of the numbers that the graph takes. With "float32", cuts are rounded down to 32 bits,
        so that decisions on rows of 32 bits are those of the model; probabilities are within 1e-6.
        With "float64" they are within 1e-12. Derived columns, and the trees that ask them, are
        computed in 64 bits in either case.
    cost_fp_column, cost_fn_column : str, default=None
        As in `to_sql`: further inputs with the costs of each row, matrices of one column.
    verify : table like X of fit, default=None
        Rows on which the graph is run, in onnxruntime where it is installed, and compared with
        `predict`; on any difference nothing is exported.

    Returns
    -------
    onnx.ModelProto
        Inputs: `X`, a matrix of the columns of numbers in the order of training, NaN where missing;
        and each category column by its name, a matrix of one column: texts, of which any that is no
        level counts as missing, or numbers. In a column with other levels, any text counts as one
        of them but the empty one, which is missing. Outputs: `label`, as `predict` gives it, and
        `probabilities`, columns in the order of `classes_`. A model with the rule "refer" has a
        third one, `answer`, as `decide` gives it.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier
    >>> from thresher.export import to_onnx
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["ok"] * 4 + ["scrap"] * 2
    >>> model = to_onnx(ImbalancedTreeClassifier("gini").fit(X, y), verify=X)
    >>> [value.name for value in (*model.graph.input, *model.graph.output)]
    ['X', 'label', 'probabilities']
    """
    check_choice("dtype", dtype, tuple(DTYPES))
    scoring = read_scoring(model, cost_fp_column, cost_fn_column)
    _check_names(scoring)
    _refuse_empty_level(scoring)
    if dtype == "float32":
        _refuse_longer_levels(scoring)
    try:
        exported = _Export(scoring, DTYPES[dtype]).model()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"The text {error.object!r} is no valid Unicode, which ONNX needs; correct it."
        ) from None
    if verify is not None:
        rows = verified_rows(model, scoring, verify, as_float32=dtype == "float32")
        _verify(exported, scoring, rows, DTYPES[dtype])
    return exported


def _own_names(scoring: Scoring) -> tuple[str, ...]:
    return NAMES if scoring.threshold_alert is None else (*NAMES, ANSWER)


def _check_names(scoring: Scoring) -> None:
    for name, levels in zip(scoring.names, scoring.levels, strict=True):
        if levels is not None and (name in _own_names(scoring) or not name):
            raise ValueError(
                f"The category column {name!r} cannot be an input of that name; rename it and fit "
                "again."
            )
    taken = {name for name, levels in zip(scoring.names, scoring.levels, strict=True) if levels}
    for name in () if scoring.cut is None else scoring.cut.columns:
        if name in NAMES or name in taken or not name:
            raise ValueError(
                f"The cost column {name!r} cannot be an input of that name; rename it."
            )


def _refuse_empty_level(scoring: Scoring) -> None:
    """Raise where the empty text is a level, though nothing else is left for missing values."""
    for name, levels in zip(scoring.names, scoring.levels, strict=True):
        if levels and has_others(levels) and "" in levels:
            raise ValueError(
                f"The category column {name!r} has the empty text as a level, which stands for a "
                "missing value in ONNX where a column has more than 255 levels; rename it and fit "
                "again."
            )


def _refuse_longer_levels(scoring: Scoring) -> None:
    """Raise where a level is no number of 32 bits: such rows would count as unknown."""
    for name, levels in zip(scoring.names, scoring.levels, strict=True):
        for level in named(levels or ()):
            if not isinstance(level, str) and float(np.float32(level)) != level:
                raise ValueError(
                    f"The category column {name!r} has the level {level!r}, which 32 bits do not "
                    "hold; export with dtype='float64'."
                )
    for group in scoring.cut.groups if isinstance(scoring.cut, GroupCut) else ():
        if not isinstance(group, str) and float(np.float32(group)) != group:
            raise ValueError(
                f"The group {group!r} is no number that 32 bits hold; export with dtype='float64'."
            )


def numbers_and_categories(scoring: Scoring) -> tuple[list[int], list[int]]:
    """Return the columns of `X`, and those that are inputs of their own."""
    is_category = [levels is not None for levels in scoring.levels]
    places = range(len(is_category))
    return [i for i in places if not is_category[i]], [i for i in places if is_category[i]]


class _Export:
    """The graph of one model."""

    def __init__(self, scoring: Scoring, dtype: Any) -> None:
        self._scoring, self._dtype = scoring, dtype
        # What is derived has no exact form in 32 bits, even if its parts have.
        self._feature_dtype = np.float64 if scoring.derived else dtype
        costs = () if scoring.cut is None else scoring.cut.columns
        self._graph = Graph(taken=(*scoring.names, *_own_names(scoring), *costs))

    def model(self) -> "ModelProto":
        graph, scoring = self._graph, self._scoring
        features, places = self._features()
        score = (
            self._line(scoring.score, features)
            if isinstance(scoring.score, Line)
            else self._trees(scoring.score, features, places)
        )
        probability = score
        for step in scoring.steps:
            probability = self._step(step, probability)
        cut = add_cut(graph, scoring, self._dtype, features, places)
        decided = score if scoring.decides_on_score else probability
        self._label(decided, cut)
        self._probabilities(probability)
        label = np.array(scoring.classes).dtype
        label = np.dtype(object) if label.kind == "U" else label
        outputs: list[tuple[str, Any, list[Any]]] = [
            ("label", label, ["n"]),
            ("probabilities", self._dtype, ["n", 2]),
        ]
        if scoring.threshold_alert is not None:
            self._answer(decided, scoring.threshold_alert)
            outputs.append((ANSWER, np.dtype(object), ["n"]))
        return graph.model(outputs)

    # ------------------------------------------------------------------------------------ inputs

    def _features(self) -> tuple[str, dict[int, int]]:
        """Return the matrix of all features: the numbers first, then the codes of categories."""
        graph, scoring = self._graph, self._scoring
        numbers, categories = numbers_and_categories(scoring)
        parts = [self._numbers(numbers)] if numbers else []
        for place in categories:
            parts.append(self._codes(scoring.names[place], scoring.levels[place] or ()))
        places = {place: i for i, place in enumerate([*numbers, *categories])}
        if scoring.derived:
            parts = [graph.cast(part, np.float64) for part in parts]
            parts += [self._derived(pair, parts[0], places) for pair in scoring.derived.values()]
            places |= {place: i for i, place in enumerate(scoring.derived, start=len(places))}
        return parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1), places

    def _derived(self, pair: Pair, numbers: str, places: dict[int, int]) -> str:
        """Return a column made of two of a matrix of doubles, NaN where it is not finite."""
        graph = self._graph
        left, right = (
            graph.add("Gather", numbers, graph.constant([places[part]], np.int64), axis=1)
            for part in pair.parts
        )
        found = graph.add(OPERATORS[pair.operation], left, right)
        if pair.operation == "distance":
            found = graph.add("Abs", found)
        return graph.add("Where", graph.add("IsInf", found), graph.double(np.nan), found)

    def _numbers(self, numbers: list[int]) -> str:
        """Return the columns of numbers, NaN for a zero where that is a missing value."""
        graph = self._graph
        given = graph.input("X", self._dtype, len(numbers))
        zeros = [[place in self._scoring.zero_is_missing for place in numbers]]
        if not any(zeros[0]):
            return given
        is_zero = graph.add(
            "LessOrEqual", graph.add("Abs", given), graph.constant(ZERO, self._dtype)
        )
        is_missing = graph.add("And", is_zero, graph.constant(zeros, np.bool_))
        return graph.add("Where", is_missing, graph.constant(np.nan, self._dtype), given)

    def _codes(self, name: str, levels: Levels) -> str:
        if not levels or isinstance(levels[0], str):
            return self._codes_of_texts(name, levels)
        return self._codes_of_numbers(name, levels)

    def _codes_of_texts(self, name: str, levels: Levels) -> str:
        graph = self._graph
        given = graph.input(name, object, 1)
        code_of = {level: float(code) for code, level in enumerate(named(levels))}
        if has_others(levels):
            code_of[""], unknown = np.nan, float(len(levels) - 1)
        else:
            # An encoder needs a key; the code of this one is no level's.
            code_of, unknown = code_of or {"": 0.0}, np.nan
        codes = graph.add_ml(
            "LabelEncoder",
            given,
            keys_strings=list(code_of),
            values_floats=list(code_of.values()),
            default_float=unknown,
        )
        return graph.cast(codes, self._dtype)

    def _codes_of_numbers(self, name: str, levels: Levels) -> str:
        """Return codes of numbers: what is equal to a level, compared one by one."""
        graph, names = self._graph, [float(level) for level in named(levels)]
        given = graph.cast(graph.input(name, self._dtype, 1), np.float64)
        is_level = graph.add("Equal", given, graph.constant([names], np.float64))
        code = graph.constant(np.arange(len(names))[:, None], np.float64)
        found = graph.add("MatMul", graph.cast(is_level, np.float64), code)
        known = graph.add("ReduceMax", graph.cast(is_level, np.float64), axes=[1], keepdims=1)
        # 0 / 0 where no level fits: NaN, as for a missing value.
        codes = graph.add("Div", found, known)
        if has_others(levels):
            is_missing = graph.add("IsNaN", given)
            is_known = graph.add("Or", is_missing, graph.cast(known, np.bool_))
            codes = graph.add("Where", is_known, codes, graph.double(float(len(names))))
        return graph.cast(codes, self._dtype)

    # -------------------------------------------------------------------------------------- score

    def _line(self, line: Line, features: str) -> str:
        graph = self._graph
        wide = graph.cast(features, np.float64)
        product = graph.add("MatMul", wide, graph.constant(line.coefficients, np.float64))
        return graph.add("Add", product, graph.double(line.intercept))

    def _trees(self, trees: Trees, features: str, places: dict[int, int]) -> str:
        graph, n_trees = self._graph, len(trees.trees)
        terms = Terms(self._feature_dtype, places, self._scoring)
        values = add_trees(graph, features, trees, terms)
        if trees.combination in ("sum", "votes"):
            axes = graph.constant([1], np.int64)
            total = graph.add("ReduceSum", values, axes, keepdims=0)
            if trees.combination == "sum":
                return graph.add("Add", graph.double(trees.base), total)
            return graph.add("Div", total, graph.double(float(n_trees)))
        first = graph.add("Gather", values, graph.constant(0, np.int64), axis=1)
        if n_trees == 1:
            return first
        return self._mean(values, first, n_trees, by_share=trees.combination == "shares")

    def _mean(self, values: str, first: str, n_trees: int, *, by_share: bool) -> str:
        """Return the running mean, in the order of `predict`."""
        graph = self._graph
        others = graph.constant(np.arange(1, n_trees), np.int64)
        counts = np.arange(2, n_trees + 1, dtype=np.float64)
        weights = graph.constant(1.0 / counts if by_share else counts)
        return graph.add(
            "Scan",
            first,
            graph.add("Transpose", graph.add("Gather", values, others, axis=1), perm=[1, 0]),
            weights,
            body=graph.mean_body("Mul" if by_share else "Div"),
            num_scan_inputs=2,
        )

    # ------------------------------------------------------------------------------------ outputs

    def _step(self, step: Step, p: str) -> str:
        graph, one = self._graph, self._graph.double(1.0)
        if isinstance(step, Clip):
            return graph.add("Clip", p, graph.double(0.0), one)
        if isinstance(step, Complement):
            return graph.add("Sub", one, p)
        if isinstance(step, Logistic):
            against = graph.add("Mul", graph.double(-step.slope), p)
            return graph.add("Div", one, graph.add("Add", one, graph.add("Exp", against)))
        scaled = graph.add("Mul", graph.double(step.factor), p)
        return graph.add("Div", scaled, graph.add("Add", scaled, graph.add("Sub", one, p)))

    def _label(self, decided: str, cut: str) -> None:
        graph, scoring = self._graph, self._scoring
        above = graph.add("Greater", decided, cut)
        positive = graph.constant(scoring.positive, np.int64)
        negative = graph.constant(1 - scoring.positive, np.int64)
        place = graph.add("Where", above, positive, negative)
        labels = np.array(scoring.classes)
        labels = labels.astype(object) if labels.dtype.kind == "U" else labels
        graph.add("Gather", graph.constant(labels), place, output="label")

    def _answer(self, decided: str, alert: float) -> None:
        graph = self._graph
        # How many thresholds a row is above.
        place = graph.add(
            "Add",
            *(
                graph.cast(graph.add("Greater", decided, graph.double(one)), np.int64)
                for one in (self._scoring.threshold, alert)
            ),
        )
        words = graph.constant(np.array(ANSWERS, dtype=object))
        graph.add("Gather", words, place, output=ANSWER)

    def _probabilities(self, probability: str) -> None:
        graph, axes = self._graph, self._graph.constant([1], np.int64)
        rest = graph.add("Sub", graph.double(1.0), probability)
        both = [rest, probability] if self._scoring.positive == 1 else [probability, rest]
        columns = [graph.add("Unsqueeze", column, axes) for column in both]
        joined = graph.add("Concat", *columns, axis=1)
        kind = self._graph.cast(joined, self._dtype)
        graph.add("Identity", kind, output="probabilities")


def _feeds(scoring: Scoring, rows: VerifiedRows, dtype: Any) -> dict[str, NDArray[Any]]:
    numbers, categories = numbers_and_categories(scoring)
    feeds: dict[str, NDArray[Any]] = {}
    if numbers:
        columns = [_floats(rows.columns[place], dtype) for place in numbers]
        feeds["X"] = np.stack(columns, axis=1)
    for place in categories:
        levels, column = scoring.levels[place] or (), rows.columns[place]
        if levels and not isinstance(levels[0], str):
            values: NDArray[Any] = _floats(column, dtype)
        else:
            missing = "" if has_others(levels) else str(another_level(levels, "missing"))
            texts = [missing if value is None else value for value in column]
            values = np.array(texts, dtype=object)
        feeds[scoring.names[place]] = values[:, None]
    costs = {name: _floats(column, dtype)[:, None] for name, column in rows.costs.items()}
    return feeds | costs


def _floats(column: list[Any], dtype: Any) -> NDArray[Any]:
    return np.array([np.nan if value is None else value for value in column], dtype=dtype)


def _verify(exported: Any, scoring: Scoring, rows: VerifiedRows, dtype: Any) -> None:
    labels, probabilities, *more = run(exported, _feeds(scoring, rows, dtype))
    rows.compare(
        "ONNX model",
        probabilities[:, scoring.positive].astype(np.float64).tolist(),
        labels.tolist(),
        EQUAL if dtype is np.float64 else EQUAL_FLOAT32,
        answers=more[0].tolist() if more else None,
    )
