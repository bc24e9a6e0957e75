"""Trees over Spark DataFrames: blocks of bins stay on the executors, counts come back.

Nothing but the DataFrame API is used, so that all of it works through Spark Connect.
"""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from os import environ
from typing import Any

import numpy as np

from thresher.scale.fitting import Fit, TableBlocks
from thresher.scale.remote import takes_parameters_of
from thresher.scale.table_passes import TableBlock
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.validation import check_integer

try:
    import pandas as pd
    import pyarrow as pa
    from pyspark.errors import PySparkRuntimeError
    from pyspark.ml import Estimator, Model
    from pyspark.ml.functions import array_to_vector, vector_to_array
    from pyspark.ml.param import Param, Params
    from pyspark.sql import Column, DataFrame, SparkSession, types
    from pyspark.sql import functions as sql
    from pyspark.sql.functions import pandas_udf  # type: ignore[attr-defined]

    from thresher.scale.arrow_blocks import ArrowBlocks
    from thresher.scale.arrow_columns import FeatureColumns, as_matrix
except ImportError as error:
    raise ImportError(
        "SparkTreeClassifier needs PySpark: pip install 'thresher[spark]'."
    ) from error

DEFAULT_MEMORY = 1 << 28
"""Bytes; Spark's driver takes four results of this size (spark.driver.maxResultSize)."""

LOOPBACK = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}

# ------------------------------------------------------------------------------------ the estimator


class TreeParams(Params):
    """Parameters in the manner of pyspark.ml, with their values."""

    def __init__(self, **values: Any) -> None:
        super().__init__()
        for name in values:
            setattr(self, name, Param(self, name, "see the class"))
        self._setDefault(**values)

    def value(self, name: str) -> Any:
        """Return the value of a parameter."""
        return self.getOrDefault(name)


