"""
Alert, pass, or refer
=====================

A model need not decide every row. With two thresholds it decides the clear ones, and refers the
rest to somebody who looks closer: here at most 10 % of the bad ones may pass, and at most 20 % of
the alerts may be wrong.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from thresher import ThresholdClassifier
from thresher.datasets import load_dataset

X, y = load_dataset("Pageblocks0")
line = make_pipeline(StandardScaler(), LogisticRegression())
model = ThresholdClassifier(line, "refer", miss=0.1, false_alarm=0.2, random_state=0).fit(X, y)
print(model.referred_)

# %%
# The three answers of ``decide``, and what is in them:

answers = model.decide(X)
score = model.predict_proba(X)[:, 1]
figure, ax = plt.subplots(layout="constrained")
for answer in ("pass", "refer", "alert"):
    chosen = answers == answer
    label = f"{answer}: {chosen.sum():,} rows, {y[chosen].sum()} of them positive"
    ax.hist(score[chosen], np.linspace(0, 1, 41), label=label, log=True)
for cut in (model.threshold_, model.threshold_alert_):
    ax.axvline(cut, color="black", linestyle="--")
ax.set(xlabel="probability", ylabel="rows (logarithmic)")
figure.suptitle("Rows that pass, are referred or alert, by probability")
figure.legend(loc="outside lower center")
plt.show()

# %%
# These are the rows that fitted the model; ``referred_`` above is from rows that had not been
# seen. :doc:`With a promise, or at a price for each referred row </refer>`.
