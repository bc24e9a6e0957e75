"""The service of docs/serving.md, as it stands there, on loopback."""

import re
from pathlib import Path

import pytest

from tests.loopback import post, served
from thresher import train
from thresher.datasets import make_assembly_line

pytest.importorskip("fastapi")
PAGE = Path(__file__).parents[1] / "docs" / "serving.md"


@pytest.fixture(scope="module")
def code():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (found,) = (block for block in blocks if "FastAPI" in block)
    return found


def test_the_service_answers_as_the_model_does(code, tmp_path, monkeypatch):
    line = make_assembly_line(1200, random_state=0)
    model = train(line.X.assign(scrap=line.y), target="scrap", model="tree", random_state=0)
    model.save(tmp_path / "model.thresher")
    monkeypatch.setenv("MODEL", str(tmp_path / "model.thresher"))
    names = {}
    exec(compile(code, "service.py", "exec"), names)
    rows = line.X.head(4).astype(object).to_dict("records")
    rows[1]["torque_3"] = None
    rows[2]["supplier"] = "somebody new"
    with served(names["app"]) as address:
        status, answer = post(f"{address}/decide", rows)
        refused, told = post(f"{address}/decide", [{"torque_3": 1.0}])
        empty, _ = post(f"{address}/decide", [])
    import pandas as pd

    expected = model.predict_table(pd.DataFrame(rows))
    assert status == 200
    assert [row["probability"] for row in answer] == expected["probability"].tolist()
    assert [row["condition"] for row in answer] == expected["condition"].tolist()
    assert (refused, empty) == (422, 422)
    assert "supplier" in told["detail"]
