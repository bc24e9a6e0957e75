"""Speed and memory of trees and forests beside those of other libraries: `bench.py [--full]`.

Prints one table and writes benchmarks/results/<date>-<mode>.json. It is a report: a target that is
missed is said, not raised.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import csv_reading
import excel_reading
from contenders import absent_rivals
from explanations import compare_explanations
from figures import Figure, compare, compare_sizes
from forests import compare_distillation, compare_forests, compare_training
from model_file import compare_files
from report import as_json, as_text, file_name
from tables import Shape
from takeover import compare_takeovers
from threadpoolctl import threadpool_limits
from threshold_search import compare_searches

RESULTS = Path(__file__).parent / "results"
QUICK = [Shape(rows) for rows in (200, 2_000, 20_000, 200_000)]
FULL = [
    *QUICK,
    *(Shape(rows, columns=50) for rows in (2_000, 20_000, 200_000)),
    *(
        Shape(rows, positive_share=share)
        for share in (0.001, 0.2, 0.5)
        for rows in (20_000, 200_000)
    ),
    Shape(2_000_000),
]
QUICK_FORESTS = [Shape(rows) for rows in (2_000, 20_000, 200_000)]
FULL_FORESTS = [
    *QUICK_FORESTS,
    Shape(20_000, columns=50),
    *(Shape(20_000, positive_share=share) for share in (0.2, 0.5)),
]


def main() -> None:
    """Run the comparisons, print them and write them down."""
    options = _options()
    mode, date = "full" if options.full else "quick", datetime.now(UTC)
    path = options.output or RESULTS / file_name(mode, date)
    path.parent.mkdir(parents=True, exist_ok=True)
    for package in absent_rivals():
        _say(f"{package} is not installed and left out.")
    figures: list[Figure] = []
    for found in _run(options):
        figures += found
        # After each table, so that a long run that is stopped leaves what it has.
        path.write_text(as_json(figures, mode, date))
    figures += compare_sizes(figures)
    path.write_text(as_json(figures, mode, date))
    print(as_text(figures))
    _say(f"Written to {path}")


def _options() -> Namespace:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="big tables, 50 columns, other shares")
    parser.add_argument("--rows", type=int, nargs="+", default=[], help="these tables instead")
    parser.add_argument(
        "--seconds", type=float, default=6.0, help="CPU time to spend on one comparison"
    )
    parser.add_argument("--output", type=Path, help="where to write the JSON")
    return parser.parse_args()


def _run(options: Namespace) -> Iterator[list[Figure]]:
    asked = [Shape(rows) for rows in options.rows]
    # CPU time counts all threads of the process, so that no library may start any.
    with threadpool_limits(1):
        for shape in asked or (FULL if options.full else QUICK):
            _say(f"trees: {_describe(shape)}")
            yield compare(shape, options.seconds)
        for shape in asked or (FULL_FORESTS if options.full else QUICK_FORESTS):
            _say(f"forests: {_describe(shape)}")
            yield compare_forests(shape, options.seconds)
        if not asked:
            _say("threshold search over 1,000,000 scores")
            yield compare_searches()
            _say("models of others, taken over")
            yield compare_takeovers(options.seconds / 3)
            _say("contributions of columns: shap, LightGBM and ours")
            yield compare_explanations(options.seconds / 3)
            _say("one tree for a forest")
            yield compare_distillation(options.seconds / 3)
            _say("the whole of train on 10,000 x 20")
            yield compare_training()
            _say("model files")
            yield compare_files(min(1.0, options.seconds))
            _say("CSV of 1,000,000 rows")
            yield csv_reading.compare_csv()
            if excel_reading.is_measurable():
                rows = excel_reading.FULL_ROWS if options.full else excel_reading.ROWS
                _say(f"Excel of {rows:,} rows")
                yield excel_reading.compare_excel(rows)
            else:
                _say("python-calamine is not installed: no sheet is read.")


def _describe(shape: Shape) -> str:
    return f"{shape.rows:,} x {shape.columns}, {100 * shape.positive_share:g} % positives"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
