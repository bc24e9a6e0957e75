"""What is left out of a table because it is no row is told in good English."""

import pytest

from thresher.tables import read_table

ROWS = "".join(f"{place},{place % 7},lathe {place % 3}\n" for place in range(40))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("Total,,\n", "1 row sums up others and is left out."),
        ("Total,,\nTotal,,\n", "2 rows sum up others and are left out."),
        ("speed,force,station\n", "1 line repeats the header and is left out."),
        (",,\n", "1 row without any value is left out."),
    ],
)
def test_one_row_has_a_verb_of_its_own(tmp_path, more, words):
    path = tmp_path / "parts.csv"
    path.write_text(f"speed,force,station\n{ROWS}{more}{ROWS}", encoding="utf-8")
    assert words in read_table(path).notes
