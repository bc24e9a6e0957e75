"""`thresher report` as a user runs it."""

import json

from tests.program import refused, run


def test_a_report_on_rows_that_the_model_has_not_seen(plant, later, tmp_path):
    out = tmp_path / "report.html"
    done = run("report", plant.out, later, "--time", "finished", "--out", out)
    assert done.exit_code == 0, done.stderr
    assert "seen coming" in done.stdout
    page = out.read_text(encoding="utf-8")
    assert "<title>What leads to scrap = 1" in page
    assert "1,500 rows: kept apart from its training" in page
    assert f"Written: {out}" in done.stderr
    for stage in ("S3 shaft", "EOL leak test"):
        assert stage in page


def test_json_has_the_verdict_of_predict(plant, later, tmp_path):
    done = run("report", plant.out, later, "--out", tmp_path / "r.html", "--json")
    assert done.exit_code == 0, done.stderr
    verdict = json.loads(done.stdout)["verdict"]
    figures = verdict["figures"]
    judged = json.loads(run("predict", plant.out, later, "--json").stdout)["judged"]
    assert figures[0]["value"].split()[0].rstrip("%") == f"{100 * judged['recall']:.1f}"
    words = " ".join(verdict["sentences"])
    assert "kept apart from its training" in words
    assert "folds that judge it" not in words
    assert "Classifier" not in words


def test_a_forest_from_its_file(plant, tmp_path):
    trained = run(
        *("train", plant.parts, "--target", "scrap", "--ignore", "part,finished"),
        *("--model", "forest", "--trees", 5, "--folds", 2),
        *("--no-report", "--out", tmp_path / "out"),
    )
    assert trained.exit_code == 0, trained.stderr
    out = ("--out", tmp_path / "r.html")
    done = run("report", tmp_path / "out", plant.parts, *out)
    assert done.exit_code == 0, done.stderr
    rows = len(plant.line.y)
    assert (
        f"Warning: {rows:,} of {rows:,} rows were used for training; these figures are too high. "
        f"Evaluate rows that are not in '{plant.parts}'."
    ) in done.stderr
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "forest (5 trees)" in page
    assert "Judged on rows of its training: figures are too high." in page
    assert "On unseen rows" not in page


def test_an_earlier_report_stays_where_the_new_one_fails(plant, tmp_path):
    out, bad = tmp_path / "r.html", tmp_path / "bad.csv"
    out.write_text("earlier", encoding="utf-8")
    bad.write_text("flow,scrap\n1,0\n2,1\n", encoding="utf-8")
    done = run("report", plant.out, bad, "--out", out)
    refused(done, 3, "that the model needs")
    assert out.read_text(encoding="utf-8") == "earlier"
