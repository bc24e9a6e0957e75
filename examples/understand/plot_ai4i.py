"""
Which conditions lead to failures
=================================

The first line of the output tells which table this page shows: AI4I 2020, a milling machine, or
simulated parts where that table was absent. A small tree is grown, read as conditions, and each
condition is tested: on folds, on permuted labels, on bootstrap samples.
"""

import matplotlib.pyplot as plt

from thresher import ImbalancedTreeClassifier, find_conditions
from thresher.datasets import list_datasets, load_dataset, make_assembly_line

if "ai4i2020" in list_datasets(available=True):
    print("This is AI4I 2020, a milling machine: synthetic, made by Matzka (2020).")
    X, y = load_dataset("ai4i2020", as_frame=True)
else:
    print("AI4I 2020 is not on this machine (THRESHER_DATA): this is a simulated line of pumps.")
    line = make_assembly_line(random_state=0)
    X, y = line.X, line.y
print(f"{len(y):,} rows, {y.mean():.1%} positive\n")

tree = ImbalancedTreeClassifier(max_leaf_nodes=12, pruning=None, threshold="prior").fit(X, y)
found = find_conditions(tree, X, y)
print(found[["text", "state"]].to_string(index=False))

# %%
# The rate on training rows flatters; the one that counts is that of unseen rows. The line is the
# rate of all rows.

figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
shown = found.head(6).iloc[::-1]
ax.barh(shown["text"], 100 * shown["rate"], color="lightgrey", label="training")
error = 100 * abs(
    shown[["holdout_rate_low", "holdout_rate_high"]].sub(shown["holdout_rate"], axis=0)
)
ax.errorbar(100 * shown["holdout_rate"], shown["text"], xerr=error.T, fmt="o", label="unseen")
ax.axvline(100 * y.mean(), color="black", linestyle="--", label="all rows")
ax.set(xlabel="positive rows, %")
figure.suptitle("Rate of each condition on training rows and on unseen rows")
figure.legend(loc="outside lower center", ncols=3)
plt.show()

# %%
# In AI4I 2020 some causes depend on two columns at once (power is torque times speed). ``train``
# tries such columns by itself: :doc:`columns made of two others </pairs>`. :doc:`What the figures
# mean </conditions>`.
