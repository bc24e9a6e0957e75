"""
Why this part? Reasons and contributions
========================================

A forest answers with a probability. What pushed it up or down, column by column, is exact (Shapley
values), and the strongest pushes can be told in words.
"""

import matplotlib.pyplot as plt

from thresher import ImbalancedForestClassifier
from thresher.datasets import make_assembly_line

line = make_assembly_line(2000, random_state=0)
forest = ImbalancedForestClassifier(50, random_state=0, n_jobs=1).fit(line.X, line.y)
worst = forest.predict_proba(line.X)[:, 1].argmax()
part = line.X.iloc[[worst]]
for reason in forest.reasons(part, top=3)[0]:
    print(reason)

# %%
# All columns of the same part; their sum is what lies between the mean probability and this one:

given = forest.contributions(part)[0][: line.X.shape[1]]
order = abs(given).argsort()[-8:]
figure, ax = plt.subplots(layout="constrained")
values = part.round(2).astype(str).iloc[0]
names = [f"{values.index[at]} = {values.iloc[at]}" for at in order]
ax.barh(names, given[order])
ax.axvline(0, color="black", linewidth=1)
ax.set(xlabel="contribution to the probability")
figure.suptitle("Contributions of eight columns to the probability of one part")
plt.show()

# %%
# A contribution tells what the model did, not what the machine did. :doc:`What the values mean
# </explain>`.
