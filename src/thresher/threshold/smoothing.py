"""Labels shrunk to a smooth curve: the counts along the threshold, with less chance in them.

The best cut on a few dozen positives follows the accidents of these rows. Where each label is
drawn to what a logistic curve through all scores expects, the accidents weigh less.
"""

from dataclasses import replace

import numpy as np

from thresher.threshold.platt import Platt, logits
from thresher.threshold.search import Cuts, counts_along

OWN_LABEL = 0.3
"""What is left of a row's own label; the rest is the curve's."""


def smoothed(cuts: Cuts) -> Cuts:
    """Return the same cuts with labels q = OWN_LABEL y + (1 - OWN_LABEL) p, p by Platt's curve.

    Examples
    --------
    >>> from thresher.threshold.search import ScoredRows
    >>> cuts = ScoredRows.of([0.1, 0.3, 0.5, 0.9], [0, 1, 0, 1]).cuts()
    >>> smoothed(cuts).counts.tp.round(2)
    array([2.  , 1.77, 1.16, 0.8 , 0.  ])
    """
    scores = cuts.edges[1:-1]
    negative, positive = np.diff(cuts.counts.tn), np.diff(cuts.counts.fn)
    rows = negative + positive
    scale = logits(scores) if cuts.is_probability else scores
    expected = Platt.fit(scale, negative, positive)(scale)
    shrunk = OWN_LABEL * positive + (1.0 - OWN_LABEL) * expected * rows
    return replace(cuts, counts=counts_along(rows - shrunk, shrunk))
