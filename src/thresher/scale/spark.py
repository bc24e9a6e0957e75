"""Trees and forests over Spark DataFrames: bins stay on the executors, counts or trees come back.

Nothing but the DataFrame API is used, so that all of it works through Spark Connect.
"""

import sys
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from os import environ
from typing import Any, ClassVar

import numpy as np

from thresher.forest.classifier import ImbalancedForestClassifier
from thresher.scale.fitting import Fit, TableBlocks
from thresher.scale.partition import to_send
from thresher.scale.remote import takes_parameters_of
from thresher.scale.table_passes import TableBlock
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.validation import check_integer

try:
    import pandas as pd
    import pyarrow as pa
    from pyspark.errors import PySparkRuntimeError
    from pyspark.ml import Estimator, Model
    from pyspark.ml.functions import array_to_vector
    from pyspark.ml.param import Param, Params
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql import functions as sql
    from pyspark.sql.functions import pandas_udf  # type: ignore[attr-defined]

    from thresher.scale.arrow_blocks import ArrowBlocks
    from thresher.scale.arrow_columns import as_matrix
    from thresher.scale.spark_columns import existing, feature_columns, readable
except ImportError as error:
    raise ImportError(
        "SparkTreeClassifier and SparkForestClassifier need PySpark: pip install 'thresher[spark]'."
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


class EngineParams(Params):
    """Parameters in the manner of pyspark.ml, with their values."""

    def __init__(self, **values: Any) -> None:
        super().__init__()
        for name in values:
            setattr(self, name, Param(self, name, "see the class"))
        self._setDefault(**values)

    def value(self, name: str) -> Any:
        """Return the value of a parameter."""
        return self.getOrDefault(name)


class SparkClassifier(Estimator["SparkModel"], EngineParams):
    """What estimators over Spark DataFrames share; `parameters` are those of the local one."""

    _local: ClassVar[type[Any]]
    _model: ClassVar[type["SparkModel"]]

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
        super().__init__(
            featuresCol=featuresCol,
            labelCol=labelCol,
            predictionCol=predictionCol,
            probabilityCol=probabilityCol,
            weightCol=weightCol,
            memory=memory,
            partitions=partitions,
            **self._local(max_bins=max_bins, **parameters).get_params(deep=False),
        )

    def _fit(self, dataset: DataFrame) -> "SparkModel":
        if not isinstance(dataset, DataFrame):
            raise TypeError(f"fit takes a DataFrame of Spark, got {type(dataset).__name__}.")
        names = self._local().get_params(deep=False)
        local = self._local(**{name: self.value(name) for name in names})
        with clear_errors(dataset.sparkSession), ExitStack() as kept:
            self._fit_blocks(local, Fit(self.value("memory")), self.blocks(dataset, kept))
        columns = ("featuresCol", "predictionCol", "probabilityCol")
        return self._model(local, **{name: self.value(name) for name in columns})

    @abstractmethod
    def _fit_blocks(self, local: Any, fit: Fit, table: TableBlocks) -> None:
        """Fit the local model to a table in blocks."""

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


class SparkModel(Model, EngineParams):
    """A model that was fitted to a DataFrame, and answers for others."""

    def __init__(self, local: Any, **columns: Any) -> None:
        super().__init__(**columns)
        self._local = local

    def to_local(self) -> Any:
        """Return the model as an ordinary estimator, to save, explain and export."""
        return self._local

    def _transform(self, dataset: DataFrame) -> DataFrame:
        positive = self._local.positive_index_
        probability = self._positive_probability(dataset)
        both, labels = [1.0 - probability] * 2, [_literal(label) for label in self._local.classes_]
        both[positive] = probability
        is_positive = probability > self._local.threshold_
        prediction = sql.when(is_positive, labels[positive]).otherwise(labels[1 - positive])
        vector = array_to_vector(sql.array(*both))
        return dataset.withColumns(
            {self.value("probabilityCol"): vector, self.value("predictionCol"): prediction}
        )

    def _positive_probability(self, dataset: DataFrame) -> Column:
        chosen, local = self.value("featuresCol"), to_send(self._local)

        def probability(table: pd.DataFrame) -> pd.Series:
            if isinstance(chosen, str):
                X: Any = as_matrix(pa.array(table.iloc[:, 0]), local.n_features_in_)
            else:
                X = table.set_axis(chosen, axis=1)
            return pd.Series(local.predict_proba(X)[:, local.positive_index_])

        named = [c.alias(str(place)) for place, c in enumerate(readable(dataset, chosen))]
        column: Column = pandas_udf(probability, "double")(sql.struct(*named))
        return column


def _literal(label: Any) -> Column:
    if isinstance(label, str):
        return sql.lit(str(label))
    return sql.lit(bool(label) if isinstance(label, np.bool_) else float(label))


class SparkTreeModel(SparkModel):
    """A tree that `SparkTreeClassifier` has fitted."""

    def to_local(self) -> ImbalancedTreeClassifier:
        """Return the tree as an ordinary estimator, to save, explain and export."""
        local: ImbalancedTreeClassifier = super().to_local()
        return local


class SparkForestModel(SparkModel):
    """A forest that `SparkForestClassifier` has fitted."""

    def to_local(self) -> ImbalancedForestClassifier:
        """Return the forest as an ordinary estimator, to save, explain and export."""
        local: ImbalancedForestClassifier = super().to_local()
        return local


class SparkTreeClassifier(SparkClassifier):
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

    _local, _model = ImbalancedTreeClassifier, SparkTreeModel

    @takes_parameters_of(SparkClassifier, ImbalancedTreeClassifier)
    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)

    def _fit_blocks(self, local: Any, fit: Fit, table: TableBlocks) -> None:
        fit.tree(local, table)


class SparkForestClassifier(SparkClassifier):
    """`ImbalancedForestClassifier` over Spark DataFrames.

    The forest is the same, byte for byte, as `fit_parquet_forest` finds for the same rows, for any
    partitions and after lost executors. The rows are turned into bins of one byte a value; all bins
    are broadcast to the executors, whose tasks grow some trees each and count their out-of-bag
    votes. The DataFrame is read three times: persist it where it is costly to compute. `thresher`
    must be installed on the executors.

    Parameters
    ----------
    featuresCol, labelCol, predictionCol, probabilityCol, weightCol
        As in `SparkTreeClassifier`.
    memory : int, default=2**28
        Bytes that growth may take in a task; bins take a quarter of it at most, and pass through
        the driver (`spark.driver.maxResultSize`).
    partitions : int, default=None
        Tasks that the trees are dealt to; by default as many as the cluster runs at a time.
    **parameters
        Those of `ImbalancedForestClassifier`, by the same names, but `warm_start` and `derive`;
        `max_bins` is 255 by default.

    Examples
    --------
    >>> forest = SparkForestClassifier(featuresCol=["speed", "line"], labelCol="scrap", rule="f1")
    >>> forest.getOrDefault("n_estimators"), forest.getOrDefault("max_bins")
    (200, 255)
    """

    _local, _model = ImbalancedForestClassifier, SparkForestModel

    @takes_parameters_of(SparkClassifier, ImbalancedForestClassifier)
    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)

    def _fit_blocks(self, local: Any, fit: Fit, table: TableBlocks) -> None:
        fit.forest(local, table)


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
