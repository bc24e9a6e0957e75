"""
The paper's study on one of its sets
====================================

The paper compares 13 methods on 18 sets. Here its five trees and two of its linear models on one
set, by its own names: F1 in 5 folds. ``make reproduction`` runs the whole study.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import StratifiedKFold, cross_val_score

from thresher.datasets import load_dataset
from thresher.study import METHODS

X, y = load_dataset("Yeast-me1")
folds = StratifiedKFold(5, shuffle=True, random_state=0)
scores = {}
for name in ("LogR", "LogR+CS", "CDT", "DKMDT", "HDDT", "EAT", "ARDT"):
    method = METHODS[name](random_state=0)
    scores[name] = cross_val_score(method, X, y, cv=folds, scoring="f1")
for name, values in scores.items():
    print(f"{name:12} {values.mean():.3f}")

# %%
figure, ax = plt.subplots(layout="constrained")
ax.boxplot(list(scores.values()), orientation="horizontal", tick_labels=list(scores))
ax.set(xlabel="F1 in five folds")
ax.set_title("F1 of each method in five folds, as boxes")
plt.show()

# %%
# One set and five folds decide nothing. :doc:`All 18 sets, with ranks and tests </reproduction>`.
