"""Speed and memory beside scikit-learn, LightGBM and XGBoost: `bench.py [--full]`.

Prints one table and writes benchmarks/results/<date>-<mode>.json. It is a report: a target that is
missed is said, not raised.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from contenders import absent_rivals
from figures import Figure, compare
from report import as_json, as_text, file_name
from tables import Shape
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


def main() -> None:
    """Run the comparisons, print them and write them down."""
    options = _options()
    shapes = [Shape(rows) for rows in options.rows] or (FULL if options.full else QUICK)
    mode, date = "full" if options.full else "quick", datetime.now(UTC)
    path = options.output or RESULTS / file_name(mode, date)
    path.parent.mkdir(parents=True, exist_ok=True)
    for package in absent_rivals():
        _say(f"{package} is not installed and left out.")
    figures: list[Figure] = []
    for found in _run(shapes, options.seconds, searches=not options.rows):
        figures += found
        # After each table, so that a long run that is stopped leaves what it has.
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


def _run(shapes: list[Shape], seconds: float, searches: bool) -> Iterator[list[Figure]]:
    # CPU time counts all threads of the process, so that no library may start any.
    with threadpool_limits(1):
        for shape in shapes:
            _say(f"{shape.rows:,} x {shape.columns}, {100 * shape.positive_share:g} % positives")
            yield compare(shape, seconds)
        if searches:
            _say("threshold search over 1,000,000 scores")
            yield compare_searches()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
