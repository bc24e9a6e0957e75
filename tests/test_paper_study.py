"""The paper's study: its printed tables, its data of birds, the page that is made of a run."""

import io
import itertools
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.io import arff

from tests.datasets.raw_files import cell, cells
from tests.requirements import data_file
from thresher.datasets import list_datasets
from thresher.datasets.catalog import Table, catalog, read_table
from thresher.study import PAPER_METHODS
from thresher.study.results import rank_methods

FOLDER = Path(__file__).parents[1] / "studies" / "paper"
AVERAGE_RANKS = {
    "f1": {"ARDT": 2.08, "HDDT": 3.89, "CDT": 4.89, "EAT": 5.22, "LogR+OS": 6.08, "LinR": 10.69},
    "accuracy": {"ARDT": 2.19, "HDDT": 3.53, "DKMDT": 4.03, "LogR": 4.64, "LinR+US": 11.11},
}
KEPT = {
    "f1": {"ARDT", "HDDT", "CDT"},
    "accuracy": {"ARDT", "HDDT", "DKMDT", "LogR", "CDT", "EAT"},
}


@pytest.fixture
def part():
    return lambda name: import_module(f"studies.paper.{name}")


# ---------------------------------------------------------------------------------- printed tables


@pytest.mark.parametrize("measure", ["f1", "accuracy"])
def test_printed_tables(part, measure):
    table = part("printed_tables").paper_table(measure)
    assert table.scores.datasets == tuple(list_datasets("paper"))
    assert table.scores.methods == PAPER_METHODS
    assert table.scores.values.shape == table.ranks.shape == (18, 13)
    # A slip in copying a score or a rank would show here.
    np.testing.assert_array_equal(table.ranks.sum(axis=1), 91.0)
    for values, ranks in zip(table.scores.values, table.ranks, strict=True):
        better = values[:, None] > values
        assert (ranks[:, None] < ranks)[better].all()
    assert np.abs(rank_methods(table.scores.values) - table.ranks).mean() < 0.5
    expected = AVERAGE_RANKS[measure]
    assert {name: round(table.ranking.average[name], 2) for name in expected} == expected
    assert {"HDDT"} <= set(table.kept) <= set(table.ranking.kept) == KEPT[measure]
    test = table.ranking.friedman
    assert test.rejects
    assert test.chi_square == pytest.approx(stats.friedmanchisquare(*table.ranks.T).statistic)


def test_means_of_the_paper(part):
    printed = part("printed_tables")
    assert printed.paper_table("f1").scores.column("ARDT").mean() == pytest.approx(0.684, abs=5e-4)
    assert printed.paper_table("f1").scores.of("Thyroid2", "LinR+US") == 0.91
    assert printed.paper_table("accuracy").scores.of("Ecoli-om", "LogR+CS") == 0.14
    assert printed.printed_shares()["Yeast-me2"] == 0.10


# ---------------------------------------------------------------------------------------- the page


def test_a_part_of_the_study_makes_a_page(part, tmp_path):
    page, runs = tmp_path / "page.md", tmp_path / "runs.jsonl"
    arguments = ["--datasets", "Ecoli-om", "Thyroid1", "Thyroid2", "--folds", "3"]
    arguments += ["--repeats", "1", "--runs", str(runs), "--page", str(page)]
    assert part("study").main(arguments) == 0
    text = page.read_text(encoding="utf-8")
    assert "13 methods on 3 data sets" in text
    assert "Here the two are equal in every cell" in text
    assert "are the same rows and labels in another order" in text
    for image in ("ranks_f1", "ranks_accuracy", "scores_f1", "scores_accuracy", "entropies"):
        assert f"(images/{image}.svg)" in text
        assert (tmp_path / "images" / f"{image}.svg").stat().st_size > 1000
    before = runs.read_bytes()
    assert part("study").main(arguments) == 0
    assert runs.read_bytes() == before


