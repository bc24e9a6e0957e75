"""Make the golden file of several codes: `python tests/golden/make_codes.py FOLDER`.

Later versions of the library must read it, and predict the same.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.plant.coded.made_line import QUICK, make_line
from thresher.plant import train


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    shape = {**QUICK, "leaves": 4, "folds": 2}
    given = {"codes": "all", "rule": "budget", "per_1000": 200, "unit": "parts"}
    model = train(make_line(300), "reason", **given, **shape)
    model.report()
    model.save(folder / "codes.thresher")
    new = make_line(40, seed=1)
    found = model.predict_table(new)
    expected = {
        "rows": new.to_dict("list"),
        "predictions": found[list(model.added())].to_dict("list"),
        "told": model.as_json(),
    }
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (folder / "expected.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
