"""Small tables and methods for tests of studies; worker processes import them from here."""

import os
import subprocess
import sys
import time
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier


def make_table(seed, n_rows=120, n_columns=3, share=0.2):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    y = np.zeros(n_rows, dtype=int)
    y[: int(share * n_rows)] = 1
    X[:, 0] += y
    return X, y


def note(text):
    """Append a line to the file that LOG names, in one step that no kill can split."""
    log = os.open(os.environ["LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, f"{text}\n".encode())
    os.close(log)


class LoggedTree(DecisionTreeClassifier):
    """A tree that notes each fit: the process, its depth and seed, and its rows."""

    def fit(self, X, y, **parameters):
        note(f"{os.getpid()} {self.max_depth} {self.random_state} {float(X[:, 0].sum())!r}")
        time.sleep(0.003)
        return super().fit(X, y, **parameters)


class Plain(ClassifierMixin, BaseEstimator):
    """Says "positive" where the first column is above a threshold; gives no probabilities."""

    def __init__(self, threshold=1.0):
        self.threshold = threshold

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, 0] > self.threshold).astype(int)


class Raising(Plain):
    def fit(self, X, y):
        raise ValueError("no rows of this kind, please")


class Exiting(Plain):
    def fit(self, X, y):
        sys.exit(3)


class Crashing(Plain):
    def fit(self, X, y):
        os._exit(7)


class Sleeping(Plain):
    """Starts a process of its own, notes it and itself, and sleeps for a minute."""

    def fit(self, X, y):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        note(os.getpid())
        note(child.pid)
        time.sleep(60)
        return super().fit(X, y)


class Talking(Plain):
    """Prints, reads from standard input and warns."""

    def fit(self, X, y):
        print("hello")  # noqa: T201 - what is tested
        assert sys.stdin.read() == ""
        for _ in range(3):
            warnings.warn("not quite converged", RuntimeWarning, stacklevel=1)
        return super().fit(X, y)


class Wordy(Plain):
    def predict(self, X):
        return np.full(len(X), "yes")
