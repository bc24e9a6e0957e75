"""Figures as one table of text, and as JSON beside the machine they were measured on."""

import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from figures import Figure
from tables import Shape

TITLES = {
    "fit": "fit, CPU time, 1 thread (DecisionTreeClassifier.fit = 1)",
    "predict": "predict, CPU time, up to 100,000 rows a call (DecisionTreeClassifier.predict = 1)",
    "one row": "predict of one row, CPU time in microseconds",
    "memory": "extra resident memory of fit (float32 table = 1)",
    "threads": "two threads, wall time (one thread = 1)",
    "forest fit, plain": (
        "forest, bootstrap='plain', 100 trees (20 from 200,000 rows on): fit, CPU time a tree, "
        "1 thread (RandomForestClassifier.fit = 1)"
    ),
    "forest fit, balanced": (
        "forest, bootstrap='balanced', 100 trees: fit, CPU time a tree, 1 thread "
        "(BalancedRandomForestClassifier.fit = 1)"
    ),
    "tuned forest": (
        "the default forest, out-of-bag threshold included: fit, CPU time, 1 thread "
        "(LightGBM's fit of 100 trees = 1)"
    ),
    "random cuts, fit": "the default forest: fit, CPU time, 1 thread (random_cuts=0 = 1)",
    "random cuts, predict": "the default forest: predict_proba, CPU time (random_cuts=0 = 1)",
    "leakage": "the check for leakage, CPU time (the whole of train = 1)",
    "bins": "one tree with 255 bins: growth, CPU time, 1 thread (exact growth = 1)",
    "ten times the rows": "growth, CPU time, 1 thread (a tenth of the rows = 1)",
    "forest memory": (
        "fitted forest, as many trees as with bootstrap='plain' above: bytes of its arrays "
        "(RandomForestClassifier = 1)"
    ),
    "forest pickle": (
        "fitted forest: bytes when pickled, ours with its votes for training rows "
        "(RandomForestClassifier = 1)"
    ),
    "forest predict": (
        "forest: predict_proba, CPU time, as many rows as it was fitted on "
        "(RandomForestClassifier.predict_proba = 1)"
    ),
    "forest one row": "forest: predict_proba of one row, CPU time (RandomForestClassifier = 1)",
    "takeover predict": (
        "200 trees of other libraries, taken over: predict_proba, CPU time, 1 thread (original = 1)"
    ),
    "contributions": (
        "Shapley values of the same 100 trees for rows in one call, CPU time, 1 thread (shap's "
        "TreeExplainer or LightGBM's pred_contrib = 1); seconds are those of a row"
    ),
    "distillation": (
        "one tree of 32 leaves for a forest of 200 trees, with the front of referred rows, CPU "
        "time, 1 thread (fit of the forest = 1)"
    ),
    "train": (
        "train: choosing, judging in five folds, conditions with p-values down to .01, CPU time, "
        "1 thread (one fit of the default forest = 1)"
    ),
    "csv": "CSV of a simulated line to a fitted tree, CPU time (pyarrow's bare reading = 1)",
    "excel": "a sheet of Excel as rows of cells, CPU time (python-calamine's to_python = 1)",
    "model file load": "model file: CPU time of load_model in milliseconds",
    "model file size": "model file of a forest of 200 trees (joblib, RandomForestClassifier = 1)",
    "threshold search": "threshold search, CPU time, 1 thread (scikit-learn's grid = 1)",
}
PACKAGES = (
    *("numpy", "scikit-learn", "scipy", "lightgbm", "xgboost", "imbalanced-learn"),
    *("narwhals", "pyarrow", "python-calamine", "shap"),
)


def as_json(figures: Iterable[Figure], mode: str, date: datetime) -> str:
    """Return the figures, the versions and the machine as JSON."""
    content = {
        "mode": mode,
        "date": date.isoformat(timespec="seconds"),
        "machine": _machine(),
        "versions": _versions(),
        "figures": [_as_dict(figure) for figure in figures],
    }
    return json.dumps(content, indent=1) + "\n"


def _as_dict(figure: Figure) -> dict[str, Any]:
    fields = asdict(figure)
    return {**fields.pop("shape"), **fields, "target": figure.target, "met": figure.met}


def _machine() -> dict[str, Any]:
    return {
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        # Other work on the machine spoils wall times, those of two threads above all.
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
    }


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _versions() -> dict[str, str]:
    from thresher import __version__

    versions = {"python": platform.python_version(), "thresher": __version__}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def as_text(figures: list[Figure]) -> str:
    """Return one table: a line for each contender, a column for each number of rows."""
    sizes = sorted({figure.shape.rows for figure in figures})
    lines: list[list[str]] = []
    for heading, part in _sections(figures).items():
        lines += [[heading], *_lines(part, sizes), [""]]
    header = ["", *(f"{size:,} rows" for size in sizes)]
    return _aligned([header, *lines])


def _sections(figures: list[Figure]) -> dict[str, list[Figure]]:
    sections: dict[str, list[Figure]] = {}
    for part, title in TITLES.items():
        for figure in figures:
            if figure.part == part:
                heading = f"{title}, {_kind(figure.shape)}"
                sections.setdefault(heading, []).append(figure)
    return sections


def _kind(shape: Shape) -> str:
    return f"{shape.columns} columns, {100 * shape.positive_share:g} % positives"


def _lines(figures: list[Figure], sizes: list[int]) -> list[list[str]]:
    cells = {(figure.contender, figure.shape.rows): _cell(figure) for figure in figures}
    names = dict.fromkeys(figure.contender for figure in figures)
    return [[f"  {name}", *(cells.get((name, size), "") for size in sizes)] for name in names]


def _cell(figure: Figure) -> str:
    value = f"{figure.value:.1f}" if figure.part == "one row" else f"{figure.value:.4f}"
    if figure.target is None:
        return value
    return f"{value} {'met' if figure.met else 'MISSED'} (<= {figure.target:g})"


def _aligned(lines: list[list[str]]) -> str:
    """Pad the cells; a line of one cell is a heading and may be longer."""
    columns = list(zip(*(line for line in lines if len(line) > 1), strict=True))
    widths = [max(map(len, column)) for column in columns]
    rows = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
    return "\n".join(rows)


def file_name(mode: str, date: datetime) -> str:
    """Return the name of the result file."""
    return f"{date.astimezone(UTC):%Y%m%dT%H%M%SZ}-{mode}.json"
