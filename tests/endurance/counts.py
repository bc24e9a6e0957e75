"""How often a long run does what it does, in one place.

`make test-slow` takes the first number of each; THRESHER_ENDURANCE=full takes the second.
"""

import os

COUNTS = {
    "fits": (1000, 10_000),
    "loads": (1000, 10_000),
    "forks": (100, 1000),
    "forks beside a fit": (50, 1000),
    "kills of save_model": (100, 500),
    "kills of write_folder": (50, 200),
    "kills of train": (20, 200),
    "kills of study": (50, 200),
    "saves of two writers": (100, 1000),
}
IS_FULL = os.environ.get("THRESHER_ENDURANCE") == "full"


def count(name):
    return COUNTS[name][IS_FULL]
