"""
Columns that are not as they were
=================================

Somebody changes a unit. The model goes on deciding, and nothing is wrong with the file. So it
compares new rows with a summary of its training, and says which column has changed, and how.
"""

import matplotlib.pyplot as plt
import numpy as np

from thresher import train
from thresher.datasets import make_assembly_line

line = make_assembly_line(3000, random_state=0)
is_new = np.random.default_rng(0).random(3000) < 0.3
table = line.X.assign(scrap=line.y)
model = train(table[~is_new], "scrap", model="tree", folds=3, pairs=False)
new = line.X[is_new]
print("columns that have changed:", len(model.find_drift(new)))

# %%
# Now torque comes in Ncm instead of Nm, and the flow meter always says 30:

broken = new.assign(torque_3=100 * new["torque_3"], flow=30.0)
for one in model.find_drift(broken):
    print(one.sentence)

# %%
# What becomes of the alerts, if nobody listens:

is_scrap = line.y[is_new] == 1
figure, ax = plt.subplots(layout="constrained")
for at, (name, rows) in enumerate({"as it was": new, "as it came": broken}.items()):
    probability = model.predict_table(rows, allow_drift=True)["probability"].to_numpy()
    alert = probability > model.threshold
    hits = (alert & is_scrap).sum()
    shares = [100 * hits / is_scrap.sum(), 100 * hits / alert.sum()]
    bars = ax.bar(np.arange(2) + 0.4 * at, shares, 0.38, label=name)
    ax.bar_label(bars, fmt="%.0f %%")
ax.set_xticks([0.2, 1.2], ["scrap that is found", "alerts that are right"])
ax.set(ylabel="%", ylim=(0, 100))
figure.suptitle("Scrap that is found and alerts that are right, before and after the change")
figure.legend(loc="outside lower center", ncols=2)
plt.show()

# %%
# :doc:`How often such messages are right </drift>`; :doc:`whether the rates still hold </watch>`.
