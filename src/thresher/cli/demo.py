"""`thresher demo`: a simulated line, the methods of the paper's figure on it, and a report."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.options import json_option, seed_option
from thresher.cli.output import print_json, say, tell, told

if TYPE_CHECKING:
    from thresher.plant import PlantModel

COMPARED = ("ARDT", "HDDT", "CDT", "EAT", "LogR+OS", "LinR+OS", "Forest")
"""The methods of the paper's figure of section 5.2, and the forest."""
MEASURES = ("f1", "precision", "recall")
FOLDS = 10
COST_FP, COST_FN = 5.0, 80.0


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("thresher-demo"),
    show_default=True,
    help="Folder for the table, the model, the conditions and the report.",
)
@click.option(
    "--parts",
    type=click.IntRange(500),
    default=5000,
    show_default=True,
    help="How many parts the line makes.",
)
@seed_option
@json_option
def demo(out: Path, parts: int, seed: int, as_json: bool) -> None:
    """Simulate an assembly line, compare methods on it, train, and write a report.

    No plant was measured: scrap has planted causes, and the report should find them.
    """
    from thresher import train
    from thresher.cli.comparison import fill_missing, what_is_missing
    from thresher.cli.train import outcome, write_folder
    from thresher.datasets import make_assembly_line
    from thresher.datasets.assembly_line import line_columns, line_stages
    from thresher.study import METHODS, run_study
    from thresher.tables.writing import write_columns
    from thresher.whole_file import new_file

    line = make_assembly_line(parts, as_frame=False, random_state=seed)
    tell(line.description)
    names = [name for name in COMPARED if what_is_missing(METHODS[name]) is None]
    left_out = [name for name in COMPARED if name not in names]
    if left_out:
        tell(
            f"Left out, since imbalanced-learn is not installed: {', '.join(left_out)}; "
            "pip install 'thresher[study]'."
        )
    tell(f"{FOLDS}-fold cross-validation of {', '.join(names)} ...")
    methods = {name: partial(fill_missing, METHODS[name]) for name in names}
    study = run_study({"line": (line.X, line.y)}, methods, folds=FOLDS, random_state=seed)
    scores = [
        {"method": name, **{one: study.scores(one).of("line", name) for one in MEASURES}}
        for name in names
    ]
    tables = {"parts.csv": line_columns(line), "stages.csv": line_stages(line)}
    for name, columns in tables.items():
        with new_file(out / name, follow=False) as temporary:
            write_columns(columns, temporary)
    with told():
        model: PlantModel = train(
            out / "parts.csv",
            "scrap",
            model="tree",
            rule="f1",
            cost_fp=COST_FP,
            cost_fn=COST_FN,
            id="part",
            time="finished",
            stages=out / "stages.csv",
            random_state=seed,
            verbose=True,
        )
        files = write_folder(model, out, report=True)
    result = {
        "description": line.description,
        "rows": len(line.y),
        "positives": int(line.y.sum()),
        "folds": FOLDS,
        "methods": scores,
        "left_out": left_out,
        "planted": [str(condition) for condition in line.truth],
        **outcome(model, {**files, **{name: str(out / name) for name in tables}}),
    }
    result["folds"] = FOLDS
    if as_json:
        print_json(result)
    else:
        _print(result, model)


def _print(result: dict[str, Any], model: "PlantModel") -> None:
    from thresher.cli.output import print_table
    from thresher.cli.train import conditions_text
    from thresher.text_table import Cell, TextTable

    best = max(row["f1"] for row in result["methods"])
    rows = [
        [row["method"], *(Cell(row[one], is_best=row[one] == best) for one in MEASURES)]
        for row in result["methods"]
    ]
    share = result["positives"] / result["rows"]
    title = f"{result['rows']} parts, {result['positives']} scrapped ({share:.1%})"
    note = f"Means over {FOLDS} folds. The methods of the paper's figure, and the forest."
    print_table(TextTable(title, ["method", "F1", "precision", "recall"], rows, [note]))
    say("\nPlanted causes of scrap:")
    for cause in result["planted"]:
        say(f"   {cause}")
    say(f"\n{model.verdict}\n\n{conditions_text(model)}")
    files = result["files"]
    say(f"\nThe report: {files['report.html']}\nThe conditions: {files['conditions.csv']}")
    say(
        f"The same by hand: thresher train {files['parts.csv']} --target scrap --id part "
        f"--time finished --stages {files['stages.csv']} --model tree --rule f1 "
        f"--cost-fp {COST_FP:g} --cost-fn {COST_FN:g} --out FOLDER"
    )
