"""Make the seeds of `fuzz/command_line.py`: `python fuzz/make_corpus.py fuzz/corpus/command_line`.

Small models that `thresher train` writes, with notes of the present version.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.cli.program import run_here, write_line
from tests.plant.coded.made_line import make_line

IGNORED = (
    "hardness,tool_age,press_depth,runout_3,seal,humidity,torque_5,glue_weight,flow,noise_level"
)
MODELS = {
    "tree": ["--model", "tree", "--no-report"],
    "tree_with_report": ["--model", "tree", "--cost-fp", 5, "--cost-fn", 80],
    "forest": ["--model", "forest", "--trees", 3, "--no-report"],
}
CODES = ["--per-1000", 200, "--model", "tree", "--leaves", 4, "--criterion", "gini"]


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        rows = Path(place)
        write_line(rows, 300)
        for name, options in MODELS.items():
            done = run_here(
                *("train", rows / "parts.csv", "--target", "scrap", "--id", "part"),
                *("--time", "finished", "--stations", rows / "stations.csv"),
                *("--ignore", IGNORED, "--folds", 2, "--out", rows / name, *options),
            )
            assert done.exit_code == 0, done.stderr
            (folder / f"{name}.thresher").write_bytes((rows / name / "model.thresher").read_bytes())
        make_line(300).to_csv(rows / "reasons.csv", index=False)
        done = run_here(
            *("train", rows / "reasons.csv", "--target", "reason", "--codes", "all", *CODES),
            *("--folds", 2, "--out", rows / "codes"),
        )
        assert done.exit_code == 0, done.stderr
        (folder / "codes.thresher").write_bytes((rows / "codes" / "model.thresher").read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
