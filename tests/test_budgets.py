"""Budgets and floors hold, and are eased only with a reason of their own; --lower lowers them."""

import json
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher
from tests.requirements import require
from tools import budgets

# Pieces of a program, and how many lines of code they are.
PIECES = {
    "": 0,
    "# a comment": 0,
    "import os": 0,
    "from os import (\n    path,\n    sep,\n)": 0,
    '"""A text.\n\nOf three lines.\n"""': 0,
    'def double(x):\n    """Two lines\n    of text."""\n    # why\n    return 2 * x  # twice': 2,
    'text = """first\n# no comment\n"""': 3,
    "total = max(\n    1,\n\n    # no code\n    2,\n)": 4,
}
CODE = "import os\n\n\ndef double(x):\n    return 2 * x  # twice\n"
FILES = {
    "src/a.py": CODE,
    "src/page.html": "<p>\n</p>\n",
    "src/core.cpp": "int one;\n",
    "tests/test_a.py": CODE + CODE,
    "benchmarks/study.py": CODE,
    "docs/guide.md": "# The guide\n",
    "ARCHITECTURE.md": "One two three.\n",
    "tests/coverage.toml": "[lines]\nplant = { floor = 90 }\n",
    "budgets.toml": """\
# Lines of code, and files
[src]
lines = { now = 2 }
files = { now = 1 }

[tests]
lines = { now = 4 }
files = { now = 1 }

[studies]
lines = { now = 2 }
files = { now = 1 }

[python]
longest-file = { now = 12, goal = 12 }

[cpp]
lines = { now = 1 }

[text]
lines = { now = 2 }

[docs]
pages = { now = 1 }
words = { now = 3 }
words-of-architecture = { now = 3 }

[options]
train = { now = 2 }
""",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A small project at its budgets; its interface is a command with two options."""
    monkeypatch.setattr(budgets, "count_interface", lambda: {"options.train": 2})
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def commit(root):
    require(shutil.which("git"), "git is not installed")
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "A change"]):
        subprocess.run(["git", *words], cwd=root, check=True)


@given(st.lists(st.sampled_from(sorted(PIECES))))
def test_comments_docstrings_and_imports_are_no_lines_of_code(pieces):
    assert budgets.count_code_lines("\n".join(pieces)) == sum(PIECES[piece] for piece in pieces)


@pytest.mark.parametrize(
    ("path", "text", "faults"),
    [
        ("src/inner/b.py", CODE, ["src.lines is 4, its budget 2: delete 2, ", "src.files is 2, "]),
        ("src/script.js", "f()\n", ["text.lines is 3, its budget 2: "]),
        ("src/script", "f()\n", ["text.lines is 3, its budget 2: "]),
        ("studies/b.py", "x = 1\n", ["studies.lines is 3, ", "studies.files is 2, "]),
        ("studies/page.html.j2", "<p>\n", ["text.lines is 3, "]),
        ("fuzz/core.hpp", "int two;\n", ["cpp.lines is 2, "]),
        ("tests/test_a.py", CODE + CODE + "# end\n" * 3, ["python.longest-file is 13, "]),
        ("docs/b.md", "More words.", ["docs.pages is 2, ", "docs.words is 5, "]),
        ("ARCHITECTURE.md", "One two three four.", ["docs.words-of-architecture is 4, "]),
        ("studies/results.csv", "a,b\n", []),
        ("src/_core.pyi", "one: int\n", []),
        ("src/picture.png", b"\x89PNG\n\n", []),
        ("docs/reference/made.md", "More words.", []),
    ],
)
def test_what_exceeds_its_budget_is_named(project, capsys, path, text, faults):
    assert budgets.main([], project) == 0
    (project / path).parent.mkdir(parents=True, exist_ok=True)
    (project / path).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert budgets.main([], project) == (1 if faults else 0)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(faults)
    assert all(line.startswith(fault) for line, fault in zip(lines, faults, strict=True))


def test_parameters_and_options_are_those_of_the_package():
    figures = budgets.count_interface()
    counted = {name for name in figures if name.startswith("parameters.")}
    public = {name for name in thresher.__all__ if isinstance(getattr(thresher, name), type)}
    assert counted == {"parameters.train"} | {f"parameters.{name}" for name in public}
    for name in public:
        required = {"estimator": None} if name == "ThresholdClassifier" else {}
        parameters = getattr(thresher, name)(**required).get_params(deep=False)
        assert figures[f"parameters.{name}"] == len(parameters)
    options = {"thresher": 1, "demo": 4, "datasets": 4}
    assert all(figures[f"options.{name}"] == number for name, number in options.items())


def test_a_budget_rises_only_with_a_reason_of_its_own(project, capsys):
    def is_fine_with(lines):
        replace(project / "budgets.toml", budget[-1], f"lines = {{ now = {lines} }}")
        budget.append(f"lines = {{ now = {lines} }}")
        return budgets.main([], project) == 0

    budget = ["lines = { now = 2 }"]
    assert is_fine_with("9")  # no git
    commit(project)
    assert is_fine_with("5")
    commit(project)
    assert not is_fine_with("6")
    assert capsys.readouterr().err.startswith("src.lines was 5 and is 6 now: write a reason")
    assert not is_fine_with('6, reason = ""')
    assert is_fine_with('6, reason = "first"')
    commit(project)
    assert is_fine_with('6, reason = "first"')
    assert not is_fine_with('7, reason = "first"')
    assert is_fine_with('7, reason = "second"')
    assert not is_fine_with("6")
    assert is_fine_with("5")


def test_a_floor_falls_only_with_a_reason(project, capsys):
    floors = project / "tests" / "coverage.toml"
    commit(project)
    replace(floors, "90 }", "91 }\nreport = { floor = 80 }")
    assert budgets.main([], project) == 0
    commit(project)
    replace(floors, "91", "90")
    assert budgets.main([], project) == 1
    assert capsys.readouterr().err.startswith("lines.plant was 91 and is 90 now: write a reason")
    replace(floors, "90", '90, reason = "watch/ was deleted"')
    assert budgets.main([], project) == 0


def test_versions_without_budgets_are_passed_over(project):
    path = project / "budgets.toml"
    text = path.read_text()
    path.write_text("<<<<<<< HEAD\n" + text)
    commit(project)
    path.unlink()
    commit(project)
    path.write_text(text)
    assert budgets.main([], project) == 0


def test_budgets_are_lowered_to_the_figures_but_not_below_a_goal(project, capsys):
    path = project / "budgets.toml"
    wanted = path.read_text().replace("lines = { now = 2 }", "lines = { now = 2, goal = 1 }", 1)
    replace(path, "lines = { now = 2 }", "lines = { now = 30, goal = 1 }")
    replace(path, "files = { now = 1 }", 'files = { now = 2, reason = "a" }')
    replace(path, "longest-file = { now = 12", "longest-file = { now = 20")
    replace(path, "train = ", "gone = { now = 7 }\ntrain = ")
    wanted = wanted.replace("files = { now = 1 }", 'files = { now = 1, reason = "a" }', 1)
    (project / "tests" / "test_a.py").write_text(CODE)
    (project / "src" / "script.js").write_text("f()\n")

    assert budgets.main([], project) == 1
    assert "can be lowered: " in capsys.readouterr().out
    assert budgets.main(["--lower"], project) == 1  # text.lines
    assert path.read_text() == wanted.replace("lines = { now = 4 }", "lines = { now = 2 }")
    assert budgets.main(["--lower"], project) == 1
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "place", ["src/thresher/", ".venv/lib/site-packages/thresher/", "src\\thresher\\"]
)
def test_a_folder_below_its_floor_is_named(project, capsys, place):
    def is_fine_with(covered):
        summaries = {"plant/a.py": (10, 5), "plant/coded/b.py": (90, covered), "wording.py": (4, 4)}
        files = {
            (place + path): {"summary": {"num_statements": every, "covered_lines": reached}}
            for path, (every, reached) in summaries.items()
        }
        (project / "coverage.json").write_text(json.dumps({"files": files}))
        return budgets.main(["--coverage", str(project / "coverage.json")], project) == 0

    assert not is_fine_with(85)
    assert capsys.readouterr().err.startswith("lines.*.py has no floor: ")
    replace(project / "tests" / "coverage.toml", "plant", '"*.py" = { floor = 100 }\nplant')
    assert is_fine_with(85)
    assert not is_fine_with(84)
    assert capsys.readouterr().err.startswith("lines.plant: tests reach 89.0 %, the floor is 90 %")
