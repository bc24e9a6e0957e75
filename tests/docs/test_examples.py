"""The examples of the gallery run as they stand: some here, all of them with the slow tests."""

import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import EXAMPLES

QUICK = {"plot_cost", "plot_onnx", "plot_refer", "plot_sql"}
FETCHED = {"plot_ai4i", "plot_secom", "plot_steel_plates"}

OURS = re.compile(r"^[a-z_.]+\.plot(_curve)?\(\)$", re.MULTILINE)
"""The last line of a block, which the gallery shows."""

pytestmark = pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive:UserWarning")
DRAWS = pytest.mark.usefixtures("_drawn_to_nowhere")


@pytest.fixture
def _drawn_to_nowhere() -> Iterator[None]:
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    yield
    plt.close("all")


def test_there_are_enough() -> None:
    assert len(EXAMPLES) >= 14
    assert {path.stem for path in EXAMPLES} >= QUICK | FETCHED


@DRAWS
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=() if path.stem in QUICK else pytest.mark.slow, id=path.stem)
        for path in EXAMPLES
    ],
)
def test_an_example(path: Path) -> None:
    import matplotlib.pyplot as plt

    runpy.run_path(str(path))
    shows_a_figure = OURS.search(path.read_text(encoding="utf-8"))
    assert plt.get_fignums() or shows_a_figure


@DRAWS
@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.stem in FETCHED])
def test_without_the_data_it_says_so(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("THRESHER_DATA", raising=False)
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path))
    runpy.run_path(str(path))
    assert "not on this machine (THRESHER_DATA)" in capsys.readouterr().out.splitlines()[0]