class SparkTreeClassifier(Estimator["SparkTreeModel"], TreeParams):
    """`ImbalancedTreeClassifier` over Spark DataFrames, the same tree byte for byte.

    The rows are turned into bins of one byte a value, which the executors keep; each round sends
    them the tree so far and gets counts back. The DataFrame is read three times: persist it where
    it is costly to compute. `thresher` must be installed on the executors.

    Parameters
    ----------
    featuresCol : str or list of str, default="features"
        A column of vectors or arrays, or a list of columns: numbers and texts (categories).
        NULL and NaN are missing values.
    labelCol : str, default="label"
        Two classes: numbers, booleans or texts.
    predictionCol, probabilityCol : str, default="prediction", "probability"
        Columns that the model adds: the class (a double for numbers, as in pyspark.ml), and a
        vector of the probabilities of both classes.
    weightCol : str, default=None
        Sample weights.
    memory : int, default=2**28
        Bytes that counts and fetched rows may take in the driver at a time; at most a quarter of
        `spark.driver.maxResultSize`.
    partitions : int, default=None
        Tasks of a round; by default as many as the cluster runs at a time.
    **parameters
        Those of `ImbalancedTreeClassifier`, by the same names; `max_bins` is 255 by default.

    Examples
    --------
    >>> tree = SparkTreeClassifier(featuresCol=["speed", "line"], labelCol="scrap", max_depth=4)
    >>> tree.getOrDefault("max_depth"), tree.getOrDefault("max_bins")
    (4, 255)
    """

    @takes_parameters_of(ImbalancedTreeClassifier)
    def __init__(
        self,
        *,
        featuresCol: str | list[str] = "features",
        labelCol: str = "label",
        predictionCol: str = "prediction",
        probabilityCol: str = "probability",
        weightCol: str | None = None,
        memory: int = DEFAULT_MEMORY,
        partitions: int | None = None,
        max_bins: int = 255,
        **parameters: Any,
    ) -> None:
        tree = ImbalancedTreeClassifier(max_bins=max_bins, **parameters)
        super().__init__(
            featuresCol=featuresCol,
            labelCol=labelCol,
            predictionCol=predictionCol,
            probabilityCol=probabilityCol,
            weightCol=weightCol,
            memory=memory,
            partitions=partitions,
            **tree.get_params(),
        )

    def _fit(self, dataset: DataFrame) -> "SparkTreeModel":
        if not isinstance(dataset, DataFrame):
            raise TypeError(f"fit takes a DataFrame of Spark, got {type(dataset).__name__}.")
        names = ImbalancedTreeClassifier().get_params()
        model = ImbalancedTreeClassifier(**{name: self.value(name) for name in names})
        with clear_errors(dataset.sparkSession), ExitStack() as kept:
            Fit(self.value("memory")).tree(model, self.blocks(dataset, kept))
        columns = ("featuresCol", "predictionCol", "probabilityCol")
        return SparkTreeModel(model, **{name: self.value(name) for name in columns})

    def blocks(self, dataset: DataFrame, kept: ExitStack) -> TableBlocks:
        """Return a DataFrame as blocks in few partitions; `kept` releases what executors keep."""
        features = feature_columns(dataset, self.value("featuresCol"))
        is_category = features.is_category(self.value("categorical_features"))
        weighted = self.value("weightCol") is not None
        others = [existing(dataset, self.value("labelCol"))]
        if weighted:
            others.append(existing(dataset, self.value("weightCol")).cast("double"))
        n_tasks = self._n_tasks(dataset)

        def some(wanted: tuple[bool, ...]) -> ArrowBlocks[TableBlock]:
            columns, reader = features.some(wanted, weighted=weighted)
            named = [column.alias(str(place)) for place, column in enumerate(others + columns)]
            return ArrowBlocks(dataset.coalesce(n_tasks).select(*named), reader, n_tasks, kept)

        wide = some((True,) * len(is_category))
        return TableBlocks(some(is_category), wide, features.names, is_category, weighted)

    def _n_tasks(self, dataset: DataFrame) -> int:
        wanted = self.value("partitions")
        if wanted is None:
            numbers = dataset.sparkSession.range(1 << 16).select(sql.spark_partition_id())
            return numbers.distinct().count()
        check_integer("partitions", wanted, low=1)
        return int(wanted)


class SparkTreeModel(Model, TreeParams):
    """A tree that `SparkTreeClassifier` has fitted."""

    def __init__(self, tree: ImbalancedTreeClassifier, **columns: Any) -> None:
        super().__init__(**columns)
        self._tree = tree

    def to_local(self) -> ImbalancedTreeClassifier:
        """Return the tree as an ordinary estimator, to save, explain and export."""
        return self._tree

    def _transform(self, dataset: DataFrame) -> DataFrame:
        positive = self._tree.positive_index_
        probability = self._positive_probability(dataset)
        both, labels = [1.0 - probability] * 2, [_literal(label) for label in self._tree.classes_]
        both[positive] = probability
        is_positive = probability > self._tree.threshold_
        prediction = sql.when(is_positive, labels[positive]).otherwise(labels[1 - positive])
        vector = array_to_vector(sql.array(*both))
        return dataset.withColumns(
            {self.value("probabilityCol"): vector, self.value("predictionCol"): prediction}
        )

    def _positive_probability(self, dataset: DataFrame) -> Column:
        chosen, tree = self.value("featuresCol"), self._tree

        def probability(table: pd.DataFrame) -> pd.Series:
            if isinstance(chosen, str):
                X: Any = as_matrix(pa.array(table.iloc[:, 0]), tree.n_features_in_)
            else:
                X = table.set_axis(chosen, axis=1)
            return pd.Series(tree.predict_proba(X)[:, tree.positive_index_])

        named = [c.alias(str(place)) for place, c in enumerate(readable(dataset, chosen))]
        column: Column = pandas_udf(probability, "double")(sql.struct(*named))
        return column


