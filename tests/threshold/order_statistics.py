"""Promises by their definition: sums of binomial terms, sorted lists and loops; no shared code."""

from fractions import Fraction
from math import comb, exp, inf, lgamma, log, nextafter


def cumulative(most, n, share):
    """P(Bin(n, share) <= most), exactly."""
    share = Fraction(share).limit_denominator(10**6)
    terms = (comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(most + 1))
    return sum(terms, Fraction(0))


def largest_k(n, share, confidence):
    """The largest k with P(Bin(n, share) <= k - 1) <= 1 - confidence; 0 if there is none."""
    risk = 1 - Fraction(confidence).limit_denominator(10**6)
    k = 0
    while k < n and cumulative(k, n, share) <= risk:
        k += 1
    return k


def recall_threshold(scores, y, floor, confidence):
    """The middle between the k-th smallest score of a positive and the next smaller score."""
    positives = sorted(score for score, label in zip(scores, y, strict=True) if label)
    k = largest_k(len(positives), 1 - Fraction(floor).limit_denominator(10**6), confidence)
    if k == 0:
        return None
    upper = positives[k - 1]
    below = [score for score in scores if score < upper]
    if not below:
        return -inf
    middle = (max(below) + upper) / 2
    return middle if middle < upper else nextafter(upper, -inf)


def budget_alerts(scores, share, confidence):
    """The most rows that may be alerts, whole ties only; None where not even none may be."""
    k = largest_k(len(scores), share, confidence)
    if k == 0:
        return None
    counts = [sum(one > cut for one in scores) for cut in {-inf, *scores}]
    return max(count for count in counts if count <= k - 1)


def smallest_passing(hits, n, tail):
    """The rate p at which `hits` or more of n have the probability `tail`, by bisection."""
    low, high = 0.0, 1.0
    ways = [lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) for i in range(n + 1)]
    for _ in range(50):
        p = (low + high) / 2
        above = sum(exp(ways[i] + i * log(p) + (n - i) * log(1 - p)) for i in range(hits, n + 1))
        low, high = (p, high) if above < tail else (low, p)
    return low if hits else 0.0
