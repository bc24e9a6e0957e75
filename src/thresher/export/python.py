"""A model as a Python module that needs nothing but Python: tables, and loops over them."""

from collections.abc import Iterator, Sequence
from typing import Any

from thresher.answers import ALERT, PASS, REFER
from thresher.column import Levels, has_others, named
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
    ScoringTree,
    Step,
)
from thresher.export.verification import verified_rows

AMOUNT = '''\
def amount(name, row):
    """Return a cost, a number that is not negative."""
    number = math.nan if row[name] is None else float(row[name])
    if not 0.0 <= number < math.inf:
        raise ValueError(f"Column {name!r} must hold a cost, finite and not negative.")
    return number'''

COST_CUT = '''\
def cut_of(row):
    """Return what the probability of a row must exceed, so that an alert is worth its cost."""
    fp, fn = {fp}, {fn}
    total = fp + fn + {gain_tp!r} + {gain_tn!r}
    return (fp + {gain_tn!r} + {least_saving!r}) / total if total > 0.0 else 1.0'''

GROUP_CUT = '''\
CUTS = {{{cuts}}}


def cut_of(row):
    """Return the cut of the row's group, or the common one."""
    return CUTS.get(row[{column!r}], THRESHOLD)'''


def cut_functions(scoring: Scoring) -> Iterator[str]:
    """Yield the functions that give rows a cut of their own; none where one is for all."""
    if isinstance(scoring.cut, CostCut):
        yield AMOUNT
        fp, fn = (
            f"amount({one!r}, row)" if isinstance(one, str) else repr(one)
            for one in (scoring.cut.fp, scoring.cut.fn)
        )
        yield COST_CUT.format(**vars(scoring.cut) | {"fp": fp, "fn": fn})
    elif isinstance(scoring.cut, GroupCut):
        pairs = zip(scoring.cut.groups, scoring.cut.cuts, strict=True)
        cuts = ", ".join(f"{group!r}: {cut!r}" for group, cut in pairs)
        yield GROUP_CUT.format(cuts=cuts, column=scoring.names[scoring.cut.place])


# --------------------------------------------------------------------------------------- the module

WIDTH = 96


def to_python(
    model: Any,
    *,
    cost_fp_column: str | None = None,
    cost_fn_column: str | None = None,
    verify: Any = None,
) -> str:
    """Return a fitted model as the text of a Python module without dependencies.

    Parameters
    ----------
    model : fitted model
        As in `to_sql`.
    cost_fp_column, cost_fn_column : str, default=None
        As in `to_sql`: names under which a row holds its costs. A missing cost is refused.
    verify : table like X of fit, default=None
        Rows on which the module is run and compared with `predict`; on any difference nothing is
        exported.

    Returns
    -------
    str
        A module whose function `predict(row)` takes a dict from column names to values (None or
        NaN where missing) and returns a dict: `probability` of the positive class, `decision`,
        `leaf` (None for models other than one tree). An infinite number is refused. With the rule
        "refer" there is `answer` too, and a function `decide(row)` that returns it alone.

    Examples
    --------
    >>> from thresher import ImbalancedTreeClassifier
    >>> from thresher.export import to_python
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["ok"] * 4 + ["scrap"] * 2
    >>> model = ImbalancedTreeClassifier("gini").fit(X, y)
    >>> module = {}
    >>> exec(to_python(model, verify=X), module)
    >>> module["predict"]({"x[0]": 5.5})
    {'probability': 1.0, 'decision': 'scrap', 'leaf': 2}
    """
    scoring = read_scoring(model, cost_fp_column, cost_fn_column)
    text = "\n\n\n".join(_parts(scoring)) + "\n"
    if verify is not None:
        _verify(model, scoring, text, verify)
    return text


def _reader(scoring: Scoring) -> str:
    if scoring.zero_is_missing:
        return READ_WITHOUT_ZERO
    return READ_AND_PAIRS if scoring.derived else READ


def _parts(scoring: Scoring) -> Iterator[str]:
    yield "\n".join(_constants(scoring))
    yield VALUE_OF_LEVELS if any(levels is not None for levels in scoring.levels) else VALUE
    yield _reader(scoring)
    if any(isinstance(step, Logistic) for step in scoring.steps):
        yield LOGISTIC
    if isinstance(scoring.score, Line):
        yield LINE
    else:
        yield LEAF
        yield SCORES[scoring.score.combination]
    yield _probability(scoring.steps)
    yield from cut_functions(scoring)
    decided = "score" if scoring.decides_on_score else "probability"
    if scoring.threshold_alert is not None:
        yield ANSWER_OF
    yield PREDICT.format(
        cut="THRESHOLD" if scoring.cut is None else "cut_of(row)",
        decided=decided,
        leaf="leaf(TREES[0], values)" if scoring.has_leaves else "None",
        answer="" if scoring.threshold_alert is None else ANSWER_ENTRY.format(decided=decided),
    )
    if scoring.threshold_alert is not None:
        yield DECIDE


