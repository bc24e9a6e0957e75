"""Ask 0.2.0 and the present version the same questions: `make oracle`.

python -m oracle.run [--seed N]      compares; exits with 1 on any difference that is not as listed
python -m oracle.run --store         writes the answers of 0.2.0 that `make test` compares with
"""

import argparse
import gzip
import io
import json
import os
import platform
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from oracle.comparing import ROOT, compare_all, faults, faults_of_list, read_listed, stanza
from oracle.questions import DRAWN, Question, dirty
from tests.tables.dirty.corpus import write_corpus

COMMIT = "e43baf5"
STORED = ROOT / "oracle" / "stored"
STORED_SEED = 0
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "lightgbm", "xgboost")

Questions = Mapping[str, Question]
Command = list[str | Path]


def python_of_0_2() -> Path:
    """Return the interpreter of .venv-oracle, which is made where it is not there.

    Its libraries are those of this environment, so that a difference can only be thresher's.
    """
    folder, work = ROOT / ".venv-oracle", ROOT / "build" / "oracle"
    python, done = folder / "bin" / "python", folder / "done"
    if done.exists():
        return python
    archive = subprocess.run(["git", "archive", COMMIT], cwd=ROOT, capture_output=True)
    if archive.returncode:
        raise SystemExit(f"Commit {COMMIT} is not in this clone: run git fetch --unshallow.")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as source:
        source.extractall(work / "source", filter="data")
    wheel: Command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        work,
    ]
    subprocess.run([*wheel, work / "source"], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    install: Command = [python, "-m", "pip", "install", "--quiet", "--no-deps"]
    subprocess.run([*install, *work.glob("thresher-0.2.0-*.whl")], check=True)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = subprocess.run([python, "-c", where], check=True, capture_output=True, text=True)
    libraries = Path(found.stdout.strip()) / "libraries.pth"
    libraries.write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    done.touch()
    return python


def questions_by_part(seed: int, folder: Path) -> dict[str, dict[str, Question]]:
    """Return all questions by name, in parts of a stored file each."""
    files = [table.path.name for table in write_corpus(folder)]
    parts = {part: dict(draw(seed)) for part, draw in DRAWN.items()}
    return {**parts, "dirty": dict(dirty(files))}


def ask(
    askers: Mapping[str, Path], questions: Questions, folder: Path
) -> dict[str, dict[str, Any]]:
    """Return what each asker answers, each in a process of its own, at the same time."""
    given = folder / "questions.json"
    given.write_text(json.dumps(questions), encoding="utf-8")
    running = {}
    for asker, python in askers.items():
        # The sources of the present version are no business of 0.2.
        is_old = asker == "ask_0_2"
        env = {key: one for key, one in os.environ.items() if not (is_old and key == "PYTHONPATH")}
        command: Command = [
            python,
            "-m",
            f"oracle.{asker}",
            given,
            folder / f"{asker}.json",
            folder,
        ]
        running[asker] = subprocess.Popen(command, cwd=ROOT, env=env)
    codes = [process.wait() for process in running.values()]
    if any(codes):
        raise SystemExit("An asker has failed; its error is above.")
    return {
        asker: json.loads((folder / f"{asker}.json").read_text(encoding="utf-8"))
        for asker in askers
    }


def store(parts: Mapping[str, Questions], answers: Mapping[str, Any]) -> None:
    """Write the answers of 0.2.0, and the versions that made them."""
    made_by = {"thresher": "0.2.0", "python": platform.python_version()}
    made_by |= {name: version(name) for name in LIBRARIES}
    STORED.mkdir(exist_ok=True)
    for part, questions in parts.items():
        found = {"made_by": made_by, "answers": {name: answers[name] for name in questions}}
        data = gzip.compress(json.dumps(found).encode(), mtime=0)
        (STORED / f"{part}.json.gz").write_bytes(data)


def read_stored(part: str) -> dict[str, Any]:
    """Return the stored answers of 0.2.0 by question."""
    data = json.loads(gzip.decompress((STORED / f"{part}.json.gz").read_bytes()))
    answers: dict[str, Any] = data["answers"]
    return answers


def main() -> int:
    """Ask, compare, print a line a difference; return 1 if any is not as it is listed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=STORED_SEED, help="of the rows asked about")
    parser.add_argument("--store", action="store_true", help="write the answers of 0.2.0")
    given = parser.parse_args()
    old = python_of_0_2()
    with TemporaryDirectory() as name:
        folder = Path(name)
        parts = questions_by_part(STORED_SEED if given.store else given.seed, folder)
        questions = {key: one for part in parts.values() for key, one in part.items()}
        if given.store:
            store(parts, ask({"ask_0_2": old}, questions, folder)["ask_0_2"])
            return 0
        askers = {"ask_0_2": old, "ask_1_0": Path(sys.executable)}
        answers = ask(askers, questions, folder)
    found, listed = compare_all(answers["ask_0_2"], answers["ask_1_0"]), read_listed()
    is_listed_seed = given.seed == STORED_SEED
    bad = faults(found, listed, questions, is_listed_seed=is_listed_seed)
    bad += faults_of_list(listed, questions)
    for question, difference in found.items():
        if question in listed:
            print(f"{question}: {difference}, listed.")
    print(*bad, sep="\n", end="\n" if bad else "")
    print(*(stanza(key, one) for key, one in found.items() if key not in listed), sep="\n", end="")
    print(f"{len(questions)} questions, {len(found)} differences, {len(bad)} not as listed.")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
