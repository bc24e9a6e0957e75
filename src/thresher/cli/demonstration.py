"""The steps of `thresher demo`."""

import json
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.model_selection import StratifiedKFold

from thresher.benchmark.methods import METHODS
from thresher.benchmark.own_table import fill_missing
from thresher.cli.dataset_file import line_columns, line_stations, write_table
from thresher.cli.parts import Request
from thresher.cli.plant_model import Outcome, train_model
from thresher.cli.printing import print_table
from thresher.cli.verdict import conditions_text
from thresher.datasets import AssemblyLine, make_assembly_line
from thresher.progress import progress_bar
from thresher.tables.errors import quiet, said
from thresher.tables.source import Source
from thresher.text_table import Cell, TextTable

COMPARED = ("ARDT", "HDDT", "CDT", "EAT", "LogR+OS", "LinR+OS", "Forest")
"""The methods of the paper's figure of section 5.2, and the forest."""
FOLDS = 10
COST_FP, COST_FN = 5.0, 80.0
MEASURES = {"f1": "F1", "precision": "precision", "recall": "recall"}


def run_demo(out: Path, n_parts: int, seed: int, as_json: bool) -> None:
    """Do all that `thresher demo` does."""
    line = make_assembly_line(n_parts, as_frame=False, random_state=seed)
    said(line.description)
    names, left_out = _installed()
    if left_out:
        said(
            f"Left out, since imbalanced-learn is not installed: {', '.join(left_out)}; "
            "pip install 'thresher[benchmark]'."
        )
    scores = compare_methods(names, line, seed)
    files = {"parts.csv": line_columns(line), "stations.csv": line_stations(line)}
    for name, columns in files.items():
        write_table(columns, out / name)
    outcome = train_model(_request(out, line, seed))
    result = {
        "description": line.description,
        "rows": len(line.y),
        "positives": int(line.y.sum()),
        "folds": FOLDS,
        "methods": scores,
        "left_out": left_out,
        "planted": [str(condition) for condition in line.truth],
        **outcome.as_data(),
    }
    result["files"] |= {name: str(out / name) for name in files}
    if as_json:
        click.echo(json.dumps(result, indent=2, ensure_ascii=False))
    else:
        _print(result, outcome)


def _installed() -> tuple[list[str], list[str]]:
    """Return the methods that can run here, and those that cannot."""
    names = [name for name in COMPARED if _is_installed(name)]
    return names, [name for name in COMPARED if name not in names]


def _is_installed(name: str) -> bool:
    try:
        METHODS[name]()
    except ImportError:
        return False
    return True


def compare_methods(names: list[str], line: AssemblyLine, seed: int) -> list[dict[str, Any]]:
    """Cross-validate methods on the line; scores are means over the folds, as in the paper."""
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(line.X, line.y))
    said(f"{FOLDS}-fold cross-validation of {', '.join(names)} ...")
    rows = []
    with progress_bar("Comparing methods", len(names) * FOLDS, shown=True) as done, quiet():
        for place, name in enumerate(names):
            scores = []
            for number, (train, test) in enumerate(splits):
                model = fill_missing(METHODS[name], random_state=seed)
                decided = model.fit(line.X[train], line.y[train]).predict(line.X[test])
                scores.append(_scores(line.y[test], decided))
                done(place * FOLDS + number + 1)
            means = np.mean(scores, axis=0)
            rows.append({"method": name, **dict(zip(MEASURES, means.tolist(), strict=True))})
    return rows


def _scores(truth: NDArray[Any], decided: NDArray[Any]) -> list[float]:
    measures = (f1_score, precision_score, recall_score)
    return [float(measure(truth, decided, zero_division=0)) for measure in measures]


def _request(out: Path, line: AssemblyLine, seed: int) -> Request:
    return Request(
        source=Source(str(out / "parts.csv")),
        target="scrap",
        out=out,
        model="tree",
        rule="f1",
        cost_fp=COST_FP,
        cost_fn=COST_FN,
        ids=["part"],
        time="finished",
        stations=str(out / "stations.csv"),
        description=line.description,
        seed=seed,
    )


def _print(result: dict[str, Any], outcome: Outcome) -> None:
    best = max(row["f1"] for row in result["methods"])
    rows = [
        [row["method"], *(Cell(row[one], is_best=row[one] == best) for one in MEASURES)]
        for row in result["methods"]
    ]
    share = result["positives"] / result["rows"]
    title = f"{result['rows']} parts, {result['positives']} scrapped ({share:.1%})"
    note = f"Means over {FOLDS} folds. The methods of the paper's figure, and the forest."
    print_table(TextTable(title, ["method", *MEASURES.values()], rows, [note]))
    click.echo("\nPlanted causes of scrap:")
    for cause in result["planted"]:
        click.echo(f"   {cause}")
    click.echo("\n" + conditions_text(outcome.model.conditions, "parts", "scrap"))
    click.echo("\nThe report: " + result["files"]["report.html"])
    click.echo("The conditions: " + result["files"]["conditions.csv"])
    click.echo(
        "The same by hand: thresher train {parts} --target scrap --id part --time finished "
        "--stations {stations} --rule f1 --cost-fp {fp:g} --cost-fn {fn:g} --out FOLDER".format(
            parts=result["files"]["parts.csv"],
            stations=result["files"]["stations.csv"],
            fp=COST_FP,
            fn=COST_FN,
        )
    )
