"""
A threshold by cost
===================

A missed part costs 20 times as much as a false alert. Where should a score become an alert? At 0.5
only if both cost the same. ``rule="cost"`` takes Elkan's threshold, ``cost_fp / (cost_fp +
cost_fn)``.
"""

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from thresher import ThresholdClassifier
from thresher.datasets import load_dataset

X, y = load_dataset("Pageblocks0", as_frame=True)
line = make_pipeline(StandardScaler(), LogisticRegression())
model = ThresholdClassifier(line, "cost", cost_fp=1, cost_fn=20, n_bootstrap=0).fit(X, y)
print(f"alert above {model.threshold_:.3f}")

# %%
# ``curve_`` has the counts of every threshold, on rows that the scoring model had not seen. So the
# price of each threshold is a line of arithmetic:

import matplotlib.pyplot as plt

curve = model.curve_
curve["cost"] = (curve["fp"] + 20 * curve["fn"]) / len(y)


def cost_at(threshold):
    return curve.loc[curve["threshold"] <= threshold, "cost"].iloc[-1]


figure, ax = plt.subplots()
ax.plot(curve["threshold"], curve["cost"])
for threshold, name in [(model.threshold_, "by cost"), (0.5, "the usual 0.5")]:
    ax.plot(threshold, cost_at(threshold), "o")
    ax.annotate(f" {name}: {cost_at(threshold):.2f}", (threshold, cost_at(threshold)), va="top")
ax.set(xlabel="threshold", ylabel="cost of a row", xlim=(0, 1), ylim=(0, None))
ax.set_title("Cost of a row at each threshold: lowest near the one by cost, higher at 0.5")
plt.show()

# %%
# The formula trusts the probabilities. The lowest point of the curve may lie a little beside it,
# where they are not quite right. :doc:`More on thresholds </thresholding>`; :doc:`costs that
# differ from row to row </costs>`.
