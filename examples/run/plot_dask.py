"""
The same tree on a cluster: Dask
================================

However rows are dealt to partitions, the tree is the same, byte for byte, as the one that memory
would have given. Here Dask's own scheduler does the work in this process; once there
is a ``Client`` of a cluster, its workers do.
"""

import dask
import dask.dataframe as dd

from thresher import ImbalancedTreeClassifier
from thresher.datasets import make_assembly_line
from thresher.scale import fit

line = make_assembly_line(4000, random_state=0, as_frame="pandas")
numbers = line.X.select_dtypes("number")
parts = numbers.assign(scrap=line.y)
in_memory = ImbalancedTreeClassifier(max_bins=255, max_leaf_nodes=8).fit(numbers, line.y)

with dask.config.set(scheduler="synchronous"):
    for partitions in (1, 3, 8):
        lazy = dd.from_pandas(parts, npartitions=partitions)
        tree = fit(ImbalancedTreeClassifier(max_leaf_nodes=8), lazy, target="scrap")
        same = tree.tree_.digest() == in_memory.tree_.digest()
        print(f"{lazy.npartitions} partitions: the same tree is {same}")

# %%
# The tree that Dask grew, with the rows of each node:

tree.plot()

# %%
# :doc:`Larger than memory, larger than one machine </scale>`.
