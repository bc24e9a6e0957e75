"""
LightGBM with a threshold of ours
=================================

Keep the booster that you have. ``ThresholdClassifier`` chooses its threshold on scores of unseen
rows; ``take_over`` turns its trees into a model of this library: the same scores, and from there
files without pickle, SQL, ONNX, conditions and reasons.
"""

import lightgbm
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

from thresher import ThresholdClassifier, take_over
from thresher.datasets import load_dataset

X, y = load_dataset("Yeast-me1", as_frame=True)
train, test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
booster = lightgbm.LGBMClassifier(n_estimators=60, verbose=-1, n_jobs=1, random_state=0)
model = ThresholdClassifier(booster, "f1", random_state=0, n_bootstrap=0).fit(train, y_train)

usual = booster.fit(train, y_train).predict(test)
print(f"F1 at 0.5: {f1_score(y_test, usual):.2f}")
print(f"F1 at {model.threshold_:.2f}: {f1_score(y_test, model.predict(test)):.2f}")
print(f"positives in these {len(y_test)} rows: {y_test.sum()}")

# %%
# So few positives tell little about one threshold or the other; the curve of all measures, from
# rows unseen in each fold, tells more.

model.plot_curve()

# %%
# Taken over, the same trees answer by themselves:

ours = take_over(booster)
difference = abs(ours.predict_proba(test) - booster.predict_proba(test)).max()
print(f"largest difference between the probabilities: {difference:.1g}")
for reason in ours.reasons(test.head(1), top=3)[0]:
    print(reason)

# %%
# :doc:`What is taken over, and what is refused </takeover>`.
