"""The page: one file that asks for nothing, names that stay names, ids that do not meet."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from thresher.benchmark.analysis.ranking import Scores
from thresher.benchmark.output.figures import draw_entropies, draw_scores, render
from thresher.benchmark.output.page import Page, Picture, Section, inline_svg, render_page
from thresher.text_table import Cell, TextTable

HOSTILE = """</svg><script>alert("x")</script>'&"""


class Reader(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        self.words.append(data)

    def values(self, wanted):
        return [value for _, name, value in self.attributes if name == wanted]


def picture(name, figure=None, caption="What it shows."):
    return Picture(name, render(figure or draw_entropies(), "svg"), caption)


def hostile_page():
    scores = Scores((HOSTILE,), (HOSTILE, "b"), np.array([[0.1, 0.2]]))
    table = TextTable(HOSTILE, (HOSTILE, "b"), [[HOSTILE, Cell(0.5, is_best=True)]], [HOSTILE])
    sections = [
        Section(
            HOSTILE, [HOSTILE], picture("first", draw_scores(scores, HOSTILE), HOSTILE), [table]
        ),
        Section("Again", picture=picture("second"), tables=[table]),
        Section("Tables", tables=[table]),
    ]
    return render_page(Page(HOSTILE, [HOSTILE], sections))


@pytest.fixture(scope="module")
def text():
    return hostile_page()


@pytest.fixture(scope="module")
def seen(text):
    return Reader(text)


def test_nothing_is_fetched(text, seen):
    assert "http://" not in text
    assert "https://" not in text
    assert not {"script", "link", "img", "iframe", "object", "embed", "base"} & set(seen.tags)
    assert all(value.startswith("#") for value in seen.values("href"))
    assert not seen.values("src")
    assert not re.search(r"@import|url\((?!#)", text)
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    assert ("meta", "content", policy) in seen.attributes


def test_names_stay_names(text, seen):
    assert "<script" not in text
    assert sum(HOSTILE in word for word in seen.words) >= 7
    assert not [name for _, name, _ in seen.attributes if name.startswith("on")]
    assert ("svg", "aria-label", HOSTILE) in seen.attributes


def test_ids_are_unique_and_references_lead_somewhere(text, seen):
    ids = seen.values("id")
    assert len(ids) == len(set(ids))
    wanted = {value.removeprefix("#") for value in seen.values("href")}
    wanted |= set(re.findall(r"url\(#([^)]*)\)", text))
    assert wanted
    assert wanted <= set(ids)


def test_figures_follow_light_and_dark(text):
    svg = text[text.index("<svg") : text.index("</svg>")]
    assert "var(--ink)" in svg
    assert "#333333" not in svg
    assert "#ffffff" not in svg
    for name in ("ink", "paper", "line", "ours", "printed"):
        assert text.count(f"--{name}: ") == 2  # light, dark


def test_tables_stand_behind_figures_and_open_without_one(text, seen):
    assert seen.tags.count("table") == 3
    assert seen.tags.count("details") == 2
    assert seen.tags.count("figcaption") == 2
    assert text.count('<td class="number best">0.500</td>') == 3
    assert text.count('<th scope="row">') == 3


def test_an_inlined_figure_is_the_same_drawing():
    original = render(draw_entropies(), "svg").decode()
    inlined = inline_svg(picture("p"))
    for tag in ("path", "use", "text", "g"):
        assert inlined.count(f"<{tag} ") == original.count(f"<{tag} ")
    assert inlined.rstrip().endswith("</svg>")
