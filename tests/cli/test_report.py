"""`thresher report` as a user runs it."""

import json

from tests.cli.program import run, run_here, sentence
from tests.windows_text import write_as_windows


def test_a_report_on_rows_that_the_model_has_not_seen(plant, later, tmp_path):
    out = tmp_path / "report.html"
    done = run("report", plant.out, later, "--time", "finished", "--title", "Pumps", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "seen coming" in done.stdout
    page = out.read_text(encoding="utf-8")
    assert "<title>Pumps" in page
    assert "1,500 rows that had no part in the training." in page
    assert f"Written: {out}" in done.stderr
    for station in ("S3 shaft", "EOL leak test"):
        assert station in page


def test_json_has_the_verdict_of_predict(plant, later, tmp_path):
    done = run_here("report", plant.out, later, "--out", tmp_path / "r.html", "--json")
    assert done.exit_code == 0, done.stderr
    verdict = json.loads(done.stdout)["verdict"]
    figures = verdict["figures"]
    judged = json.loads(run_here("predict", plant.out, later, "--json").stdout)["judged"]
    assert figures[0]["value"].split()[0].rstrip("%") == f"{100 * judged['recall']:.1f}"
    words = " ".join(verdict["sentences"])
    assert "kept apart from its training" in words
    assert "folds that judge it" not in words
    assert "Classifier" not in words


def test_a_forest_from_its_file(plant, tmp_path):
    trained = run_here(
        *("train", plant.parts, "--target", "scrap", "--ignore", "part,finished"),
        *(
            "--model",
            "forest",
            "--trees",
            5,
            "--folds",
            2,
            "--no-report",
            "--out",
            tmp_path / "out",
        ),
    )
    assert trained.exit_code == 0, trained.stderr
    out = ("--out", tmp_path / "r.html")
    refused = run_here("report", tmp_path / "out", plant.parts, *out)
    assert refused.exit_code == 3
    assert "equal rows that the model was trained on" in sentence(refused)
    done = run_here("report", tmp_path / "out", plant.parts, *out, "--allow-training-rows")
    assert done.exit_code == 0, done.stderr
    assert "forest (5 trees)" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_every_system_writes_the_same_page(plant, later, tmp_path, monkeypatch):
    write_as_windows(monkeypatch)
    assert run_here("report", plant.out, later, "--out", tmp_path / "r.html").exit_code == 0
    assert b"\r" not in (tmp_path / "r.html").read_bytes()


def test_an_earlier_report_stays_where_the_new_one_fails(plant, tmp_path):
    out, bad = tmp_path / "r.html", tmp_path / "bad.csv"
    out.write_text("earlier", encoding="utf-8")
    bad.write_text("flow,scrap\n1,0\n2,1\n", encoding="utf-8")
    done = run_here("report", plant.out, bad, "--out", out)
    assert done.exit_code == 3
    assert "that the model needs" in sentence(done)
    assert out.read_text(encoding="utf-8") == "earlier"