def test_the_page_of_the_guide_is_of_the_whole_study():
    text = (FOLDER.parents[1] / "docs" / "reproduction.md").read_text(encoding="utf-8")
    assert "13 methods on 18 data sets, stratified 10-fold cross-validation,\n5 times" in text
    assert "Runs without an outcome" not in text


# ------------------------------------------------------------------------------------------- birds

BIRD_LABELS = {
    "Birds-s-thrush": r"'Swainson\'s Thrush'",
    "Birds-kinglet": "'Golden Crowned Kinglet'",
    "Birds-nighthawk": "'Common Nighthawk'",
}
LOCATIONS = range(1, 18)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_tables_of_birds_are_those_of_the_catalogue(part, sparse):
    tables = {name: read_table(data_file(name).read_bytes()) for name in BIRD_LABELS}
    raw = birds(tables, train_rows=322, sparse=sparse)
    for name, table in tables.items():
        built = part("birds").build_birds(raw, catalog()[name])
        assert built.columns == table.columns
        assert built.sha256 == catalog()[name].sha256


def birds(tables: dict[str, Table], train_rows: int, *, sparse: bool) -> list[str]:
    """Two ARFF files: numbers and the two nominal attributes between them, then labels."""
    some = next(iter(tables.values()))
    count = len(some.columns) - len(LOCATIONS) - 1
    numeric = [f"@attribute {name} numeric" for name in some.columns[:count]]
    location = f"@attribute location {{{','.join(map(str, LOCATIONS))}}}"
    nominal = ["@ATTRIBUTE hasSegments {0,1}", location]
    labels = [f"@attribute {BIRD_LABELS[name]} {{0, 1}}" for name in tables]
    labels.append("@attribute 'Brown Creeper' {0,1}")
    header = ["% made for a test", "@relation 'birds: -C -19'", "", *numeric[:2], *nominal]
    header += [*numeric[2:], *labels, "@data"]
    rows = []
    for row, flags in zip(some.X, zip(*(t.y for t in tables.values()), strict=True), strict=True):
        place = LOCATIONS[int(np.flatnonzero(row[count + 1 :])[0])]
        features = [*cells(row[:2]), cell(row[count]), str(place), *cells(row[2:count])]
        rows.append([*features, *map(str, flags), "1"])
    write = sparse_row if sparse else ",".join
    parts = (rows[:train_rows], rows[train_rows:])
    return ["\n".join([*header, *map(write, part)]) for part in parts]


def sparse_row(row: list[str]) -> str:
    """Leave out the cells that a reader must fill: number 0 and first level; location is at 3."""
    first = itertools.chain(["0", "0", "0", "1"], itertools.repeat("0"))
    kept = [f"{k} {text}" for k, (text, usual) in enumerate(zip(row, first)) if text != usual]  # noqa: B905 - endless
    return "{" + ", ".join(kept) + "}"


HEADER = r"""% a comment
@RELATION 'multi label: -C 2'

@attribute ssd-1 numeric
@ATTRIBUTE 'Swainson\'s Thrush' {0,1}
@attribute place	{north, 'far south'}
@attribute width REAL
@data
"""


def test_dense_rows_agree_with_scipy(part):
    rng = np.random.default_rng(0)
    rows = [
        f"{a!r},{int(a > 0)},{'north' if b > 0 else chr(39) + 'far south' + chr(39)}, {b!r}"
        for a, b in rng.normal(size=(50, 2)).tolist()
    ]
    text = HEADER + "\n".join(rows)
    data, _ = arff.loadarff(io.StringIO(text.replace(r"\'", "")))
    expected = [[v.decode() if isinstance(v, bytes) else v for v in row] for row in data.tolist()]
    _, found = part("arff").read_arff(text)
    assert [[float(a), b, c, float(d)] for a, b, c, d in found] == expected


def test_row_of_another_length_is_refused(part):
    with pytest.raises(ValueError, match="a row has 3 cells, but there are 4 attributes"):
        part("arff").read_arff(HEADER + "1,0,north\n")
