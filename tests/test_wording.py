"""Names that cannot disturb a page, and numbers rounded as the page's script rounds them."""

import re
import unicodedata
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from thresher.wording import END_OF_ISOLATE, FIRST_STRONG_ISOLATE, fixed, name, percent


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


@given(st.floats(1e-9, 1) | st.floats(1e-3, 0.1).map(lambda share: share**3))
@example(0.1)
@example(0.001)
@example(0.0625)
@example(345e-6)
@example(0.0999999)
@example(0.00999999)
@example(0.000999999)
@example(9.99999e-6)
def test_shares_have_one_decimal_from_ten_percent_on_and_two_digits_below(share):
    shown, unit = percent(share).split("\u00a0")
    value = Decimal(shown.replace(",", ""))
    exact = Decimal(share * (100.0 if unit == "%" else 1e6))
    last = Decimal(1).scaleb(-1 if share >= 0.1 else exact.adjusted() - 1)
    assert abs(value - exact) <= last / 2
    if value >= 10 and unit == "%":
        assert re.fullmatch(r"\d+\.\d", shown)
    else:
        assert re.fullmatch(r"0\.0*[1-9]\d|[1-9]\.\d|[1-9]\d0?", shown)
    assert unit == ("ppm" if share < 0.00099 else "%" if share >= 0.001 else unit)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_is_never_shown_as_a_smaller_one(one, other):
    def shown(share):
        value, unit = percent(share).split("\u00a0")
        return Decimal(value.replace(",", "")) * (10_000 if unit == "%" else 1)

    low, high = sorted([one, other])
    assert shown(low) <= shown(high)


@pytest.mark.parametrize("share", [None, float("nan"), float("inf")])
def test_a_share_that_is_not_known_is_a_dash(share):
    assert percent(share) == "-"
