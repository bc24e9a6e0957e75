"""
The report in a notebook
========================

``model.report()`` at the end of a cell shows the whole report; ``save`` writes it as one file that
opens offline. Here its first words, the conditions as a notebook shows them, and the curve behind
its slider.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

from thresher import train
from thresher.datasets import make_assembly_line

line = make_assembly_line(1500, random_state=0)
model = train(
    line.X.assign(scrap=line.y),
    "scrap",
    model="tree",
    folds=3,
    pairs=False,
    stages=line.stages,
    rule="f1",
    cost_fp=5,
    cost_fn=80,
)
path = Path(tempfile.mkdtemp()) / "report.html"
model.report().save(path)
print(f"{model.verdict.heading} ({path.stat().st_size / 1000:.0f} kB)")

# %%
model.conditions

# %%
# Another threshold is judged on the same unseen rows, without a new fit:

budgets = [40, 60, 80, 100, 150, 200]
judged = [model.with_threshold("budget", per_1000=budget).judgement for budget in budgets]
figure, ax = plt.subplots()
ax.plot(budgets, [one.recall for one in judged], "o-", label="recall")
ax.plot(budgets, [one.precision for one in judged], "s-", label="precision")
ax.set(xlabel="alerts per 1000 parts", ylim=(0, 1))
ax.set_title("Recall and precision by the alerts that are allowed")
ax.legend()
plt.show()

# %%
# :doc:`What the report shows </report>`.
