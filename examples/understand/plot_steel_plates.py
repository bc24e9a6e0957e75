"""
From a table to a verdict: steel plates
=======================================

1,941 faults of steel plates; which of them are stains? One call chooses a tree and a threshold,
judges both on rows that chose nothing, and says in words what it is worth.
"""

from thresher.datasets import list_datasets, load_dataset
from thresher.plant import train

if "steel_plates-stains" in list_datasets(available=True):
    X, y = load_dataset("steel_plates-stains", as_frame=True)
else:
    print("The steel plates are not on this machine (THRESHER_DATA): thyroid glands are shown.")
    X, y = load_dataset("Thyroid1", as_frame=True)

model = train(X.assign(stain=y), target="stain", model="tree", derive="none")
print(model.verdict)

# %%
# The tree behind it:

model.estimator.plot()

# %%
# The conditions, with what unseen rows say of them:

print(model.conditions.to_text())

# %%
# :doc:`What train does </plant>`; :doc:`the report for people who do not program </report>`.
