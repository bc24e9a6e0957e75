"""A model as a Python module that needs nothing but Python: tables, and loops over them."""

from collections.abc import Iterator, Sequence
from typing import Any

from thresher.export.scoring import (
    Clip,
    Complement,
    Line,
    Logistic,
    Scoring,
    ScoringTree,
    Step,
)
from thresher.export.scoring_of import read_scoring
from thresher.export.verification import verified_rows
from thresher.frames import Levels

WIDTH = 96


def export_python(model: Any, *, verify: Any = None) -> str:
    """Return a fitted model as the text of a Python module without dependencies.

    Parameters
    ----------
    model : fitted model
        As in `export_sql`.
    verify : table like X of fit, default=None
        Rows on which the module is run and compared with `predict`; on any difference nothing is
        exported.

    Returns
    -------
    str
        A module whose function `predict(row)` takes a dict from column names to values (None or
        NaN where missing) and returns a dict: `probability` of the positive class, `decision`,
        `leaf` (None for models other than one tree). An infinite number is refused.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier, export_python
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["ok"] * 4 + ["scrap"] * 2
    >>> model = ImbalancedTreeClassifier("gini").fit(X, y)
    >>> module = {}
    >>> exec(export_python(model, verify=X), module)
    >>> module["predict"]({"x[0]": 5.5})
    {'probability': 1.0, 'decision': 'scrap', 'leaf': 2}
    """
    scoring = read_scoring(model)
    text = "\n\n\n".join(_parts(scoring)) + "\n"
    if verify is not None:
        _verify(model, scoring, text, verify)
    return text


def _parts(scoring: Scoring) -> Iterator[str]:
    yield "\n".join(_constants(scoring))
    yield VALUE_OF_LEVELS if any(levels is not None for levels in scoring.levels) else VALUE
    yield READ
    if isinstance(scoring.score, Line):
        yield LINE
    else:
        yield LEAF
        yield SCORES[scoring.score.combination]
    if any(isinstance(step, Logistic) for step in scoring.steps):
        yield LOGISTIC
    yield _probability(scoring.steps)
    yield PREDICT.format(
        decided="score" if scoring.decides_on_score else "probability",
        leaf="leaf(TREES[0], values)" if scoring.has_leaves else "None",
    )


def _constants(scoring: Scoring) -> Iterator[str]:
    negative, positive = (scoring.classes[scoring.positive ^ other] for other in (1, 0))
    yield f'"""Decides between {_safe(negative)} and {_safe(positive)}; written by thresher."""\n'
    yield "import math\n"
    yield _list("COLUMNS", [repr(name) for name in scoring.names])
    yield _list("LEVELS", [_level_table(levels) for levels in scoring.levels])
    yield f"NEGATIVE, POSITIVE = {negative!r}, {positive!r}"
    yield f"THRESHOLD = {scoring.threshold!r}"
    if isinstance(scoring.score, Line):
        yield _list("COEFFICIENTS", map(repr, scoring.score.coefficients.tolist()))
        yield f"INTERCEPT = {scoring.score.intercept!r}"
        return
    yield "# A tree: feature (-1: leaf), cut or left levels, missing left?, left, right, value."
    yield "TREES = ["
    for tree in scoring.score.trees:
        yield _lists(tree, scoring)
    yield "]"


def _safe(label: Any) -> str:
    """Return a label for a docstring, which its quotes must not end."""
    return ascii(label).replace("\\", "/").replace('"', "'")


def _list(name: str, items: Any) -> str:
    return f"{name} = {_wrapped(list(items), '')}"


def _wrapped(items: Sequence[str], indent: str) -> str:
    """Return items as a list over lines of some width."""
    lines, line = [], indent + "   "
    for item in items:
        if len(line) + len(item) > WIDTH and line.strip():
            lines.append(line)
            line = indent + "   "
        line += f" {item},"
    return "\n".join(["[", *lines, line, f"{indent}]"]) if items else "[]"


def _level_table(levels: Levels | None) -> str:
    if levels is None:
        return "None"
    return "{" + ", ".join(f"{level!r}: {code}" for code, level in enumerate(levels)) + "}"


def _lists(tree: ScoringTree, scoring: Scoring) -> str:
    cuts = [_cut(tree, node, scoring) for node in range(len(tree.feature))]
    columns: list[list[str]] = [
        [str(feature) for feature in tree.feature.tolist()],
        cuts,
        [str(int(flag)) for flag in tree.missing_left.tolist()],
        [str(child) for child in tree.left.tolist()],
        [str(child) for child in tree.right.tolist()],
        [repr(value) for value in tree.value.tolist()],
    ]
    lists = ",\n        ".join(_wrapped(column, "        ") for column in columns)
    return f"    (\n        {lists},\n    ),"


