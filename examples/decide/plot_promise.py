"""
A threshold that keeps its word
===============================

"At least 90 % of the bad parts are found": a threshold that just reaches it on the rows that chose
it misses it on about half of the tables to come. With ``confidence=`` the threshold is low enough
to keep it, and says so.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from thresher import ThresholdClassifier
from thresher.datasets import load_dataset

X, y = load_dataset("Pageblocks0")
rows = np.random.default_rng(0).permutation(len(y))
learn, others = rows[:1500], rows[1500:]
fitted = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[learn], y[learn])


def thresholded(sample, **parameters):
    model = ThresholdClassifier(
        fitted, "precision_at_recall", floor=0.9, cv="prefit", n_bootstrap=0, **parameters
    )
    return model.fit(X[sample], y[sample])


print(thresholded(others[:700], confidence=0.9).promise_)

# %%
# Now 200 times: draw 700 rows, choose the threshold on them, and look at the recall on the rows
# that were not drawn.

score = fitted.predict_proba(X)[:, 1]
rng = np.random.default_rng(1)
recalls = {"without a promise": [], "promised with 90 %": []}
for _ in range(200):
    drawn, rest = np.split(rng.permutation(others), [700])
    found = score[rest][y[rest] == 1]
    for name, parameters in zip(recalls, ({}, {"confidence": 0.9}), strict=True):
        recalls[name].append(np.mean(found > thresholded(drawn, **parameters).threshold_))

figure, ax = plt.subplots(layout="constrained")
bins = np.linspace(0.75, 1, 26)
for (name, values), hatch in zip(recalls.items(), ("", "//"), strict=True):
    kept = np.mean(np.array(values) >= 0.9)
    ax.hist(values, bins, alpha=0.6, hatch=hatch, label=f"{name}: kept in {kept:.0%} of draws")
ax.axvline(0.9, color="black", linestyle="--", label="asked for: 0.9")
ax.set(xlabel="recall on rows that were not drawn", ylabel="draws")
figure.suptitle("Recall of 200 thresholds with a promise, and of 200 without")
figure.legend(loc="outside lower center")
plt.show()

# %%
# The draws share their rows, so these shares are rough. :doc:`The study </promises>` draws from
# whole populations.
