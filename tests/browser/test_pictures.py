"""Pictures of any condition: every word whole and apart from the others, whatever the data."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from tests.browser.opening import open_page
from tests.browser.test_page import CLASHES, OUTSIDE
from tests.condition.test_picture import NAMES, random_clause, random_table
from tests.report.reports import line_report
from tests.table_factory import Table
from thresher import ImbalancedTreeClassifier, ThresholdClassifier, find_conditions
from thresher.condition.clause import Interval
from thresher.condition.condition import Condition
from thresher.condition.picture import over_time_data, picture_data
from thresher.figures.condition import draw_over_time, draw_picture
from thresher.figures.figure import Figure, figure_style
from thresher.figures.svg import WIDE
from thresher.report import render
from thresher.report.summary.conditions import MAX_CONDITIONS
from thresher.report.watch import draw_watch
from thresher.wording import name, shortened

LONG = {name: f"{name}_" + "MW_of_a_column_" * 6 for name in NAMES}
CLASS_NAMES = ["scrap", "plates with a scratch that is too long to sell"]


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
        yield draw_picture(data, CLASS_NAMES[seed % 2])
        times = np.datetime64("2024-01-01", "s") + np.arange(len(matrix)) * 3600
        over_time = over_time_data(is_positive, random.random(len(matrix)) < 0.5, times)
        if over_time is not None:
            yield draw_over_time(over_time, CLASS_NAMES[seed % 2])


def test_every_word_is_whole_and_apart_from_the_rest(browser):
    drawn = list(pictures(80))
    page = browser.new_page(viewport={"width": 320, "height": 800})
    page.set_content(f"<style>{figure_style()}</style>{''.join(drawn)}")
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(CLASHES) == []
    page.close()
    assert len(drawn) > 120
    assert max(map(len, drawn)) < 20_000


@pytest.mark.parametrize("column", ["x", "a name of a column of a hundred letters " * 3])
def test_a_figure_in_a_file_of_its_own_has_every_word_apart(browser, tmp_path, column):
    X, y = Table(rows=900, columns=4, labels=("ok", "scrap"), noise=1.0).numpy()
    X = pd.DataFrame(X, columns=[f"{place} {column}" for place in range(4)])
    tree = ImbalancedTreeClassifier(max_leaf_nodes=32, pruning=None).fit(X, y)
    classifier = ThresholdClassifier(LogisticRegression(), "f1", n_bootstrap=20).fit(X, y)
    drawn = Figure(column * 20, draw_watch(watched(60), WIDE))
    figures = [
        tree.plot(),
        classifier.plot_curve(),
        find_conditions(tree, output="table").plot(0, X, y),
        drawn,
    ]
    for place, figure in enumerate(figures):
        path = tmp_path / f"{place}.svg"
        figure.save(path)
        with open_page(browser, path) as it:
            assert it.page.evaluate(OUTSIDE) == []
            assert it.page.evaluate(CLASHES) == []
            it.check_quiet()


def watched(count):
    """Return the section of a watch of so many days."""
    days = [f"2024-{1 + day // 28:02}-{1 + day % 28:02}" for day in range(count)]
    ends = {"rate": 0.1, "low": 0.05, "high": 0.2, "out": False, "parts": 100}
    return {
        "days": days,
        "series": [{"name": name, "values": [0.1] * count} for name in ("rate", "fewer alerts")],
        "chart": {"rows": [{"day": day, **ends} for day in days], "center": 0.1, "of": "alerts"},
        "line": 5.0,
        "is_alarm": False,
    }


def crowded_summary():
    """Return a report of 1,000 columns and 200 conditions, with names of a hundred letters."""
    summary = json.loads(json.dumps(line_report()))
    long = "measurement_of_the_seventh_stage_after_the_second_washing_in_degrees_" * 2
    rows = summary["conditions"]["rows"]
    names = [f"{place}_{long}"[:100] for place in range(1000)]
    many = []
    for place in range(MAX_CONDITIONS):
        row = copy.deepcopy(rows[place % len(rows)]) | {"number": place + 1}
        row["text"] = shortened(f"{names[place]} > 61.4822 and {names[-place]} <= 38.5", 400)
        for axis in row["picture"]["axes"]:
            axis["name"] = name(names[place])
        many.append(row)
    summary["conditions"] |= {"rows": many, "hidden": 200 - len(many)}
    column = summary["quality"]["columns"][0]
    summary["quality"]["columns"] = [column | {"name": name(one)} for one in names[:200]]
    summary["quality"] |= {"n_columns": 1000, "hidden": 800}
    return summary


@pytest.mark.parametrize("width", [375, 768, 1280])
def test_nothing_overlaps_with_many_long_names(browser, tmp_path, width):
    path = tmp_path / "crowded.html"
    page = render(crowded_summary())
    assert len(page.encode()) < 1_000_000
    path.write_text(page, encoding="utf-8")
    for scheme in ("light", "dark"):
        screen = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
        with open_page(browser, path, **screen) as it:
            it.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
            assert it.page.evaluate("document.documentElement.scrollWidth") <= width
            assert it.page.evaluate(OUTSIDE) == []
            assert it.page.evaluate(CLASHES) == []
            it.check_quiet()


def test_a_report_of_200_columns_is_small():
    """Two columns asked by each of 40 conditions, on rows enough for a heat map in each picture."""
    random = np.random.default_rng(0)
    matrix, is_positive = random.normal(size=(5000, 200)), random.random(5000) < 0.05
    names = [f"{place}_{'column' * 15}" for place in range(200)]
    found = [
        Condition((Interval(names[2 * k], low=0.5), Interval(names[2 * k + 1], high=0.5)), ())
        for k in range(MAX_CONDITIONS)
    ]
    rows = crowded_summary()["conditions"]["rows"]
    for row, condition in zip(rows, found, strict=True):
        row["picture"] = picture_data(condition, names, matrix, is_positive)
    assert {row["picture"]["kind"] for row in rows} == {"heat map"}
    summary = crowded_summary()
    page = render(summary | {"conditions": summary["conditions"] | {"rows": rows}})
    assert len(page.encode()) < 1_000_000
