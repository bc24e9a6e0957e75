"""
How early is scrap known?
=========================

A part passes station after station. Pulling it early saves the work of the later ones. For each
station: the best that a model reaches with what is measured up to there.
"""

import matplotlib.pyplot as plt

from thresher import ImbalancedForestClassifier
from thresher.datasets import make_assembly_line
from thresher.plant import early_detection

line = make_assembly_line(2000, random_state=0)
print(line.description)
forest = ImbalancedForestClassifier(50, random_state=0, n_jobs=1)
early = early_detection(forest, line.X, line.y, line.stations)
figure = early.plot()
figure.suptitle("What a model reaches with the columns up to each station")
plt.show()

# %%
print(
    early.to_frame()[["station", "columns", "precision", "recall"]].round(2).to_string(index=False)
)

# %%
# Scores are out of bag; the threshold is chosen on other rows than those that judge it. :doc:`More
# on stations and days </early>`.
