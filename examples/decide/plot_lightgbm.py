"""
LightGBM with a threshold of ours
=================================

Keep the booster that you have. ``ThresholdClassifier`` chooses its threshold on scores of unseen
rows; ``convert`` turns its trees into a model of this library: the same scores, and from there
files without pickle, SQL, ONNX, conditions and reasons.
"""

import lightgbm
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

from thresher import ThresholdClassifier, convert
from thresher.datasets import load_dataset

X, y = load_dataset("Yeast-me2", as_frame=True)
booster = lightgbm.LGBMClassifier(n_estimators=60, verbose=-1, n_jobs=1, random_state=0)
print(f"{len(y):,} rows, {y.mean():.1%} positive; F1 on a quarter that was held out:")
print("split  at 0.5  at the chosen threshold")
for split in range(5):
    train, test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=split)
    model = ThresholdClassifier(booster, "f1", random_state=0, n_bootstrap=0).fit(train, y_train)
    usual = f1_score(y_test, booster.fit(train, y_train).predict(test))
    ours = f1_score(y_test, model.predict(test))
    print(f"{split:5}  {usual:6.2f}  {ours:.2f} at {model.threshold_:.2f}")

# %%
# A booster is seldom sure of a class this rare, so that 0.5 finds few of it. A quarter has 13
# positives, and one split tells little; the curve of all measures, from rows unseen in each fold,
# tells more.

model.plot_curve()

# %%
# Taken over, the same trees answer by themselves:

ours = convert(booster)
difference = abs(ours.predict_proba(test) - booster.predict_proba(test)).max()
print(f"largest difference between the probabilities: {difference:.1g}")
for reason in ours.reasons(test.head(1), top=3)[0]:
    print(reason)

# %%
# :doc:`What is taken over, and what is refused </takeover>`.
