"""Defects of numbers: how they are written, and what stands where there is none."""

from dataclasses import replace

from tests.tables.dirty.draft import Draft, DraftColumn

TYPOS = ("2x8.1", "12,,3", "#REF!", "err", "1.2.3.4x", "?", "l7.4")


def typo_cells(draft: Draft) -> None:
    """One to three cells of two columns cannot be read."""
    for column in draft.random.sample(draft.numbers, 2):
        for row in draft.draw_rows(draft.random.randint(1, 3)):
            _lose(column, row, draft.random.choice(TYPOS))


def thousands_dots(draft: Draft) -> None:
    """Numbers are 1.234.567,8 between semicolons."""
    draft.delimiter = ";"
    draft.write_numbers(decimal=",", thousands=".")


def thousands_commas(draft: Draft) -> None:
    """Numbers are 1,234,567.8, in quotes where commas separate cells."""
    draft.write_numbers(thousands=",")


def thousands_apostrophes(draft: Draft) -> None:
    """Numbers are 1'234'567.8, as in Switzerland."""
    draft.write_numbers(thousands="'")


def thousands_narrow_spaces(draft: Draft) -> None:
    """Numbers are 1 234 567,8 with narrow spaces that do not break, between semicolons."""
    draft.delimiter = ";"
    draft.write_numbers(decimal=",", thousands="\u202f")


def thousands_spaces(draft: Draft) -> None:
    """Numbers are 1 234 567.8 with plain spaces."""
    draft.write_numbers(thousands=" ")


def thousands_alone(draft: Draft) -> None:
    """The only number is 1.234: a count, or a measurement with three decimals."""
    kept = [column for column in draft.columns if column.meaning != "number"]
    values = [float(1_000 + draft.random.randrange(9_000)) for _ in range(len(draft))]
    counted = DraftColumn("Wert", "number", values, expected_name="Wert")
    draft.columns = [*kept[:2], counted, *kept[2:]]
    draft.delimiter = ";"
    draft.write_numbers(thousands=".")
    draft.why_ambiguous = "1.234 is a count or a measurement, and no other number tells which"


def units_in_cells(draft: Draft) -> None:
    """Three columns have their unit in every cell."""
    with_unit = [column for column in draft.numbers if column.unit not in ("", "%")]
    for column in draft.random.sample(with_unit, 3):
        column.notation = replace(column.notation, unit=f" {column.unit}")


def units_without_space(draft: Draft) -> None:
    """Two columns have their unit in every cell, next to the number."""
    with_unit = [column for column in draft.numbers if column.unit not in ("", "%")]
    for column in draft.random.sample(with_unit, 2):
        column.notation = replace(column.notation, unit=column.unit)


def percent_cells(draft: Draft) -> None:
    """Columns of percentages have the sign in every cell."""
    for column in draft.numbers:
        if column.unit == "%":
            column.notation = replace(column.notation, unit=" %")
            column.is_percent = True


def plus_signs(draft: Draft) -> None:
    """Columns that have negative values mark the positive ones."""
    for column in draft.numbers:
        if min(_known(column)) < 0:
            column.notation = replace(column.notation, has_plus=True)


def sentinel_minus_9999(draft: Draft) -> None:
    """A column is -9999 where its sensor was silent."""
    _silence(draft, "-9999", [column for column in draft.numbers if min(_known(column)) >= 0])


def sentinel_999_9(draft: Draft) -> None:
    """A column with one decimal, of values below 400, is 999.9 where its sensor was silent."""
    low = [column for column in draft.numbers if max(_known(column)) < 400]
    _silence(draft, "999.9", [column for column in low if column.decimals == 1], n_columns=1)


def sentinel_in_range(draft: Draft) -> None:
    """A column that crosses 1000 has 999.9 more often than anything else."""
    column = draft.numbers[0]
    column.decimals, column.unit = 1, "mbar"
    column.values = [round(draft.random.gauss(1_000, 30), 1) for _ in column.values]
    _silence(draft, "999.9", [column], n_columns=1)
    draft.why_ambiguous = "999.9 lies in the range of the column: a measurement or a silent sensor"


def sentinel_dashes(draft: Draft) -> None:
    """Two columns are --- where their sensors were silent."""
    _silence(draft, "---", draft.numbers)


def sentinel_not_available(draft: Draft) -> None:
    """Two columns are n.v. (nicht verfügbar) where their sensors were silent."""
    _silence(draft, "n.v.", draft.numbers)


def sentinel_excel_error(draft: Draft) -> None:
    """Two columns are #N/A where their formulas failed."""
    _silence(draft, "#N/A", draft.numbers)


def sentinel_null(draft: Draft) -> None:
    """Two columns are NULL where the database had nothing."""
    _silence(draft, "NULL", draft.numbers)


def decimal_commas(draft: Draft) -> None:
    """Numbers are 12,5 between semicolons."""
    draft.delimiter = ";"
    draft.write_numbers(decimal=",")


def decimal_commas_in_quotes(draft: Draft) -> None:
    """Numbers are "12,5" between commas."""
    draft.delimiter = ","
    draft.write_numbers(decimal=",")


def mixed_notation(draft: Draft) -> None:
    """Two columns have decimal points where all others have decimal commas."""
    decimal_commas(draft)
    told = [column for column in draft.numbers if column.decimals in (1, 2, 4)]
    for column in draft.random.sample(told, 2):
        column.notation = replace(column.notation, decimal=".")


def _silence(draft: Draft, text: str, among: list[DraftColumn], n_columns: int = 2) -> None:
    """Put a text in place of a twentieth of the rows of some columns."""
    for column in draft.random.sample(among, n_columns):
        for row in draft.draw_rows(len(draft) // 20):
            _lose(column, row, text.replace(".", column.notation.decimal) if "9" in text else text)


def _lose(column: DraftColumn, row: int, text: str) -> None:
    column.values[row] = None
    column.odd[row] = text


def _known(column: DraftColumn) -> list[float]:
    return [value for value in column.values if isinstance(value, float)]
