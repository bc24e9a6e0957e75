"""
When there is nothing to be found
=================================

The first line of the output tells which table this page shows: SECOM, hundreds of sensors of a
wafer factory in the order of time, or a table with shuffled labels where that one was absent. Any
tree finds "conditions" in such a table. Whether they hold is asked of rows that it has not seen:
the second half.
"""

import matplotlib.pyplot as plt
import numpy as np

from thresher import ImbalancedTreeClassifier, find_conditions
from thresher.datasets import list_datasets, load_dataset

if "secom" in list_datasets(available=True):
    print("This is SECOM, a wafer factory, in the order of time.")
    X, y = load_dataset("secom", as_frame=True)
else:
    print("SECOM is not on this machine (THRESHER_DATA): this is a table with shuffled labels.")
    X, y = load_dataset("Pageblocks0", as_frame=True)
    X, y = X.head(1600), np.random.default_rng(0).permutation(y[:1600])
print(f"{len(y):,} rows, {X.shape[1]} columns, {np.mean(y):.1%} positive\n")

half = len(y) // 2
tree = ImbalancedTreeClassifier(max_leaf_nodes=12, pruning=None, threshold="prior")
tree.fit(X[:half], y[:half])
found = find_conditions(tree, X[:half], y[:half], X_test=X[half:], y_test=y[half:])
for at, one in found.iterrows():
    print(f"{at}: {one['text']}")
    print(f"   {one['scrap']} of {one['parts']} rows are positive;", end=" ")
    print(f"second half: {one['holdout_scrap']} of {one['holdout_parts']}: {one['state']}")
confirmed = (found["state"] == "confirmed").sum()
print(f"\nconfirmed by the second half: {confirmed} of {len(found)}")

# %%
# A condition promises much where it was found. What is left of it where it is tried? A dot without
# a line is a condition that no row of the second half meets.

figure, ax = plt.subplots(layout="constrained")
for at, one in found.iterrows():
    label = f"{at}: {one['parts']} rows, then {one['holdout_parts']}"
    ax.plot([0, 1], [100 * one["rate"], 100 * one["holdout_rate"]], "o-", label=label)
ax.axhline(100 * float(np.mean(y)), color="black", linestyle="--", label="all rows")
ax.set_xticks([0, 1], ["rows that grew the tree", "second half"])
ax.set(ylabel="positive among rows that meet it, %", xlim=(-0.2, 1.2), ylim=(0, None))
figure.suptitle("Rate of each condition where it was found, and where it is tried")
figure.legend(loc="outside right center", title="condition")
plt.show()

# %%
# Only a confirmed condition is named as a cause, by ``train`` and by its report. On such a table
# the honest answer is usually: change nothing for the sake of these. :doc:`How conditions are
# tested </conditions>`.
