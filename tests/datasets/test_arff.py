import io

import numpy as np
import pytest
from scipy.io import arff

from thresher.datasets.arff import Attribute, read_arff

HEADER = r"""% a comment
@RELATION 'multi label: -C 2'

@attribute ssd-1 numeric
@ATTRIBUTE 'Swainson\'s Thrush' {0,1}
@attribute place	{north, 'far south'}
@attribute width REAL
@data
"""


def test_names_and_levels_lose_their_quotes():
    attributes, rows = read_arff(HEADER)
    assert attributes == [
        Attribute("ssd-1", None),
        Attribute("Swainson's Thrush", ("0", "1")),
        Attribute("place", ("north", "far south")),
        Attribute("width", None),
    ]
    assert rows == []


def test_dense_rows_agree_with_scipy():
    rng = np.random.default_rng(0)
    rows = [
        f"{a!r},{int(a > 0)},{'north' if b > 0 else chr(39) + 'far south' + chr(39)}, {b!r}"
        for a, b in rng.normal(size=(50, 2)).tolist()
    ]
    text = HEADER + "\n".join(rows)
    data, _ = arff.loadarff(io.StringIO(text.replace(r"\'", "")))
    expected = [[v.decode() if isinstance(v, bytes) else v for v in row] for row in data.tolist()]
    _, found = read_arff(text)
    assert [[float(a), b, c, float(d)] for a, b, c, d in found] == expected


def test_sparse_rows_leave_out_zeros_and_first_levels():
    _, rows = read_arff(HEADER + "{0 .5, 2 'far south'}\n{}\n{1 1,3 -2}\n.5,1,north,7\n")
    assert rows == [
        [".5", "0", "far south", "0"],
        ["0", "0", "north", "0"],
        ["0", "1", "north", "-2"],
        [".5", "1", "north", "7"],
    ]


def test_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="a row has 3 cells, but there are 4 attributes"):
        read_arff(HEADER + "1,0,north\n")
