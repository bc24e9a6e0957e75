"""The folder of a comparison: every file of it, whole or not there."""

import csv
import re
import sys
from pathlib import Path

import pytest

from tests.benchmark.made_up_study import scores_like_paper, study_of
from thresher.benchmark.analysis.comparison import Comparison
from thresher.benchmark.errors import StudyError
from thresher.benchmark.output.folder import StudyFolder
from thresher.benchmark.output.reproduction import Reproduction
from thresher.text_table import FORMATS

DATASETS = ["Yeast-me1", "Ecoli-om", "Pageblocks0", "Letter-A"]
HOSTILE = "<img src=x onerror=alert(1)>"


def files_of(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def paper_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    comparison = Comparison(study_of(scores_like_paper(datasets=DATASETS)), "ARDT")
    StudyFolder(comparison, Reproduction(comparison)).write(folder)
    return folder


def test_the_folder_has_everything(paper_folder):
    found = files_of(paper_folder)
    assert {"index.html", "reproduction.md"} <= found
    for name in ("ranks_f1", "ranks_accuracy", "scores_f1", "scores_accuracy", "entropies"):
        assert {f"images/{name}.svg", f"images/{name}.png"} <= found
    for name in ("summary", "scores_f1", "ranks_accuracy", "claims", "paper_f1_cells"):
        assert {f"tables/{name}.{ending}" for ending in FORMATS} <= found
    assert not [name for name in found if "/." in name or name.startswith(".")]


def test_the_page_of_the_paper_needs_no_other_file(paper_folder):
    page = (paper_folder / "index.html").read_text(encoding="utf-8")
    assert "http" not in page.replace("http-equiv", "")
    assert page.count("<svg ") == 5
    assert len(page) < 1_000_000


def test_images_that_the_markdown_names_are_there(paper_folder):
    text = (paper_folder / "reproduction.md").read_text(encoding="utf-8")
    named = re.findall(r"\]\(([^)]*)\)", text)
    assert named
    assert all((paper_folder / name).is_file() for name in named)


def test_csv_has_the_scores(paper_folder):
    with open(paper_folder / "tables" / "scores_f1.csv", encoding="utf-8", newline="") as file:
        rows = {row["data set"]: row for row in csv.DictReader(file)}
    assert list(rows) == [*DATASETS, "mean", "average rank"]
    assert float(rows["Letter-A"]["HDDT"]) == pytest.approx(0.94)


def test_one_data_set_with_a_hostile_name_and_a_failure(tmp_path):
    scores = {HOSTILE: {"ARDT": 0.7, "CDT": 0.6}}
    comparison = Comparison(study_of(scores, failed=[(HOSTILE, "CDT")]), "ARDT")
    StudyFolder(comparison, remarks=[f"About {HOSTILE}"]).write(tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<img" not in page
    assert page.count("&lt;img src=x onerror=alert(1)&gt;") >= 4
    assert "ValueError: it broke" in page
    assert "1 run of 8 without an outcome" in page
    assert {"tables/failures.md", "images/scores_f1.svg"} <= files_of(tmp_path)
    assert not [name for name in files_of(tmp_path) if "ranks" in name]


@pytest.mark.parametrize(
    ("package", "images", "words"),
    [
        ("scikit_posthocs", 2, "Diagrams of ranks need scikit-posthocs: "),
        ("matplotlib", 0, "Figures need matplotlib: "),
    ],
)
def test_a_missing_package_costs_its_figures_and_no_table(
    tmp_path, monkeypatch, package, images, words
):
    monkeypatch.setitem(sys.modules, package, None)
    comparison = Comparison(study_of(scores_like_paper(datasets=DATASETS)), "ARDT")
    folder = StudyFolder(comparison)
    folder.write(tmp_path)
    (sentence,) = folder.left_out
    assert sentence.startswith(words)
    assert sentence.endswith("pip install 'thresher[benchmark]'; they are left out.")
    found = files_of(tmp_path)
    assert "tables/ranks_f1.csv" in found
    assert len([name for name in found if name.endswith(".svg")]) == images
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "they are left out." in page
    assert "F1: ranks" in page


@pytest.fixture
def small():
    return StudyFolder(Comparison(study_of({"one": {"ARDT": 0.7, "CDT": 0.6}}), "ARDT"))


def test_a_file_that_cannot_be_written_leaves_no_trace(small, tmp_path):
    (tmp_path / "index.html").mkdir()
    with pytest.raises(StudyError, match=r"index.html' could not be written: .*in the store"):
        small.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["images", "index.html", "tables"]


def test_earlier_files_stay_until_the_new_ones_are_whole(small, tmp_path, monkeypatch):
    small.write(tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in files_of(tmp_path)}

    def fill_the_disk(path, data):
        with path.open("wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fill_the_disk)
    with pytest.raises(StudyError, match="No space left on device"):
        small.write(tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in files_of(tmp_path)} == before
