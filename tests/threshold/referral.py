"""Two thresholds found slowly: every pair of cuts by itself, in exact fractions."""

from fractions import Fraction


def every_pair(scores, is_positive, weights=None):
    """Yield every pair of cuts with the rows that it passes, alerts on and refers.

    Rows pass whose score is among the first `i` distinct ones, rows alert from the `j`-th on.
    """
    weights = [1] * len(scores) if weights is None else weights
    rows = [(s, bool(p), Fraction(w)) for s, p, w in zip(scores, is_positive, weights, strict=True)]
    distinct = sorted(set(scores))
    for i in range(len(distinct) + 1):
        for j in range(i, len(distinct) + 1):
            passed, alert = set(distinct[:i]), set(distinct[j:])
            yield (
                i,
                j,
                {
                    "pass_negative": sum(w for s, p, w in rows if s in passed and not p),
                    "pass_positive": sum(w for s, p, w in rows if s in passed and p),
                    "alert_negative": sum(w for s, p, w in rows if s in alert and not p),
                    "alert_positive": sum(w for s, p, w in rows if s in alert and p),
                    "referred": sum(w for s, p, w in rows if s not in passed | alert),
                },
            )


def cheapest(scores, is_positive, costs, price, weights=None):
    """Return the least cost, and the pair that refers least, then alerts least, of those."""
    found = []
    for i, j, n in every_pair(scores, is_positive, weights):
        cost = (
            Fraction(costs.fn) * n["pass_positive"]
            + Fraction(costs.fp) * n["alert_negative"]
            - Fraction(costs.gain_tp) * n["alert_positive"]
            - Fraction(costs.gain_tn) * n["pass_negative"]
            + Fraction(price) * n["referred"]
        )
        found.append((cost, n["referred"], -j, i))
    cost, _, j, i = min(found)
    return cost, (i, -j)


def fewest_referred(scores, is_positive, miss, false_alarm):
    """Return the least weight of referred rows that keeps both limits; None where none alerts."""
    positives = sum(map(bool, is_positive))
    kept = [
        n["referred"]
        for _, _, n in every_pair(scores, is_positive)
        if n["pass_positive"] <= Fraction(miss) * positives
        and n["alert_negative"] + n["alert_positive"] > 0
        and n["alert_negative"]
        <= Fraction(false_alarm) * (n["alert_negative"] + n["alert_positive"])
    ]
    return min(kept, default=None)
