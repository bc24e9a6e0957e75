"""Every change of a file fails in turn, or is the last before a kill: nothing is ever torn."""

import sys
from collections import Counter

import pytest

from tests.faults.failing_files import FAULTS, FULL, KILL, ONCE, build, campaign
from tests.faults.operations import OPERATIONS

REMOVALS = ("unlink", "unlinkat", "rmdir")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return build(tmp_path_factory.mktemp("library"))


def check_sentence(text, folder):
    assert len(text.splitlines()) == 1
    assert str(folder) in text
    assert ".thresher-" not in text


def check(outcome, folder):
    """Whole files, the last new only if all are; hidden ones after a kill or a failed removal."""
    assert outcome.found in ("old", "begun", "new"), outcome
    if outcome.error is not None:
        check_sentence(outcome.error[1], folder)
    assert outcome.killed or not outcome.litter or outcome.failed in REMOVALS, outcome


def check_error(outcome):
    """An error means that the last file is old, none that all are new."""
    if not outcome.killed:
        assert (outcome.found == "new") == (outcome.error is None), outcome


def run(library, operation, faults, folder, step=1):
    outcomes = campaign(library, operation, faults, folder, step)
    assert {outcome.fault for outcome in outcomes} == {fault.name for fault in faults}
    for outcome in outcomes:
        assert outcome.killed == (outcome.fault == KILL.name)
        check(outcome, folder)
        if "study" not in operation and operation != "compare":  # these keep what was done
            check_error(outcome)
    return outcomes


def test_a_model_is_the_old_one_or_the_new_one_at_every_fault(library, tmp_path):
    outcomes = run(library, "save_model", list(FAULTS.values()), tmp_path)
    for fault in FAULTS:
        found = {outcome.found for outcome in outcomes if outcome.fault == fault}
        assert found == {"old", "new"}
    called = {outcome.failed.removesuffix("64") for outcome in outcomes}
    assert {"open", "write", "chmod", "fsync", "rename"} <= called


@pytest.mark.parametrize(
    ("operation", "faults", "step"),
    [
        ("write_folder", [ONCE, KILL], 3),
        ("write_parquet", [FULL], 4),
        ("study", [FULL, KILL], 17),
        ("watch", [FULL, KILL], 3),
    ],
)
def test_some_faults_of_other_files(library, tmp_path, operation, faults, step):
    run(library, operation, faults, tmp_path, step)


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS)
def test_all_faults_of_all_files(library, tmp_path, operation):
    step = 7 if operation == "compare" else 1  # of hundreds, after each of which figures are drawn
    outcomes = run(library, operation, list(FAULTS.values()), tmp_path, step)
    sys.stdout.write(f"{operation}: {Counter(one.fault for one in outcomes)}\n")  # pytest -rP
