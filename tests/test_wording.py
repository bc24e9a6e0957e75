"""Names that cannot disturb a page, and numbers rounded as the page's script rounds them."""

import unicodedata
from decimal import ROUND_HALF_UP, Decimal

from hypothesis import given
from hypothesis import strategies as st

from thresher.wording import END_OF_ISOLATE, FIRST_STRONG_ISOLATE, fixed, name, out_of


@given(st.text(max_size=200))
def test_names_are_short_printable_and_balanced(text):
    found = name(text)
    inside = found.removeprefix(FIRST_STRONG_ISOLATE).removesuffix(END_OF_ISOLATE)
    assert 0 < len(inside) <= 60
    assert found.encode()
    assert not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in inside)
    turning = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert not any(unicodedata.bidirectional(letter) in turning for letter in inside)
    is_turned = any(unicodedata.bidirectional(letter) in ("R", "AL", "AN") for letter in inside)
    assert (found != inside) == is_turned


@given(st.characters(categories=["Cs"]))
def test_lone_surrogates_can_be_written(letter):
    assert name(f"a{letter}b") == "a\ufffdb"


@given(st.floats(0, 1e9), st.integers(0, 4))
def test_numbers_are_rounded_half_up(value, decimals):
    exact = Decimal(value).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    assert Decimal(fixed(value, decimals).replace(",", "")) == exact


def test_a_share_near_the_end_is_not_rounded_to_it():
    assert [out_of(share) for share in (0.0, 0.004, 0.5, 0.996, 1.0)] == [
        "0 of 100",
        "0.4 of 100",
        "50 of 100",
        "99.6 of 100",
        "100 of 100",
    ]
