"""From nothing to the first report: thresher's wheel beside a report written by hand.

    python benchmarks/first_report.py [--python python3.12]      after `make wheel`

Two empty environments are made with the same Python. Into one goes the wheel of dist, into the
other scikit-learn, imbalanced-learn and SHAP; then each makes its report of the same table. Printed
are CPU and wall time of both steps in seconds, and how many lines had to be written. Packages come
from the index or from pip's cache; the wall time of an install is that of the network.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
BY_HAND = ROOT / "benchmarks" / "by_hand.py"
RIVALS = ["imbalanced-learn", "matplotlib", "pandas", "scikit-learn", "shap"]


def timed(*command):
    """Run a command; return its CPU and wall time in seconds, and what it printed."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        list(map(str, command)), check=True, env=environment, stdout=subprocess.PIPE, text=True
    )
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begin
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall, done.stdout


def empty_environment(folder, python):
    subprocess.run([python, "-m", "venv", folder], check=True)
    return folder / "bin"


def lines_of_code(path):
    """Count lines that are neither empty, nor comments, nor of the module's docstring."""
    text = path.read_text(encoding="utf-8").split('"""', 2)[2]
    lines = map(str.strip, text.splitlines())
    return sum(1 for line in lines if line and not line.startswith("#"))


def wheel(version):
    tag = "abi3" if version >= (3, 12) else f"cp{version[0]}{version[1]}"
    return next((ROOT / "dist").glob(f"thresher-*-{tag}-*.whl"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    asked = subprocess.check_output(
        [given.python, "-c", "import sys; print(*sys.version_info[:2])"], text=True
    )
    built = wheel(tuple(map(int, asked.split())))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours = empty_environment(folder / "ours", given.python)
        theirs = empty_environment(folder / "theirs", given.python)
        install = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
        rows = {"thresher, install": timed(ours / "python", *install, built)}
        rows["by hand, install"] = timed(theirs / "python", *install, *RIVALS)
        table = folder / "parts.csv"
        timed(ours / "thresher", "datasets", "assembly_line", "--out", table)
        train = [ours / "thresher", "train", table, "--target", "scrap", "--id", "part,finished"]
        rows["thresher, report"] = timed(*train, "--out", folder / "result")
        report = [theirs / "python", BY_HAND, table, "scrap", folder / "report.html"]
        rows["by hand, report"] = timed(*report)
        print("| step | CPU, s | wall, s |\n| --- | ---: | ---: |")
        for step, (cpu, wall, _) in rows.items():
            print(f"| {step} | {cpu:.1f} | {wall:.1f} |")
        print(f"\nlines by hand: {lines_of_code(BY_HAND)}; for thresher: 1 command")
        for step in ("by hand, report", "thresher, report"):
            print(f"{step}:", *rows[step][2].splitlines()[:3], sep="\n  ")


if __name__ == "__main__":
    main()
