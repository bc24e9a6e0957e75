"""What is said of the candidates is what they reached."""

from hypothesis import given
from hypothesis import strategies as st

from thresher.judging.candidates import KINDS
from thresher.judging.competitor import NOTES, Competitor, candidates_table, choice_words


@given(st.lists(st.floats(-10.0, 1.0), min_size=2, max_size=9), st.data())
def test_the_table_shows_all_the_best_first_and_marks_the_chosen(values, data):
    place = data.draw(st.integers(0, len(values) - 1))
    told = [
        Competitor(str(number), value, 0.5, number == place) for number, value in enumerate(values)
    ]
    rows = candidates_table(told).rows
    shown = [values[int(row[0])] for row in rows]
    assert shown == sorted(values, reverse=True)
    assert [row[0] for row in rows if row[-1] == "chosen"] == [str(place)]


def test_the_order_of_simplicity_is_that_of_the_contest():
    words = next(note for note in NOTES if "simpler than" in note)
    start = words.index("A tree is simpler")
    places = [words.index(kind, start) for kind in KINDS]
    assert places == sorted(places)


def told(chosen, gap, noise=0.027):
    """Return candidates of which boosted trees are best; the names of the chosen one start so."""
    gaps = {"tree (a)": gap, "tree (b)": gap + 0.1, "forest": 0.004, "boosted trees": 0.0}
    return [
        Competitor(name, 0.6 - behind, 0.5, name == chosen, "F1", gap=behind, noise=noise)
        for name, behind in gaps.items()
    ]


def test_a_model_that_nobody_can_read_is_told_with_the_best_tree():
    words = choice_words(told("forest", 0.119))
    assert words == (
        "Of 4 candidates, the simplest within the noise of the best on inner rows was taken, the "
        "forest (F1 0.596; the boosted trees: 0.600). The best readable tree is 0.119 ± 0.027 "
        "behind the best."
    )
    assert choice_words(told("boosted trees", 0.119)).endswith(
        "tree is 0.119 ± 0.027 behind the best."
    )


def test_a_tree_within_the_noise_is_called_so():
    words = choice_words(told("boosted trees", 0.025))
    assert words.endswith(
        "0.025 ± 0.027 behind the best: within the noise, but by more than 3 % of its value."
    )


def test_a_tree_that_is_chosen_or_has_not_competed_needs_no_such_sentence():
    assert "readable" not in choice_words(told("tree (a)", 0.0))
    assert "readable" not in choice_words(told("boosted trees", 0.2)[2:])
