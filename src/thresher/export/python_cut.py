"""The cut of a row in an exported Python module."""

from collections.abc import Iterator

from thresher.export.row_cut import CostCut, GroupCut
from thresher.export.scoring import Scoring

AMOUNT = '''\
def amount(name, row):
    """Return a cost, a number that is not negative."""
    number = math.nan if row[name] is None else float(row[name])
    if not 0.0 <= number < math.inf:
        raise ValueError(f"Column {name!r} must hold a cost, finite and not negative.")
    return number'''

COST_CUT = '''\
def cut_of(row):
    """Return what the probability of a row must exceed, so that an alert is worth its cost."""
    fp, fn = {fp}, {fn}
    total = fp + fn + {gain_tp!r} + {gain_tn!r}
    return (fp + {gain_tn!r} + {least_saving!r}) / total if total > 0.0 else 1.0'''

GROUP_CUT = '''\
CUTS = {{{cuts}}}


def cut_of(row):
    """Return the cut of the row's group, or the common one."""
    return CUTS.get(row[{column!r}], THRESHOLD)'''


def cut_functions(scoring: Scoring) -> Iterator[str]:
    """Yield the functions that give rows a cut of their own; none where one is for all."""
    if isinstance(scoring.cut, CostCut):
        yield AMOUNT
        fp, fn = (
            f"amount({one!r}, row)" if isinstance(one, str) else repr(one)
            for one in (scoring.cut.fp, scoring.cut.fn)
        )
        yield COST_CUT.format(**vars(scoring.cut) | {"fp": fp, "fn": fn})
    elif isinstance(scoring.cut, GroupCut):
        pairs = zip(scoring.cut.groups, scoring.cut.cuts, strict=True)
        cuts = ", ".join(f"{group!r}: {cut!r}" for group, cut in pairs)
        yield GROUP_CUT.format(cuts=cuts, column=scoring.names[scoring.cut.place])
