"""Read damaged model files in a process of its own, which prints what came of it as JSON.

Arguments: number of files, folder with sound model files and a table for each (`name.npy`).
"""

import faulthandler
import json
import random
import resource
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from tests.model_file.damage import damaged, harm, resealed
from thresher import ImbalancedTreeClassifier
from thresher.errors import ModelFileError
from thresher.model_file.file import from_bytes


def peak_mb():
    """Return the most memory that the process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def attempt(content):
    """Return the model in a file's content, or the sentence of its refusal."""
    try:
        return from_bytes(content, "'damaged.thresher'").model, None
    except ModelFileError as error:
        return None, str(error)


def walked(model):
    """Go through all nodes of a loaded model as exports do."""
    fitted = getattr(model, "estimator_", model)
    for tree in list(getattr(fitted, "estimators_", [fitted]))[:3]:
        if isinstance(tree, ImbalancedTreeClassifier):
            assert tree.tree_.depth >= 0
            assert tree.export_text()
            assert np.isfinite(tree.feature_importances_).all()


def main(count, folder):
    faulthandler.enable()
    draw, found = random.Random(0), Counter()
    paths = sorted(Path(folder).glob("*.thresher"))
    sound = {path.stem: path.read_bytes() for path in paths}
    tables = {name: np.load(Path(folder) / f"{name}.npy", allow_pickle=False) for name in sound}
    worst, problems, sentences, before = 0.0, [], set(), peak_mb()
    for number in range(count):
        name = paths[number % len(paths)].stem
        kind, content = damaged(draw, sound[name])
        faulthandler.dump_traceback_later(30, exit=True)
        for seal, file in (("found", content), ("resealed", resealed(content))):
            start = time.process_time()
            model, sentence = attempt(file)
            if model is not None:
                problem = harm(model, tables[name])
                walked(model)
                if problem is not None or seal == "found":
                    problems.append([number, name, kind, seal, problem or "not refused"])
            else:
                sentences.add(sentence)
            found[f"{seal} {'loaded' if model is not None else 'refused'}"] += 1
            worst = max(worst, time.process_time() - start)
    result = {**found, "problems": problems, "worst": worst, "extra_mb": peak_mb() - before}
    sys.stdout.write(json.dumps({**result, "sentences": sorted(sentences)}) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
