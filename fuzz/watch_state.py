"""Coverage-guided search for bytes on which the state of a watch does anything but refuse or work.

    python fuzz/watch_state.py -max_total_time=60 CORPUS fuzz/corpus/watch_state

An input is the JSON file. What is read must come back as it was written, and the watch must go on
with it: figures, words and charts, then a further batch. Half of the changes are made to fields.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import atheris
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(include=["thresher.judging.watch"]):
    from thresher.judging.watch.journal import Batch
    from thresher.judging.watch.look import Look
    from thresher.judging.watch.question import Standing, ask
    from thresher.judging.watch.state_file import state_in, state_text

from fuzz.harness import start
from fuzz.model_changes import changed
from fuzz.refusal import refusals
from thresher.errors import TableError, WatchFileError
from thresher.judging.facts import Facts
from thresher.judging.judgement import Judgement
from thresher.plant.watch import Watch
from thresher.report.watch import draw_watch

FACTS = Facts(target="scrap", rows=1000, positives=10, judgement=Judgement(900, 40, 20, 40, ""))
HASHES = np.arange(40, dtype=np.uint64) << np.uint64(56)
FLAGS = [np.arange(40) % step == 0 for step in (3, 1, 4)]


def read_any(data):
    """Read one input and go on with it; whatever is raised from here is a finding."""
    with refusals(WatchFileError):
        state = state_in(data, "it")
        again = state_text(state)
        assert state_text(state_in(again.encode(), "it")) == again, "it is not what was written"
        _use(state, state.journal)
        with refusals(TableError):
            _use(state, state.journal.with_batches([Batch.of(None, HASHES, *FLAGS)], "it"))


def _use(state, journal):
    asked = ask(FACTS, state.watched, state.alpha)
    standings = tuple(Standing(one, journal.entries) for one in asked)
    look = Look((), 0, standings, tuple(journal.batches), "scrap")
    json.dumps(look.as_data(), allow_nan=False)
    assert all(len(words.splitlines()) == 1 for words in look.words)
    section = Watch._section(SimpleNamespace(alpha=state.alpha), look)
    draw_watch(section, 340)


if __name__ == "__main__":
    start(read_any, changed)
