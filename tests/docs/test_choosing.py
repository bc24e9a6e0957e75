"""The charts show what the tables of the page say."""

from tests.docs.pages import DOCS, tool

charts = tool("make_choosing_charts.py")


def test_charts_are_those_of_the_tables() -> None:
    tables = charts.tables((DOCS / "choosing.md").read_text(encoding="utf-8"))
    assert list(tables) == ["rule", "model", "way"]
    for name, (question, rows) in tables.items():
        drawn = (DOCS / "images" / f"choosing-{name}.svg").read_text(encoding="utf-8")
        assert drawn == charts.drawing(question, rows), "run python docs/make_choosing_charts.py"


def test_no_box_is_too_small_for_its_words() -> None:
    tables = charts.tables((DOCS / "choosing.md").read_text(encoding="utf-8"))
    for _, rows in tables.values():
        for known, take in rows:
            assert len(known) <= 2 * charts.LETTERS["known"] - 10
            assert len(take) <= 2 * charts.LETTERS["take"] - 10
