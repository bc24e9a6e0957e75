"""
When there is nothing to be found: SECOM
========================================

A wafer factory: 1,567 rows in the order of time, hundreds of sensors, 6.6 % failures. Any tree
finds "conditions" in such a table. Whether they hold is asked of rows that it has not seen: the
later half.
"""

import matplotlib.pyplot as plt
import numpy as np

from thresher import ImbalancedTreeClassifier, conditions
from thresher.datasets import list_datasets, load_dataset

if "secom" in list_datasets(available=True):
    X, y = load_dataset("secom", as_frame=True)
else:
    print("SECOM is not on this machine (THRESHER_DATA): a table with shuffled labels is shown.")
    X, y = load_dataset("Pageblocks0", as_frame=True)
    X, y = X.head(1600), np.random.default_rng(0).permutation(y[:1600])

half = len(y) // 2
tree = ImbalancedTreeClassifier(max_leaf_nodes=12, pruning=None, threshold="prior")
tree.fit(X[:half], y[:half])
found = conditions(tree, X[:half], y[:half], X_test=X[half:], y_test=y[half:])
print(found[["text", "scrap", "parts", "holdout_scrap", "holdout_parts", "state"]].to_string())
confirmed = (found["state"] == "confirmed").sum()
print(f"\nconfirmed by the later half: {confirmed} of {len(found)}")

# %%
# Each condition promises much where it was found, and shrinks towards the average (dashed) where
# it is tried:

figure, ax = plt.subplots()
for _, one in found.iterrows():
    ax.plot([0, 1], [100 * one["rate"], 100 * one["holdout_rate"]], "o-")
ax.axhline(100 * float(np.mean(y)), color="black", linestyle="--")
ax.set_xticks([0, 1], ["rows that grew the tree", "later rows"])
ax.set(ylabel="failures among rows that meet it, %", xlim=(-0.2, 1.2), ylim=(0, None))
plt.show()

# %%
# Only a confirmed condition is named as a cause, by ``train`` and by its report. On such a table
# the honest answer is usually: change nothing for the sake of these. :doc:`How conditions are
# tested </conditions>`.
