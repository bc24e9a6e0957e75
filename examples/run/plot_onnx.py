"""
Another runtime: ONNX
=====================

A forest with its threshold, written as an ONNX graph and run by onnxruntime: no Python package of
ours is needed where it runs. Missing values go the way they went in training.
"""

import matplotlib.pyplot as plt
import numpy as np
import onnxruntime

from thresher import ImbalancedForestClassifier
from thresher.datasets import load_dataset
from thresher.export import to_onnx

X, y = load_dataset("Yeast-me1")
X[::5, 2] = np.nan
forest = ImbalancedForestClassifier(50, random_state=0, n_jobs=1).fit(X, y)
graph = to_onnx(forest, dtype="float64", verify=X)
print(f"{len(graph.SerializeToString()) / 1000:.0f} kB, verified on {len(X):,} rows")

# %%
# The same rows through both:

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(graph.SerializeToString(), options)
label, probabilities = session.run(None, {"X": X})
ours = forest.predict_proba(X)[:, 1]
print("decisions that differ:", int((label != forest.predict(X)).sum()))

figure, ax = plt.subplots()
ax.plot(ours, probabilities[:, 1], ".")
ax.axvline(forest.threshold_, color="black", linestyle="--", label="threshold")
ax.set(xlabel="predict_proba", ylabel="onnxruntime")
largest = abs(ours - probabilities[:, 1]).max()
ax.set_title(f"Probabilities of both on one line; largest difference {largest:.1g}")
ax.legend()
plt.show()

# %%
# :doc:`Types, inputs and outputs </export>`.
