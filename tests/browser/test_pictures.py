"""Pictures of any condition: every word whole and apart from the others, whatever the data."""

import numpy as np

from tests.browser.test_page import CLASHES, OUTSIDE
from tests.condition.test_picture import NAMES, random_clause, random_table
from thresher.condition.condition import Condition
from thresher.condition.picture import over_time_data, picture_data
from thresher.drawing.assets import picture_style
from thresher.drawing.condition_picture import draw_picture
from thresher.drawing.over_time import draw_over_time

LONG = {name: f"{name}_" + "MW_of_a_column_" * 6 for name in NAMES}
WORDS = [
    ("scrap", "parts"),
    ("plates with a scratch that is too long to sell", "plates of the line"),
]


def pictures(count):
    """Draw conditions on random tables, every other one with names of a hundred letters."""
    for seed in range(count):
        random = np.random.default_rng(seed)
        matrix = random_table(random, int(random.choice([1, 40, 2000])))
        is_positive = random.random(len(matrix)) < 0.2
        places = random.choice(len(NAMES), random.integers(1, 4), replace=False)
        condition = Condition(tuple(random_clause(random, matrix, at) for at in places), ())
        data = picture_data(condition, NAMES, matrix, is_positive)
        if seed % 2:
            for axis in data["axes"]:
                axis["name"] = LONG[axis["name"]]
                axis["labels"] = [f"{one}, a level" * 3 for one in axis.get("labels", ())] or None
                if axis["labels"] is None:
                    del axis["labels"]
        yield draw_picture(data, *WORDS[seed % 2])
        times = np.datetime64("2024-01-01", "s") + np.arange(len(matrix)) * 3600
        over_time = over_time_data(is_positive, random.random(len(matrix)) < 0.5, times)
        if over_time is not None:
            yield draw_over_time(over_time, *WORDS[seed % 2])


def test_every_word_is_whole_and_apart_from_the_rest(browser):
    drawn = list(pictures(80))
    page = browser.new_page(viewport={"width": 320, "height": 800})
    page.set_content(f"<style>{picture_style()}</style>{''.join(drawn)}")
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(CLASHES) == []
    page.close()
    assert len(drawn) > 120
    assert max(map(len, drawn)) < 20_000
