"""
How early is scrap known?
=========================

A part passes stage after stage. Pulling it early saves the work of the later ones. For each
stage: the F1 that a model reaches with what is measured up to there.
"""

import matplotlib.pyplot as plt
from sklearn.metrics import f1_score
from sklearn.model_selection import cross_val_predict

from thresher import ImbalancedForestClassifier
from thresher.datasets import make_assembly_line

line = make_assembly_line(2000, random_state=0)
print(line.description)
stages = list(dict.fromkeys(line.stages.values()))
scores = []
for number in range(1, len(stages) + 1):
    known = [name for name in line.X if line.stages[name] in stages[:number]]
    forest = ImbalancedForestClassifier(50, random_state=0, n_jobs=1)
    scores.append(f1_score(line.y, cross_val_predict(forest, line.X[known], line.y, cv=3)))

# %%
# Each row is decided by a forest that has not seen it; the forest chooses its own threshold.
figure, ax = plt.subplots(layout="constrained")
ax.plot(range(len(stages)), scores, marker="o")
ax.set_xticks(range(len(stages)), stages, rotation=30, ha="right")
ax.set(xlabel="known up to this stage", ylabel="F1", ylim=(0, 1))
plt.show()
