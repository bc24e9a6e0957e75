"""How many parts a test of a limit on the line takes."""

from math import ceil, sqrt

from scipy.special import ndtri

from thresher.validation import check_number


def parts_needed(
    rate_now: float, rate_then: float, *, power: float = 0.8, level: float = 0.05
) -> int:
    """Return the parts of each of two groups, with the limit and without, that show a difference.

    Two groups of equal size, drawn by lot, compared by the test of two proportions, two-sided.

    Parameters
    ----------
    rate_now, rate_then : float
        Scrap rate of the parts concerned without the limit, and with it.
    power : float, default=0.8
        Probability of a significant result if these are the rates.
    level : float, default=0.05
        Probability of a significant result if the limit changes nothing.

    Examples
    --------
    >>> parts_needed(0.85, 0.05), parts_needed(0.10, 0.08)
    (5, 3213)
    """
    for name, value in (("rate_now", rate_now), ("rate_then", rate_then)):
        check_number(name, value, 0.0, 1.0)
    for name, value in (("power", power), ("level", level)):
        check_number(name, value, 0.0, 1.0, above=True)
    if rate_now == rate_then:
        raise ValueError("rate_now and rate_then are equal: no number of parts shows a difference.")
    mean = 0.5 * (rate_now + rate_then)
    by_chance = sqrt(2.0 * mean * (1.0 - mean))
    by_rates = sqrt(rate_now * (1.0 - rate_now) + rate_then * (1.0 - rate_then))
    reach = float(ndtri(1.0 - level / 2.0)) * by_chance + float(ndtri(power)) * by_rates
    return ceil((reach / (rate_now - rate_then)) ** 2)
