import pytest

from tests.plant.coded.made_line import QUICK, make_line
from thresher.plant import train


@pytest.fixture(scope="package")
def line():
    return make_line()


@pytest.fixture(scope="package")
def model(line):
    """Return models of all codes under one budget."""
    budget = {"rule": "budget", "per_1000": 120}
    words = {"unit": "parts", "event": "scrap"}
    return train(line, "reason", codes="all", folds=2, **budget, **words, **QUICK)
