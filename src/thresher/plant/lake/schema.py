"""One schema for files that were written at different times."""

from collections.abc import Sequence
from typing import Any

from thresher.errors import TableError


def one_schema(files: Sequence[str], schemas: Sequence[Any], target: str) -> Any:
    """Return the columns of the first file, with types that hold the values of all files.

    Raises
    ------
    TableError
        Where files have other columns than the first, or types that do not go together.

    Examples
    --------
    >>> import pyarrow as pa
    >>> whole, halves = pa.schema([("speed", pa.int64())]), pa.schema([("speed", pa.float64())])
    >>> one_schema(["a", "b"], [whole, halves], "speed").field("speed").type
    DataType(double)
    """
    import pyarrow as pa

    if not any(target in schema.names for schema in schemas):
        raise TableError(f"The files have no column {target!r}.")
    names = schemas[0].names
    for file, schema in zip(files, schemas, strict=True):
        _refuse_other(file, schema.names, files[0], names)
    return pa.schema([(name, _one_type(name, files, schemas)) for name in names])


def _refuse_other(file: str, names: Sequence[str], first: str, wanted: Sequence[str]) -> None:
    lacks = [name for name in wanted if name not in names]
    more = [name for name in names if name not in wanted]
    if lacks:
        raise TableError(
            f"'{file}' has other columns than '{first}': it lacks {lacks[0]!r}; add it, or leave "
            "the file out."
        )
    if more:
        raise TableError(
            f"'{file}' has other columns than '{first}': {more[0]!r} is new in it; leave the "
            "column out of all files, or the file."
        )


def _one_type(name: str, files: Sequence[str], schemas: Sequence[Any]) -> Any:
    import pyarrow as pa

    found = pa.schema([(name, pa.null())])
    types = {str(schema.field(name).type): schema.field(name).type for schema in schemas}
    if len(types) == 1:
        return next(iter(types.values()))
    for file, schema in zip(files, schemas, strict=True):
        one = pa.schema([(name, _plain(schema.field(name).type))])
        try:
            found = pa.unify_schemas([found, one], promote_options="permissive")
        except pa.ArrowException:
            raise TableError(
                f"Column {name!r} is {one.field(0).type} in '{file}' and {found.field(0).type} in "
                "files before it; write it alike in all of them."
            ) from None
    return found.field(0).type


def plain_schema(schema: Any) -> Any:
    """Return a schema without dictionaries, which may differ from part to part."""
    import pyarrow as pa

    return pa.schema([(field.name, _plain(field.type)) for field in schema])


def _plain(kind: Any) -> Any:
    """Return the type of the values of a dictionary; files may have some with and without."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if pa.types.is_large_string(kind) else kind
