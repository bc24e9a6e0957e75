"""
From a table to a verdict
=========================

The first line of the output tells which table this page shows: faults of steel plates, some of them
stains, or thyroid glands where that table was absent. One call chooses a tree and a threshold,
judges both on rows that chose nothing, and says in words what it is worth.
"""

from thresher import train
from thresher.datasets import list_datasets, load_dataset

if "steel_plates-stains" in list_datasets(available=True):
    print("These are faults of steel plates; which of them are stains?")
    (X, y), target = load_dataset("steel_plates-stains", as_frame=True), "stain"
else:
    print("The steel plates are not on this machine (THRESHER_DATA): these are thyroid glands.")
    (X, y), target = load_dataset("Thyroid1", as_frame=True), "hyperthyroid"
print(f"{len(y):,} rows, {y.mean():.1%} positive\n")

model = train(X.assign(**{target: y}), target=target, model="tree", pairs=False)
print(model.verdict)

# %%
# The tree behind it:

model.estimator.plot()

# %%
# The conditions, with what unseen rows say of them:

print(model.conditions.to_text())

# %%
# :doc:`What train does </plant>`; :doc:`the report for people who do not program </report>`.
