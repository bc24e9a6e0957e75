"""Columns of a Spark DataFrame, as floats, doubles, texts or arrays."""

from pyspark.ml.functions import vector_to_array
from pyspark.sql import Column, DataFrame, types
from pyspark.sql import functions as sql

from thresher.scale.arrow_columns import FeatureColumns


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