def _cut(tree: ScoringTree, node: int, scoring: Scoring) -> str:
    if tree.level_set[node] < 0:
        return repr(float(tree.cut[node]))
    levels = scoring.levels[tree.feature[node]] or ()
    codes = tree.left_levels(node, len(levels))
    return "{" + ", ".join(map(str, codes)) + "}" if codes else "set()"


def _probability(steps: Sequence[Step]) -> str:
    lines = [f"    p = {_step(step)}" for step in steps]
    return "\n".join(["def probability_of(p):", *lines, "    return p"])


def _step(step: Step) -> str:
    if isinstance(step, Clip):
        return "min(max(p, 0.0), 1.0)"
    if isinstance(step, Complement):
        return "1.0 - p"
    if isinstance(step, Logistic):
        return "logistic(p)"
    return f"{step.factor!r} * p / ({step.factor!r} * p + (1.0 - p))"


# ------------------------------------------------------------------------------ the module's parts

VALUE = '''\
def value_of(name, value, levels):
    """Return a value as a float, NaN where it is missing."""
    number = math.nan if value is None else float(value)
    if math.isinf(number):
        raise ValueError(f"Column {name!r} is infinite.")
    return number'''

VALUE_OF_LEVELS = '''\
def value_of(name, value, levels):
    """Return a value as a float, a level as its code, NaN where it is missing or unknown."""
    if levels is not None and isinstance(value, str):
        return levels.get(value, math.nan)
    number = math.nan if value is None else float(value)
    if math.isinf(number):
        raise ValueError(f"Column {name!r} is infinite.")
    return number if levels is None else levels.get(number, math.nan)'''

READ = """\
def read(row):
    columns = zip(COLUMNS, LEVELS)
    return [value_of(name, row[name], levels) for name, levels in columns]"""

LEAF = '''\
def leaf(tree, values):
    """Return the leaf that a row falls into."""
    feature, cut, missing_left, left, right, _ = tree
    node = 0
    while feature[node] >= 0:
        value, limit = values[feature[node]], cut[node]
        if value != value:
            is_left = missing_left[node]
        elif isinstance(limit, (set, frozenset)):
            is_left = value in limit
        else:
            is_left = value <= limit
        node = left[node] if is_left else right[node]
    return node'''

_MEAN = """\
def score_of(values):
    mean = 0.0
    for count, tree in enumerate(TREES, start=1):
        value = tree[-1][leaf(tree, values)]
        mean += {change}
    return mean"""

SCORES = {
    "only": """\
def score_of(values):
    return TREES[0][-1][leaf(TREES[0], values)]""",
    "votes": """\
def score_of(values):
    return sum(tree[-1][leaf(tree, values)] for tree in TREES) / len(TREES)""",
    "shares": _MEAN.format(change="(1.0 / count) * (value - mean)"),
    "counts": _MEAN.format(change="(value - mean) / count"),
}

LINE = """\
def score_of(values):
    for name, value in zip(COLUMNS, values):
        if value != value:
            raise ValueError(f"Column {name!r} is missing, and the model has no answer for that.")
    return math.fsum(c * v for c, v in zip(COEFFICIENTS, values)) + INTERCEPT"""

LOGISTIC = """\
def logistic(score):
    if score < 0.0:
        return math.exp(score) / (1.0 + math.exp(score))
    return 1.0 / (1.0 + math.exp(-score))"""

PREDICT = '''\
def predict(row):
    """Return the probability, the decision and the leaf of a row, a dict of values by column."""
    values = read(row)
    score = score_of(values)
    probability = probability_of(score)
    return {{
        "probability": probability,
        "decision": POSITIVE if {decided} > THRESHOLD else NEGATIVE,
        "leaf": {leaf},
    }}'''


def _verify(model: Any, scoring: Scoring, text: str, X: Any) -> None:
    rows = verified_rows(model, scoring, X)
    module: dict[str, Any] = {}
    exec(compile(text, "<exported model>", "exec"), module)
    found = [
        module["predict"](dict(zip(scoring.names, row, strict=True)))
        for row in zip(*rows.columns, strict=True)
    ]
    rows.compare(
        "Python module",
        [one["probability"] for one in found],
        [one["decision"] for one in found],
    )
