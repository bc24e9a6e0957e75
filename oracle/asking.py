"""What both askers do in the same way, without `thresher`: plain data, and exports that are run."""

import json
import sqlite3
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from oracle.questions import Question

Answer = dict[str, Any]
Kinds = Mapping[str, Callable[[Question, Path], Answer]]


def answer(kinds: Kinds, question: Question, folder: Path) -> Answer:
    """Answer a question as plain data; a refusal is the name of its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found: Answer = plain(kinds[question["kind"]](question, folder))
            return found
        except ValueError as error:
            return {"refused": type(error).__name__}


def main(kinds: Kinds, questions: str, answers: str, folder: str) -> None:
    """Answer a file of questions by name into another one; dirty tables are in the folder."""
    asked = json.loads(Path(questions).read_text(encoding="utf-8"))
    found = {name: answer(kinds, question, Path(folder)) for name, question in asked.items()}
    Path(answers).write_text(json.dumps(found), encoding="utf-8")


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    match value:
        case dict():
            return {str(key): plain(one) for key, one in value.items()}
        case np.ndarray() | np.generic():
            return plain(value.tolist())
        case tuple() | list():
            return [plain(one) for one in value]
        case None | bool() | int() | float() | str():
            return value
    raise TypeError(f"{type(value).__name__} is no plain data.")


def called(path: str) -> Any:
    """Return the class of a dotted name."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def digest(values: Sequence[Any]) -> str:
    """Return the first half of a hash of plain values."""
    return sha256(json.dumps(values).encode()).hexdigest()[:32]


def run_python(module: str, X: pd.DataFrame) -> Answer:
    """Return what an exported module predicts."""
    names: dict[str, Any] = {}
    exec(compile(module, "<exported model>", "exec"), names)
    found = [names["predict"](dict(zip(X, row, strict=True))) for row in _rows(X)]
    return {
        "probabilities": [one["probability"] for one in found],
        "decisions": [one["decision"] for one in found],
        "answers": [one.get("answer") for one in found],
    }


def run_sqlite(query: str, X: pd.DataFrame) -> Answer:
    """Return what an exported query of the table `parts` and its column `row` answers."""
    quoted = ['"{}"'.format(name.replace('"', '""')) for name in X]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f'CREATE TABLE parts ("row", {", ".join(quoted)})')
        marks = ", ".join("?" * (len(quoted) + 1))
        rows = [(number, *row) for number, row in enumerate(_rows(X))]
        database.executemany(f"INSERT INTO parts VALUES ({marks})", rows)
        found = sorted(database.execute(query).fetchall())
    _, probabilities, decisions, _, *answers = zip(*found, strict=True)
    return {
        "probabilities": probabilities,
        "decisions": decisions,
        "answers": answers[0] if answers else [None] * len(X),
    }


def run_onnx(model: Any, X: pd.DataFrame) -> Answer:
    """Return the labels of an exported graph of doubles; its runtime decides about last bits."""
    from onnxruntime import InferenceSession

    session = InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    feeds: dict[str, Any] = {}
    named = [one.name for one in session.get_inputs() if one.name != "X"]
    for name in named:
        is_text = X[name].dtype != "category"
        column = X[name].fillna("").to_numpy(object) if is_text else X[name].astype(float)
        feeds[name] = np.asarray(column)[:, None]
    if len(named) < X.shape[1]:
        feeds["X"] = X.drop(columns=named).to_numpy(np.float64)
    return {"decisions": session.run(None, feeds)[0]}


def _rows(X: pd.DataFrame) -> list[tuple[Any, ...]]:
    columns = [[None if value != value else value for value in X[name].tolist()] for name in X]
    return list(zip(*columns, strict=True))
