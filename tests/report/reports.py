"""Reports to look at: of a simulated line, of a bundled table, and of a line with hostile names."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from thresher import ImbalancedForestClassifier, ImbalancedTreeClassifier, find_conditions
from thresher.datasets import load_dataset, make_assembly_line
from thresher.datasets.assembly_line import AssemblyLine
from thresher.judging.competitor import Competitor, candidates_table
from thresher.report import summarize

COSTS = {"fp": 5.0, "fn": 80.0}
LONG = "very_long_" * 400

COLUMNS = (
    "<script>window.hit = 1</script>",
    "</script><img src=x onerror='window.hit = 2'>",
    '"><svg onload="window.hit = 3">',
    '=HYPERLINK("http://evil.example", "click")',
    LONG,
    "\u202egnp.exe\u0000\n\t<b>",
    "עמודת מומנט",
    "درجة الحرارة",
    "温度センサー",
    "' onmouseover='window.hit = 4",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:window.hit = 5",
    "&lt;already&gt; &amp; escaped",
    "<!-- comment",
    "]]></style><style>body{display:none}",
    "Z\u0351\u036b\u0343a\u0329\u034dlgo \U0001f6a8\ufdfd",
)
LEVEL_TAILS = ("<script>window.hit = 6</script>", "\u202e</td>", "=1+1", "قيمة", "日本<b>")
LABELS = ("0 </script><script>window.hit = 7</script>", "1 <img src=x onerror=window.hit=8>")

CANDIDATES = [
    Competitor(name, value, 0.2, is_chosen, "F1", value - 0.06, value + 0.06, 0.7 - value, 0.02)
    for name, value, is_chosen in (
        ("tree (adaptive Renyi, 32 leaves, pruned for f1), derived columns", 0.5, False),
        ("forest (200 trees)", 0.69, True),
        ("boosted trees", 0.7, False),
    )
]
"""What competed, the simplest first."""


@cache
def small_line() -> AssemblyLine:
    return make_assembly_line(1500, days=20, random_state=3)


def _report_of(X: Any, y: Any, stages: dict[str, str], target: str) -> dict[str, Any]:
    model = ImbalancedTreeClassifier(max_leaf_nodes=12).fit(X, y)
    few = {"n_permutations": 39, "n_bootstrap": 5, "output": "table"}
    found = find_conditions(model, X, y, stages=stages, cost_fp=5.0, cost_fn=80.0, **few)
    return summarize(
        model,
        X,
        y,
        stages=stages,
        times=small_line().time,
        costs=COSTS,
        conditions=replace(found, target=target),
        candidates=candidates_table(CANDIDATES),
        notes=["The column `id` looks like a part number."],
    )


@cache
def line_report() -> dict[str, Any]:
    """Return the summary of a tree on the small line, with every section."""
    line = small_line()
    return _report_of(line.X, line.y, line.stages, "scrap")


@cache
def hostile_report() -> dict[str, Any]:
    """Return the same with names that would do harm, if one of them were not escaped.

    Levels and labels keep their order, so that nothing but names differs.
    """
    line = small_line()
    new = dict(zip(line.X.columns, COLUMNS, strict=True))
    X = line.X.rename(columns=new)
    for column in X.select_dtypes(exclude="number"):
        tails = dict(zip(sorted(X[column].unique()), LEVEL_TAILS, strict=False))
        X[column] = [f"{level}{tails[level]}" for level in X[column]]
    places = {
        old: f"{old}{COLUMNS[place]}"
        for place, old in enumerate(dict.fromkeys(line.stages.values()))
    }
    stages = {new[column]: places[stage] for column, stage in line.stages.items()}
    return _report_of(X, np.array(LABELS, dtype=object)[line.y].tolist(), stages, LABELS[0])


@cache
def table_report() -> dict[str, Any]:
    """Return the summary of a forest on a bundled table: no stages, times or costs."""
    X, y = load_dataset("Yeast-me1")
    model = ImbalancedForestClassifier(40, random_state=0).fit(X, y)
    few = {"n_permutations": 0, "n_bootstrap": 0, "cv": None, "output": "table"}
    return summarize(model, X, y, conditions=find_conditions(model, X, y, **few))
