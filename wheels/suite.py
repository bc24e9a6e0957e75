"""The test suite with the built wheels, in a fresh environment on every Python of the machine.

No compiler is on the search path, neither while the wheel is installed nor while the tests run.
On Windows, where links need a right of their own, the path stays as it is.

python wheels/suite.py
python wheels/suite.py --python 3.13 tests/tree -k pruning     what follows goes to pytest
"""

import argparse
import os

from environment import BUILD, IS_WINDOWS, Environment, hide_compilers, wheel_for
from pythons import find_pythons

USUAL = ["-n", "2", "--dist", "worksteal", "tests", "--pyargs", "thresher"]
# Libraries that keep threads of their own wait for each other where two processes share two cores.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def main() -> None:
    """Run pytest on each Python, or on those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", default=[], help="3.13; may be repeated")
    given, tests = parser.parse_known_args()
    pythons = [one for one in find_pythons() if not given.python or str(one) in given.python]
    if not pythons:
        raise SystemExit("No such Python was found.")
    os.environ.update(ONE_THREAD)
    if not IS_WINDOWS:
        hide_compilers(BUILD / "programs")
    for python in pythons:
        place = Environment(f"suite-{python}", python)
        place.install(f"{wheel_for(python)}[test]")
        place.run("python", "-m", "pytest", "-m", "not slow", *(tests or USUAL))


if __name__ == "__main__":
    main()
