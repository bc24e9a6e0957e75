"""
Columns that are not as they were
=================================

Somebody changes a unit, a sensor stands still. The model goes on deciding, and nothing is wrong
with the file. So it compares new rows with a summary of its training, and says which column has
changed, and how.
"""

import matplotlib.pyplot as plt
import numpy as np

from thresher.datasets import make_assembly_line
from thresher.plant import train

line = make_assembly_line(3000, random_state=0)
is_new = np.random.default_rng(0).random(3000) < 0.3
table = line.X.assign(scrap=line.y)
model = train(table[~is_new], "scrap", model="tree", folds=3, derive="none")
new = line.X[is_new]
print("columns that have changed:", len(model.find_drift(new)))

# %%
# Now torque comes in Ncm instead of Nm, and the flow meter stands still:

broken = new.assign(torque_3=100 * new["torque_3"], flow=30.0)
for one in model.find_drift(broken):
    print(one.sentence)

# %%
# What it does to the alerts, if nobody listens:

rates = [
    (model.predict_table(rows)["probability"] > model.threshold).mean() for rows in (new, broken)
]
figure, ax = plt.subplots()
bars = ax.bar(["as it was", "another unit, a dead sensor"], [100 * rate for rate in rates])
ax.bar_label(bars, fmt="%.1f %%")
ax.axhline(100 * line.y[is_new].mean(), color="black", linestyle="--", label="true scrap")
ax.set(ylabel="alerts, % of parts")
ax.legend()
plt.show()

# %%
# :doc:`How often such messages are right </drift>`; :doc:`whether the rates still hold </watch>`.