def _literal(label: Any) -> Column:
    if isinstance(label, str):
        return sql.lit(str(label))
    return sql.lit(bool(label) if isinstance(label, np.bool_) else float(label))


# -------------------------------------------------------------------------------------- the columns


def feature_columns(frame: DataFrame, chosen: str | list[str]) -> FeatureColumns:
    """Return the columns that are named, or the one that holds vectors or arrays."""
    columns = readable(frame, chosen)
    if isinstance(chosen, str):
        first = frame.where(columns[0].isNotNull()).select(sql.size(columns[0])).first()
        return FeatureColumns(columns, None, [False] * (first[0] if first else 0))
    are_text = [isinstance(frame.schema[name].dataType, types.StringType) for name in chosen]
    return FeatureColumns(columns, tuple(chosen), are_text)


def readable(frame: DataFrame, chosen: str | list[str]) -> list[Column]:
    """Return columns as floats, doubles or texts, or as one of arrays."""
    if isinstance(chosen, str):
        return [_arrays(frame, chosen)]
    return [_numbers_or_texts(frame, name) for name in chosen]


def existing(frame: DataFrame, name: str) -> Column:
    """Return a column by its name, whatever characters it has."""
    if name not in frame.columns:
        raise ValueError(f"The DataFrame has no column {name!r}; it has {frame.columns}.")
    quoted = name.replace("`", "``")
    return sql.col(f"`{quoted}`")


def _numbers_or_texts(frame: DataFrame, name: str) -> Column:
    column, kind = existing(frame, name), frame.schema[name].dataType
    if isinstance(kind, types.StringType | types.FloatType):
        return column
    if isinstance(kind, types.NumericType | types.BooleanType):
        return column.cast("double")
    raise TypeError(f"Column {name!r} is of type {kind.simpleString()}; make it a number or text.")


def _arrays(frame: DataFrame, name: str) -> Column:
    column, kind = existing(frame, name), frame.schema[name].dataType
    if kind.typeName() == "vectorudt":
        return vector_to_array(column)
    if isinstance(kind, types.ArrayType) and isinstance(kind.elementType, types.NumericType):
        is_float = isinstance(kind.elementType, types.FloatType)
        return column if is_float else column.cast("array<double>")
    raise TypeError(
        f"featuresCol {name!r} is of type {kind.simpleString()}; name a column of vectors, or give "
        "a list of columns."
    )


# -------------------------------------------------------------------------------------- the session


def local_session(cores: int = 2, options: dict[str, str] | None = None) -> SparkSession:
    """Start a Spark session on this machine, which listens on loopback alone.

    Parameters
    ----------
    cores : int, default=2
        Tasks that run at a time.
    options : dict, default=None
        Spark's configuration beside this.
    """
    environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = (
        SparkSession.Builder().master(f"local[{cores}]").config(map={**LOOPBACK, **(options or {})})
    )
    try:
        return builder.getOrCreate()
    except PySparkRuntimeError as error:
        if error.getCondition() != "JAVA_GATEWAY_EXITED":
            raise
        raise RuntimeError(
            "Spark cannot start Java; install Java 17 or later, on the path or in JAVA_HOME."
        ) from error


@contextmanager
def clear_errors(session: SparkSession) -> Iterator[None]:
    """Say in one sentence that a session is lost, or what its executors lack."""
    try:
        yield
    except (TypeError, ValueError):
        raise
    except Exception as error:
        if "No module named 'thresher'" in str(error):
            raise RuntimeError(
                "Spark's executors cannot import thresher; install it there too."
            ) from error
        # Spark Connect has tried again for minutes before it says so.
        if "UNAVAILABLE" in str(error) or not _answers(session):
            raise ConnectionError(
                "The Spark session is lost: it does not answer; start another and fit again."
            ) from error
        raise


def _answers(session: SparkSession) -> bool:
    try:
        return session.range(1).count() == 1
    except Exception:
        return False
