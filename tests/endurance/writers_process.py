"""Two processes that write to one place, while this one reads it; prints what was found.

python -m tests.endurance.writers_process OPERATION FOLDER TIMES
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path

from tests.faults.operations import OPERATIONS
from tests.faults.trials import litter


def writer(operation, which, folder, times):
    child = os.fork()
    if child == 0:
        for _ in range(times):
            operation.write(which, folder)
        os._exit(0)
    return child


def main(name, folder, times):
    operation, place = OPERATIONS[name](), Path(folder)
    operation.begin(place)
    contents = []
    for which in (1, 0):
        operation.write(which, place)
        contents.append(operation.read(place))
    children = {writer(operation, which, place, int(times)) for which in (0, 1)}
    codes, read = [], Counter()
    while children:
        operation.load(place)
        read["loads"] += 1
        child, status = os.waitpid(-1, os.WNOHANG)
        if child:
            children.remove(child)
            codes.append(status)
    is_whole = operation.read(place) in contents
    report = {"codes": codes, "whole": is_whole, "litter": litter(place), **read}
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
