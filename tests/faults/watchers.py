"""Processes that run `thresher watch` on one state, some of which are killed; prints what is left.

    python -m tests.faults.watchers FOLDER PROCESSES,KILLS ...

They are forks, so that imports are paid for once. Each batch is known by its number of rows.
"""

import json
import os
import signal
import sys
from itertools import cycle
from pathlib import Path

from tests.program import run
from thresher import train
from thresher.datasets import make_assembly_line
from thresher.plant import PlantModel, Watch

LOOKS = 2
"""Of each process; one that is to be killed goes on with them until it is."""


def write_batches(folder, n_batches):
    """Write a model and tables of 1, 2, ... rows."""
    line = make_assembly_line(1000, random_state=0)
    train(line.X.assign(scrap=line.y), target="scrap", model="tree", folds=2).save(folder / "model")
    line = make_assembly_line(n_batches * (n_batches + 1) // 2, random_state=1)
    first = 0
    for rows in range(1, n_batches + 1):
        line.X[first : first + rows].to_csv(folder / f"{rows}.csv", index=False)
        first += rows


def watcher(folder, state, batches, mouth):
    """Look at batches in a fork, and report which were written."""
    child = os.fork()
    if child == 0:
        for rows in batches:
            done = run("watch", folder / "model", folder / f"{rows}.csv", "--state", state)
            if f"Written: {state}" in done.stderr:
                os.write(mouth, f"{rows}\n".encode())
        os._exit(0)
    return child


def watched(folder, processes, kills):
    """Let processes watch, kill some at every fifth report, and return what is left."""
    model, state = PlantModel.load(folder / "model"), folder / f"{processes}.json"
    ears, mouth = os.pipe()
    children = []
    for number in range(processes):
        batches = range(1 + number, 1 + processes * LOOKS, processes)
        children.append(
            watcher(folder, state, cycle(batches) if number < kills else batches, mouth)
        )
    os.close(mouth)
    reported, victims = [], children[:kills]
    with os.fdopen(ears, "rb") as pipe:
        for report in pipe:
            reported.append(int(report))
            if victims and len(reported) % 5 == 0:
                os.kill(victims.pop(), signal.SIGKILL)
            Watch.load(state, model)  # it is whole at every moment
    codes = [os.waitpid(child, 0)[1] for child in children]
    stored = [entry.rows for entry in Watch.load(state, model).last.batches]
    return {
        "codes": sorted(codes),
        "reported": len(set(reported)),
        "stored": len(stored),
        "lost": sorted(set(reported) - set(stored)),
    }


def main(folder, *counts):
    folder = Path(folder)
    pairs = [tuple(map(int, count.split(","))) for count in counts]
    write_batches(folder, LOOKS * max(processes for processes, _ in pairs))
    sys.stdout.write(json.dumps([watched(folder, *pair) for pair in pairs]) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
