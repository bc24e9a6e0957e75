"""What is written twice about the package says the same in all places."""

import re
import tomllib
from pathlib import Path

import thresher

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_recipe_of_conda_requires_what_the_package_requires():
    recipe = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    run = re.search(r"  run:\n((?:    - .*\n)+)", recipe)[1]
    named = {line.strip("- ").replace(" ", "") for line in run.splitlines()}
    assert named - {"python"} == set(PROJECT["project"]["dependencies"])
    host = re.search(r"  host:\n((?:    - .*\n)+)", recipe)[1].replace(" ", "")
    assert all(f"-{one}\n" in host for one in PROJECT["build-system"]["requires"])


def test_versions_agree():
    numbers = thresher.__version__.removesuffix(".dev0")
    assert f'version: "{numbers}"' in (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    assert f"version: {numbers}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_workflows_run_only_what_is_pinned_to_a_commit():
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    used = [line for path in workflows for line in re.findall(r"uses: (.*)", path.read_text())]
    others = [line for line in used if not line.startswith("./")]
    assert len(others) > 10
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", line) for line in others)


def test_pythons_of_the_classifiers_are_those_of_the_workflow():
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    tested = re.findall(r'"(3\.\d+)"', re.search(r"python: \[(.*)\]", text)[1])
    named = [one.rsplit(" ", 1)[1] for one in PROJECT["project"]["classifiers"] if "3." in one]
    assert named == tested


def test_the_page_on_installing_tells_every_extra_for_users():
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    (everything,) = PROJECT["project"]["optional-dependencies"]["all"]
    assert told == {*re.search(r"\[(.*)\]", everything)[1].split(","), "spark"}
