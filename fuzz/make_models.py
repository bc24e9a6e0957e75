"""Make model files as seeds: `python fuzz/make_models.py FOLDER`.

Small models of each kind, and some that `thresher train` writes, with notes.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


from tests.program import run, write_line
from tests.zoo import ZOO
from thresher import save_model

IGNORED = (
    "hardness,tool_age,press_depth,runout_3,seal,humidity,torque_5,glue_weight,flow,noise_level"
)
TRAINED = {
    "trained_tree": ["--model", "tree", "--no-report"],
    "trained_tree_with_report": ["--model", "tree", "--cost-fp", 5, "--cost-fn", 80],
    "trained_forest": ["--model", "forest", "--trees", 3, "--no-report"],
}


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for kind, specimen in ZOO.items():
        save_model(specimen.model, folder / f"{kind}.thresher")
    with tempfile.TemporaryDirectory() as temporary:
        rows = Path(temporary)
        write_line(rows, 300)
        for name, options in TRAINED.items():
            done = run(
                *("train", rows / "parts.csv", "--target", "scrap", "--id", "part"),
                *("--time", "finished", "--stages", rows / "stages.csv"),
                *("--ignore", IGNORED, "--folds", 2, "--out", rows / name, *options),
            )
            assert done.exit_code == 0, done.stderr
            (folder / f"{name}.thresher").write_bytes((rows / name / "model.thresher").read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
