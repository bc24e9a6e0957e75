"""Every change of a file fails in turn, or is the last before a kill: nothing is ever torn."""

import sys
from collections import Counter

import pytest

from tests.faults.failing_files import FAULTS, FULL, KILL, ONCE, build, campaign
from tests.faults.operations import OPERATIONS

REMOVALS = ("unlink", "unlinkat", "rmdir")
PENDING = "has only some of its new files"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return build(tmp_path_factory.mktemp("library"))


def check_sentence(text, folder):
    assert len(text.splitlines()) == 1
    assert str(folder) in text
    assert ".thresher-" not in text.replace("'.thresher-new' in it.", "")


def check(outcome, folder):
    """The old files or the new ones; hidden files only after a kill, or where removing failed."""
    assert outcome.found in ("old", "new"), outcome
    if outcome.error is not None:
        check_sentence(outcome.error[1], folder)
    assert outcome.killed or not outcome.litter or outcome.failed in REMOVALS, outcome


def check_error(outcome):
    """An error means the old files, none the new ones: nobody has to look which it is."""
    if not outcome.killed:
        is_old = outcome.error is not None and PENDING not in outcome.error[1]
        assert outcome.found == ("old" if is_old else "new"), outcome


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


# Files are written at the 4th change of a folder, and on the move at the 28th.
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
