"""`thresher demo` as a user runs it."""

import json
import re
import sys

import pytest

from tests.program import read_csv, refused, run, run_outside
from thresher.plant import PlantModel

CORE_ONLY = """
import sys
from importlib.machinery import PathFinder

EXTRAS = {"pandas", "polars", "imblearn", "matplotlib", "sqlalchemy", "statsmodels",
          "lightgbm", "pooch"}

class WithoutExtras(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            return None
        return super().find_spec(name, path, target)

sys.meta_path = [WithoutExtras if one is PathFinder else one for one in sys.meta_path]
from thresher.cli.main import main
main(prog_name="thresher")
"""


def run_core_only(*arguments):
    """Run the program as where nothing but the dependencies of the package is installed."""
    return run_outside(*arguments, program=[sys.executable, "-c", CORE_ONLY])


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "out"
    done = run_outside("demo", "--json", "--out", out)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout), out, done.stderr


@pytest.mark.slow
def test_the_methods_of_the_paper_and_the_forest(demo):
    result, *_ = demo
    names = [row["method"] for row in result["methods"]]
    assert names == ["ARDT", "HDDT", "CDT", "EAT", "LogR+OS", "LinR+OS", "Forest"]
    scores = {row["method"]: row["f1"] for row in result["methods"]}
    assert max(scores, key=scores.get) == "Forest"
    assert scores["Forest"] > 0.7
    # Straight lines cannot tell combinations of conditions.
    assert scores["LogR+OS"] < 0.5 < scores["ARDT"]
    assert result["left_out"] == []
    assert result["rows"] == 5000


@pytest.mark.slow
def test_the_planted_causes_come_out(demo):
    result, *_ = demo
    found = [row["text"] for row in result["conditions"]]
    for planted in result["planted"]:
        columns = re.findall(r"(\w+) (?:<=|>|=|in)", planted)
        assert any(all(name in text for name in columns) for text in found), planted


@pytest.mark.slow
def test_the_files_are_where_it_says(demo):
    result, out, *_ = demo
    names = {"model.thresher", "conditions.csv", "conditions.json", "report.html"}
    names |= {"parts.csv", "stages.csv"}
    assert set(result["files"]) == names == {path.name for path in out.iterdir()}
    assert len(read_csv((out / "conditions.csv").read_text(encoding="utf-8"))) >= 4


@pytest.mark.slow
def test_messages_go_to_standard_error(demo):
    assert "no plant was measured" in demo[2]
    assert "10-fold cross-validation of ARDT" in demo[2]


def test_people_get_tables_and_the_way_to_the_report(tmp_path):
    done = run("demo", "--parts", 800, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert re.search(r"Forest +0\.\d{3}", done.stdout)
    assert f"The report: {tmp_path / 'out' / 'report.html'}" in done.stdout
    assert "Planted causes of scrap:" in done.stdout
    # What it says to type works, and is the same.
    line = next(line for line in done.stdout.splitlines() if "The same by hand: " in line)
    words = line.partition("The same by hand: thresher ")[2].replace("FOLDER", "out2").split()
    words[-1] = str(tmp_path / "again")
    again = run(*words, "--no-report")
    assert again.exit_code == 0, again.stderr
    models = [PlantModel.load(tmp_path / name / "model.thresher") for name in ("out", "again")]
    assert models[0].threshold == models[1].threshold
    assert models[0].verdict == models[1].verdict


def test_the_dependencies_of_the_package_are_enough(tmp_path):
    out = tmp_path / "out"
    done = run_core_only("demo", "--json", "--parts", 1000, "--out", out)
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["left_out"] == ["LogR+OS", "LinR+OS"]
    assert "Left out, since imbalanced-learn is not installed" in done.stderr
    assert "UserWarning" not in done.stderr
    assert any("supplier in {" in row["text"] for row in result["conditions"])
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "EOL leak test" in page
    later = run_core_only("report", out, out / "parts.csv", "--out", tmp_path / "later.html")
    assert later.exit_code == 0, later.stderr
    assert "EOL leak test" in (tmp_path / "later.html").read_text(encoding="utf-8")
    predicted = run_core_only("predict", out, out / "parts.csv", "--id", "part")
    assert predicted.exit_code == 0, predicted.stderr
    with_extras = run("predict", out, out / "parts.csv", "--id", "part")
    assert predicted.stdout == with_extras.stdout
    assert with_extras.exit_code == 0


def test_what_is_not_installed_is_named(plant):
    done = run_core_only("predict", plant.out, "sqlite:///x.db", "--table", "t")
    expected = "Error: A database needs SQLAlchemy: pip install 'thresher[database]'."
    assert refused(done, 1) == expected