def _constants(scoring: Scoring) -> Iterator[str]:
    negative, positive = (scoring.classes[scoring.positive ^ other] for other in (1, 0))
    yield f'"""Decides between {_safe(negative)} and {_safe(positive)}; written by thresher."""\n'
    yield "import math\n"
    yield _list("COLUMNS", [repr(name) for name in scoring.names])
    if any(has_others(levels or ()) for levels in scoring.levels):
        yield "# Codes of levels; None stands for all levels that are not named."
    yield _list("LEVELS", [_level_table(levels) for levels in scoring.levels])
    if scoring.derived:
        pairs = [(pair.left, pair.operation, pair.right) for pair in scoring.columns.derived]
        yield "# Columns that are computed from two others, counted from 0; they follow the others."
        yield _list("PAIRS", map(repr, pairs))
    yield f"NEGATIVE, POSITIVE = {negative!r}, {positive!r}"
    yield f"THRESHOLD = {scoring.threshold!r}"
    if scoring.threshold_alert is not None:
        yield f"THRESHOLD_ALERT = {scoring.threshold_alert!r}"
    if isinstance(scoring.score, Line):
        yield _list("COEFFICIENTS", map(repr, scoring.score.coefficients.tolist()))
        yield f"INTERCEPT = {scoring.score.intercept!r}"
        return
    if scoring.zero_is_missing:
        yield "# Columns in which a zero is a missing value, and how far from zero it may be."
        yield f"ZEROS, ZERO = {sorted(scoring.zero_is_missing)!r}, {ZERO!r}"
    yield "# A tree: feature (-1: leaf), cut or left levels, missing left?, left, right, value."
    if scoring.score.combination == "sum":
        yield f"BASE = {scoring.score.base!r}"
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
    codes = [f"{level!r}: {code}" for code, level in enumerate(named(levels))]
    codes += [f"None: {len(codes)}"] if has_others(levels) else []
    return "{" + ", ".join(codes) + "}"


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
    levels = scoring.wide_levels[tree.feature[node]] or ()
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
        return "logistic(p)" if step.slope == 1.0 else f"logistic({step.slope!r} * p)"
    return f"{step.factor!r} * p / ({step.factor!r} * p + (1.0 - p))"


# ------------------------------------------------------------------------------- the module's parts

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
        return levels.get(value, levels.get(None, math.nan))
    number = math.nan if value is None else float(value)
    if math.isinf(number):
        raise ValueError(f"Column {name!r} is infinite.")
    if levels is None or number != number:
        return number
    return levels.get(number, levels.get(None, math.nan))'''

READ = """\
def read(row):
    columns = zip(COLUMNS, LEVELS)
    return [value_of(name, row[name], levels) for name, levels in columns]"""

READ_AND_PAIRS = '''\
def derived(left, operation, right):
    """Return a number made of two, NaN where it is missing or infinite."""
    if operation == "product":
        number = left * right
    elif operation == "ratio":
        number = left / right if right else math.nan
    elif operation == "sum":
        number = left + right
    else:
        number = left - right
        number = abs(number) if operation == "distance" else number
    return number if math.isfinite(number) else math.nan


def read(row):
    columns = zip(COLUMNS, LEVELS)
    given = [value_of(name, row[name], levels) for name, levels in columns]
    return given + [derived(given[left], kind, given[right]) for left, kind, right in PAIRS]'''

READ_WITHOUT_ZERO = """\
def read(row):
    columns = zip(COLUMNS, LEVELS)
    values = [value_of(name, row[name], levels) for name, levels in columns]
    for place in ZEROS:
        if abs(values[place]) <= ZERO:
            values[place] = math.nan
    return values"""

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
    "sum": """\
def score_of(values):
    total = BASE
    for tree in TREES:
        total += tree[-1][leaf(tree, values)]
    return total""",
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
        "decision": POSITIVE if {decided} > {cut} else NEGATIVE,
        "leaf": {leaf},{answer}
    }}'''

ANSWER_ENTRY = """
        "answer": answer_of({decided}),"""

ANSWER_OF = f'''\
def answer_of(score):
    """Return "{ALERT}", "{PASS}", or "{REFER}" for a row that somebody should look at."""
    if score > THRESHOLD_ALERT:
        return "{ALERT}"
    return "{REFER}" if score > THRESHOLD else "{PASS}"'''

DECIDE = '''\
def decide(row):
    """Return the answer to a row, a dict of values by column."""
    return predict(row)["answer"]'''


def _verify(model: Any, scoring: Scoring, text: str, X: Any) -> None:
    rows = verified_rows(model, scoring, X)
    module: dict[str, Any] = {}
    exec(compile(text, "<exported model>", "exec"), module)
    columns = dict(zip(scoring.names, rows.columns, strict=True)) | rows.costs
    found = [
        module["predict"](dict(zip(columns, row, strict=True)))
        for row in zip(*columns.values(), strict=True)
    ]
    rows.compare(
        "Python module",
        [one["probability"] for one in found],
        [one["decision"] for one in found],
        answers=None if scoring.threshold_alert is None else [one["answer"] for one in found],
    )
