"""Run the fuzz targets, two side by side, and say what came of it.

    python fuzz/campaign.py --replay
    python fuzz/campaign.py --seconds 10
    python fuzz/campaign.py --executions 1 model_file core

`--replay` tries the inputs that the repository keeps; `--seconds` searches from a fixed seed, as
far as it gets; `--executions`, a share of the numbers in `TARGETS`, takes another seed each time.
New inputs go to build/fuzz/TARGET/corpus, findings to build/fuzz/TARGET, what was said to
build/fuzz/TARGET.log, and the figures to build/fuzz/results.json. The exit code is 1 if there was
a finding.

A single input may take 20 s, measured by an alarm of libFuzzer. `--replay` and `--seconds` set that
alarm beyond their end: once, an alarm of Atheris ended a process though no input was slow. An input
that hangs then holds up the whole check, which is a finding too.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "fuzz"
MODELS = [str(BUILD / "models")]
"""Model files of the present format, made anew for each run."""


@dataclass(frozen=True)
class Target:
    """What is fuzzed, from which seeds, and how often in a whole campaign."""

    executions: int
    seeds: list[str]
    program: str | None = None  # of Python; None: the core, compiled
    options: tuple[str, ...] = ()


TARGETS = {
    "model_file": Target(1_000_000, MODELS, "model_file.py"),
    "model_use": Target(100_000, MODELS, "model_use.py"),
    "command_line": Target(10_000, MODELS, "command_line.py"),
    "csv_table": Target(700_000, ["fuzz/corpus/csv_table"], "csv_table.py"),
    "parquet_table": Target(250_000, ["fuzz/corpus/parquet_table"], "parquet_table.py"),
    "excel_table": Target(
        30_000, ["fuzz/corpus/excel_table"], "excel_table.py", ("-max_len=16384",)
    ),
    "watch_state": Target(
        200_000, ["fuzz/corpus/watch_state"], "watch_state.py", ("-max_len=16384",)
    ),
    "core": Target(5_000_000, ["fuzz/corpus/core.zip"], options=("-max_len=600",)),
    "core_sanitized": Target(200_000, ["fuzz/corpus/core.zip"], options=("-max_len=600",)),
}
# Few anchors, so that small tables need the search inside of steps.
SLOWEST = 20
"""Seconds that an input may take in a campaign."""
GRACE = 300
"""Seconds that a check may take beyond its time, to start and to try its seeds."""
LAST_LINES = 20
"""What is shown of the log of a target with a finding."""
CORE_FLAGS = "-O2 -fsanitize=fuzzer-no-link -DTHRESHER_MAX_ANCHORS=7"
SANITIZERS = "-fsanitize=address,undefined -fno-sanitize-recover=all"


@dataclass
class Outcome:
    """The figures of a run; coverage counts edges, inputs are those kept."""

    target: str
    executions: int
    per_second: int
    edges: int
    inputs: int
    findings: list[str]
    day: str = field(default_factory=lambda: str(date.today()))


def command_of(name):
    """Return the program of a target, compiled where it must be; None where it cannot be."""
    target = TARGETS[name]
    if target.program is not None:
        return [sys.executable, f"fuzz/{target.program}"]
    if shutil.which("clang++") is None:
        return None
    out = f"build/fuzz-{name}"
    flags = f"{CORE_FLAGS} {SANITIZERS if name == 'core_sanitized' else ''}"
    make = ["make", "-s", "-j2", "-f", "tests/core/Makefile", f"OUT={out}", "CXX=clang++"]
    subprocess.run([*make, f"FLAGS={flags}", f"{out}/fuzz"], cwd=ROOT, check=True)
    return [f"{out}/fuzz"]


def run(name, command, limits, seconds=None):
    """Fuzz one target within limits, options of libFuzzer, and within seconds where they count."""
    folder = BUILD / name
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    before = set(folder.iterdir())
    seeds = [str(_unpacked(ROOT / seed, folder)) for seed in TARGETS[name].seeds]
    options = [
        f"-timeout={SLOWEST if seconds is None else 2 * (seconds + GRACE)}",
        "-rss_limit_mb=2048",
        "-print_final_stats=1",
        f"-artifact_prefix={folder}/",
        *TARGETS[name].options,
        *limits,
    ]
    log = BUILD / f"{name}.log"
    with log.open("w", encoding="utf-8") as file, scratch_folder() as scratch:
        environment = {**os.environ, "TMPDIR": scratch, "PYTHONHASHSEED": "0"}
        whole = [*command, *options, str(corpus), *seeds]
        limit = None if seconds is None else seconds + GRACE
        end = _ended(whole, file, environment, limit)
    said = log.read_text(encoding="utf-8", errors="replace")
    new = sorted(path.name for path in set(folder.iterdir()) - before if path.is_file())
    findings = new if new or end is None else [end]
    return Outcome(
        name,
        _last(said, r"number_of_executed_units: (\d+)"),
        _last(said, r"average_exec_per_sec: +(\d+)"),
        _last(said, r"cov: (\d+)"),
        len(list(corpus.iterdir())),
        findings,
    )


def _ended(command, log, environment, limit):
    """Run a program for some seconds at most; return how it ended, None if well."""
    streams = {"stdout": log, "stderr": log}
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, timeout=limit, **streams)
    except subprocess.TimeoutExpired:
        return f"an input hangs: no end after {limit} s (it is found with -timeout={SLOWEST})"
    return None if done.returncode == 0 else f"exit code {done.returncode}"


def scratch_folder():
    """Return a folder for the files of a target, in memory where there is such a place.

    libFuzzer ends its process without a chance to tidy up.
    """
    memory = "/dev/shm"
    return tempfile.TemporaryDirectory(
        prefix="thresher-fuzz-", dir=memory if os.path.isdir(memory) else None
    )


def _unpacked(seed, folder):
    """Return a folder of seeds; those of a zip file are taken out of it."""
    if seed.suffix != ".zip":
        return seed
    with zipfile.ZipFile(seed) as file:
        file.extractall(folder / "seeds")
    return folder / "seeds"


def _last(text, pattern):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def keep(outcomes):
    """Write the figures to results.json, beside those of targets that were not run now."""
    path = BUILD / "results.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    latest = {one["target"]: one for one in [*known, *map(vars, outcomes)]}
    path.write_text(json.dumps(list(latest.values()), indent=1), encoding="utf-8")


def show(outcomes):
    sys.stdout.write(f"{'target':<16}{'executions':>12}{'a second':>10}{'edges':>8}{'inputs':>8}\n")
    for one in outcomes:
        line = f"{one.target:<16}{one.executions:>12,}{one.per_second:>10,}{one.edges:>8,}"
        said = f"{one.inputs:>8,}  {', '.join(one.findings) or 'no finding'}\n"
        sys.stdout.write(line + said)
    for one in (one for one in outcomes if one.findings):
        log = (BUILD / f"{one.target}.log").read_text(encoding="utf-8", errors="replace")
        last = "\n".join(line[:200] for line in log.splitlines()[-LAST_LINES:])
        sys.stdout.write(f"\nThe last lines of {one.target}.log:\n{last}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", default=list(TARGETS))
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--replay", action="store_const", const=["-runs=0"])
    length.add_argument("--seconds", type=int)
    length.add_argument("--executions", type=float)
    given = parser.parse_args()
    if any(TARGETS[name].seeds == MODELS for name in given.targets):
        make = [sys.executable, "fuzz/make_models.py", *MODELS]
        subprocess.run(make, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    commands = {name: command_of(name) for name in given.targets}
    for name in [name for name, command in commands.items() if command is None]:
        sys.stdout.write(f"{name} is left out: it is compiled by clang++, which is not there\n")
        del commands[name]

    seconds = 0 if given.replay else given.seconds

    def limits(name):
        if given.replay:
            return given.replay
        if given.seconds is not None:
            return [f"-max_total_time={given.seconds}", "-seed=1"]
        return [f"-runs={round(given.executions * TARGETS[name].executions)}"]

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(
            pool.map(lambda name: run(name, commands[name], limits(name), seconds), commands)
        )
    keep(outcomes)
    show(outcomes)
    return 1 if any(one.findings for one in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
