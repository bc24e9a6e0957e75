"""A card as a page to read: questions with their points, and what the sum means."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thresher.answers import ALERT, PASS, REFER
from thresher.column import OTHER_LEVELS, Levels
from thresher.matrix import Columns
from thresher.tree.additive import AdditiveTrees
from thresher.tree.text import PRESENT_ONLY
from thresher.wording import counted


class Points(NamedTuple):
    """What is added to the sum."""

    points: float

    def __str__(self) -> str:
        return signed(self.points)


class GoTo(NamedTuple):
    """The number of the question that comes next."""

    number: int

    def __str__(self) -> str:
        return f"go to {self.number}"


Answer: TypeAlias = Points | GoTo


class Row(NamedTuple):
    """A question of the card by its number, and what an answer leads to."""

    number: int
    question: str
    yes: Answer
    no: Answer


class Verdict(NamedTuple):
    """An answer, and the sums that it is given for."""

    answer: str
    sums: str


class Page(NamedTuple):
    """The parts of a card, from whose points a sum is made, and what it means."""

    parts: tuple[tuple[Row, ...], ...]
    verdicts: tuple[Verdict, ...]
    positive: str

    @property
    def n_questions(self) -> int:
        """Number of questions of all parts."""
        return sum(map(len, self.parts))

    @property
    def title(self) -> str:
        """What the page is."""
        return f"Score card for {self.positive}: {counted(self.n_questions, 'questions')}"

    @property
    def manual(self) -> str:
        """How the page is used."""
        if not self.parts:
            return "No question is asked: every row has 0 points."
        begin = f"Begin each of the {len(self.parts)} parts at its first question, follow"
        add = "to some points, and add up the points of all parts."
        if len(self.parts) == 1:
            begin, add = "Begin at question 1 and follow", "to some points."
        unknown = "Where a value is missing, or a level is new, the answer is no."
        return f"{begin} the answers {add} {unknown}"


def read_page(card: Any, threshold: float | None = None) -> Page:
    """Return the page of a fitted card; a threshold around it may stand in for its own."""
    check_is_fitted(card)
    high = card.threshold_alert_ if threshold is None else None
    low = card.cut_at(card.threshold_ if threshold is None else threshold)
    return Page(
        tuple(_parts(card.trees_, card.columns_)),
        _verdicts(low, None if high is None else card.cut_at(high), whole=card.has_whole_points),
        str(card.pos_label_),
    )


def signed(points: float) -> str:
    """Return points with their sign; shares of a probability to four digits.

    >>> signed(3.0), signed(-2.0), signed(0.0), signed(0.12345)
    ('+3', '-2', '0', '+0.1235')
    """
    if points == 0.0:
        return "0"
    return f"{points:+.0f}" if points == round(points) else f"{points:+.4f}"


def _verdicts(low: float, high: float | None, *, whole: bool) -> tuple[Verdict, ...]:
    top = low if high is None else high
    if whole:
        least, most = int(np.ceil(top)), int(np.floor(low))
        alert, below = f"{least} points or more", f"{most} points or fewer"
        between = f"{most + 1} to {least - 1} points"
    else:
        alert, below = f"more than {top:.6g}", f"at most {low:.6g}"
        between = f"more than {low:.6g}, at most {top:.6g}"
    referred = () if high is None else (Verdict(REFER, between),)
    return (Verdict(ALERT, alert), *referred, Verdict(PASS, below))


def _parts(trees: AdditiveTrees, columns: Columns) -> Iterator[tuple[Row, ...]]:
    n_before = 0
    for first, last in pairwise(trees.begin.tolist()):
        rows = tuple(_rows(trees, columns, range(first, last), n_before))
        if rows:
            yield rows
        n_before += len(rows)


def _rows(trees: AdditiveTrees, columns: Columns, nodes: range, n_before: int) -> Iterator[Row]:
    """Return the questions of a tree, each before those that its answers lead to."""
    # The children of the k-th inner node are nodes 2k + 1 and 2k + 2.
    left = nodes.start + 2 * np.cumsum(~trees.is_leaf[nodes.start : nodes.stop]) - 1
    asked, waiting = [], [nodes.start]
    while waiting:
        node = waiting.pop()
        if not trees.is_leaf[node]:
            asked.append(node)
            child = int(left[node - nodes.start])
            waiting += [child + 1, child]
    number = {node: n_before + place for place, node in enumerate(asked, start=1)}

    def answer(node: int) -> Answer:
        return GoTo(number[node]) if node in number else Points(float(trees.value[node]))

    for node in asked:
        child = int(left[node - nodes.start])
        asks_left = not trees.missing_left[node]
        yes, no = (child, child + 1) if asks_left else (child + 1, child)
        words = question(trees, node, columns, asks_left)
        yield Row(number[node], words, answer(yes), answer(no))


def question(trees: AdditiveTrees, node: int, columns: Columns, asks_left: bool) -> str:
    """Return a question to which rows of one side say yes, and missing values no."""
    place = int(trees.feature[node])
    name = columns.wide_names[place]
    if trees.level_set[node] >= 0:
        levels = columns.wide_levels[place] or ()
        members = set(trees.members(trees.level_set[node]).tolist())
        inside = {code for code in range(len(levels)) if (code in members) == asks_left}
        return f"{name} {_set_words(levels, inside)}?"
    cut = float(trees.cut[node])
    if cut == PRESENT_ONLY:
        return f"{name} is present?"
    return f"{name} {'<=' if asks_left else '>'} {exact(cut)}?"


def exact(number: float) -> str:
    """Return the shortest text that is this number and no other.

    >>> exact(0.1), exact(63.0), exact(1e22)
    ('0.1', '63', '1e+22')
    """
    return repr(number).removesuffix(".0")


def _set_words(levels: Levels, inside: set[int]) -> str:
    """Return the levels of one side, or those of the other, whichever are fewer."""
    named = [str(level) for code, level in enumerate(levels) if code in inside]
    others = [str(level) for code, level in enumerate(levels) if code not in inside]
    if not others:
        return "is present"
    has_unnamed = any(levels[code] is OTHER_LEVELS for code in inside)
    if has_unnamed or len(others) < len(named):
        return f"not in {{{', '.join(others)}}}"
    return f"in {{{', '.join(named)}}}"
