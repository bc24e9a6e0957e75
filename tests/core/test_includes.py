"""The folders of the core are stages: includes go back to former ones, never in a circle."""

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath

import pytest

CORE = Path(__file__).parents[2] / "src" / "thresher" / "_core"
STAGES = ["base", "codes", "search", "growth", "forest", "explain", "python"]
SOURCES = {
    path.relative_to(CORE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(CORE.rglob("*.[ch]pp"))
}


def included(code):
    return re.findall(r'^\s*#\s*include\s*"([^"]+)"', code, flags=re.MULTILINE)


def stage(file):
    return STAGES.index(PurePosixPath(file).parts[0])


def noun(file):
    """Return what a header and the source of the same name stand for."""
    return str(PurePosixPath(file).with_suffix(""))


def later_stages(sources):
    return [
        f"{file} includes {other}"
        for file, code in sources.items()
        for other in included(code)
        if stage(other) > stage(file)
    ]


def circle(sources):
    """Return nouns of which each includes another one, or nothing where there are none."""
    needs = {noun(file): set() for file in sources}
    for file, code in sources.items():
        needs[noun(file)] |= {noun(other) for other in included(code)} - {noun(file)}
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def know_python(sources):
    return {file for file, code in sources.items() if re.search(r"nanobind|\bPython\.h\b", code)}


def test_every_source_is_in_a_stage_and_includes_files_that_are_there():
    assert {PurePosixPath(file).parts[0] for file in SOURCES} == set(STAGES)
    assert {other for code in SOURCES.values() for other in included(code)} <= set(SOURCES)


def test_includes_reach_no_later_stage():
    assert later_stages(SOURCES) == []


def test_no_nouns_include_each_other():
    assert circle(SOURCES) == []


def test_only_the_last_stage_knows_python():
    known = know_python(SOURCES)
    assert known
    assert {PurePosixPath(file).parts[0] for file in known} == {"python"}


def test_a_later_stage_is_found():
    sources = {"base/a.hpp": '#include <vector>\n#include "codes/b.hpp"\n', "codes/b.hpp": ""}
    assert later_stages(sources) == ["base/a.hpp includes codes/b.hpp"]


@pytest.mark.parametrize(
    ("sources", "size"),
    [
        ({"codes/a.hpp": '#include "codes/b.hpp"', "codes/b.hpp": ""}, 0),
        ({"codes/a.cpp": '#include "codes/a.hpp"', "codes/a.hpp": ""}, 0),
        (
            {
                "codes/a.hpp": '#include "codes/b.hpp"',
                "codes/b.hpp": "",
                "codes/b.cpp": '#include "codes/a.hpp"',
            },
            2,
        ),
        (
            {
                "codes/a.hpp": '#include "codes/b.hpp"',
                "codes/b.hpp": '#include "codes/c.hpp"',
                "codes/c.cpp": '#include "codes/a.hpp"',
            },
            3,
        ),
    ],
)
def test_a_circle_of_nouns_is_found(sources, size):
    assert len(set(circle(sources))) == size


@pytest.mark.parametrize("code", ["#include <nanobind/ndarray.h>", "#include <Python.h>"])
def test_python_is_found(code):
    assert know_python({"base/a.hpp": code}) == {"base/a.hpp"}
