"""Kill processes while they save a model, in a process of its own; prints what was left as JSON.

Arguments: number of kills, folder. The children are forks, so that each starts at once.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

from thresher import ImbalancedForestClassifier, load_model, save_model
from thresher.model_file.file import StoredModel, to_bytes


def fitted(trees):
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 5))
    model = ImbalancedForestClassifier(trees, n_bootstrap=0, random_state=trees)
    return model.fit(X, X[:, 0] > 1.2)


def killed_while_saving(models, path, seconds):
    """Start a process that saves one model after the other, and kill it after a while."""
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(told, b"!")
        while True:
            for model in models:
                save_model(model, path)
    os.read(ready, 1)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(ready)
    os.close(told)


def main(count, folder):
    path, draw = Path(folder) / "model.thresher", random.Random(0)
    models = [fitted(trees) for trees in (60, 90)]
    contents = [to_bytes(StoredModel(model, None)) for model in models]
    save_model(models[0], path)
    left = [0, 0]
    for _ in range(count):
        killed_while_saving(models, path, draw.uniform(0.0, 0.06))
        left[contents.index(path.read_bytes())] += 1
        assert len(load_model(path).forest_) in (60, 90)
    litter = [one for one in Path(folder).iterdir() if one != path]
    save_model(models[1], path)
    saved = path.read_bytes() == contents[1]
    result = {
        "left": left,
        "litter": len(litter),
        "torn": sum(_is_torn(one, contents) for one in litter),
    }
    sys.stdout.write(json.dumps({**result, "saved": saved, "hidden": _are_hidden(litter)}) + "\n")


def _is_torn(path, contents):
    return path.read_bytes() not in contents


def _are_hidden(litter):
    return all(one.name.startswith(".thresher-") for one in litter)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
