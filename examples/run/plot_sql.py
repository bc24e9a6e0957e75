"""
Scoring inside the database: SQL in DuckDB
==========================================

A model becomes one SELECT. It decides as ``predict`` does, row by row, missing values and unseen
levels included, and with ``verify=`` the query is run and compared before you get it.
"""

import duckdb
import matplotlib.pyplot as plt

from thresher import ImbalancedTreeClassifier
from thresher.datasets import make_assembly_line
from thresher.export import to_sql

line = make_assembly_line(2000, random_state=0)
model = ImbalancedTreeClassifier(max_leaf_nodes=8).fit(line.X, line.y)
query = to_sql(model, "parts", dialect="duckdb", verify=line.X)
print(query[:600], "...")

# %%
# The table stays where it is; only counts come back. Which leaf of the tree do alerts come from,
# and how many are right?

database = duckdb.connect()
parts = line.X.assign(scrap=line.y)
database.register("parts", parts)
counts = database.sql(
    f"SELECT leaf, count(*) AS alerts, sum(scrap) AS scrap FROM ({query}) "
    "WHERE decision = 1 GROUP BY leaf ORDER BY alerts DESC"
).df()
print(counts.to_string(index=False))

figure, ax = plt.subplots()
names = counts["leaf"].map("leaf {}".format)
ax.barh(names, counts["alerts"], color="lightgrey", label="alerts")
ax.barh(names, counts["scrap"], height=0.4, label="of them scrap")
ax.set(xlabel="parts")
ax.set_title("Alerts of each leaf, and how many of them are scrap")
ax.legend()
plt.show()
database.close()

# %%
# :doc:`Dialects, and what is equal to the last bit </export>`.
