"""Five clean tables as a plant would keep them: what every dirty table of the corpus is made of.

The measurements are those of bundled data sets and of the simulated line, under names of a plant
and in other units (a factor and an offset), so that each table has whole numbers, 1 to 4 decimals,
values above 1,000 and above 1,000,000, negative and tiny ones, and zeros.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from random import Random
from typing import Any

import numpy as np

from thresher.datasets import load_dataset, make_assembly_line

MEANINGS = ("number", "category", "date", "text", "id", "constant", "label")


@dataclass(frozen=True)
class CleanColumn:
    """A column: floats of a number, else texts; None is missing.

    Attributes
    ----------
    name, meaning, values : what they say; a date is written as 2024-12-31T08:00:00.
    decimals : how many a number has; None where it has two digits and an exponent.
    unit : what the number counts, "" if nothing.
    """

    name: str
    meaning: str
    values: tuple[float | None, ...] | tuple[str | None, ...]
    decimals: int | None = 0
    unit: str = ""


@dataclass(frozen=True)
class CleanTable:
    """Columns of one length and the name of the one that is to be predicted."""

    name: str
    columns: tuple[CleanColumn, ...]
    target: str

    def __len__(self) -> int:
        return len(self.columns[0].values)


def number(
    name: str,
    values: Any,
    decimals: int | None = 0,
    unit: str = "",
    *,
    lost: float = 0.0,
) -> CleanColumn:
    """Make a column of numbers that are equal to what is written; a share of them is lost."""
    random = Random(name)
    digits = (lambda one: float(f"{one:.1e}")) if decimals is None else _rounding(decimals)
    kept = [None if random.random() < lost or one != one else digits(float(one)) for one in values]
    return CleanColumn(name, "number", tuple(kept), decimals, unit)


def _rounding(decimals: int) -> Callable[[float], float]:
    # Adding 0.0 makes 0.0 of -0.0, which no plant writes.
    return lambda one: round(one, decimals) + 0.0


def texts(name: str, meaning: str, values: Iterable[str | None]) -> CleanColumn:
    """Make a column of texts."""
    return CleanColumn(name, meaning, tuple(values))


def times(name: str, rows: int, minutes: int) -> CleanColumn:
    """Make times in whole minutes that rise, with days above 12 in every month they cross."""
    random, now, values = Random(name), datetime(2024, 11, 3, 5, 58), []
    for _ in range(rows):
        now += timedelta(minutes=random.randint(minutes // 2, 2 * minutes))
        values.append(now.isoformat())
    return texts(name, "date", values)


def shifts(name: str, when: CleanColumn, words: tuple[str, str, str]) -> CleanColumn:
    """Make the shift of each time: from 6, from 14 and from 22 o'clock."""
    hours = [datetime.fromisoformat(str(value)).hour for value in when.values]
    return texts(name, "category", [words[(hour - 6) % 24 // 8] for hour in hours])


def choices(name: str, rows: int, levels: tuple[str, ...], lost: float = 0.0) -> CleanColumn:
    """Draw categories; a share of them is lost."""
    random = Random(name)
    drawn = [random.choice(levels) for _ in range(rows)]
    return texts(name, "category", [None if random.random() < lost else one for one in drawn])


def remarks(name: str, rows: int, phrases: tuple[str, ...], share: float = 0.3) -> CleanColumn:
    """Make remarks in free text, most of them of their own; `{}` is a number."""
    random = Random(name)
    written = [random.choice(phrases).format(random.randint(1, 900)) for _ in range(rows)]
    return texts(name, "text", [one if random.random() < share else None for one in written])


def labels(name: str, is_rare: Any) -> CleanColumn:
    """Make the label: nok for the rare class, else ok."""
    return texts(name, "label", ["nok" if one else "ok" for one in is_rare])


def counter(name: str, steps: Any, start: int, unit: str = "") -> CleanColumn:
    """Make a counter that has passed a million."""
    return number(name, start + np.cumsum(np.abs(steps)), 0, unit)


GERMAN_SHIFTS = ("Früh", "Spät", "Nacht")
ENGLISH = (
    "Rework at station {}, seal replaced",
    "Scratch of {} mm",
    'Operator says "too loud", {} checks',
    "Tool changed; sample {} taken",
    "see ticket {}",
)
GERMAN = (
    "Nacharbeit an Station {}, Dichtung getauscht",
    "Kratzer {} µm",
    'Werker meldet "zu laut", Prüfung {}',
    "Werkzeug gewechselt; Muster {} entnommen",
    "Größe prüfen, siehe Störung {}",
)


def pump_line() -> CleanTable:
    """Pumps of the simulated line, with English names."""
    line = make_assembly_line(400, as_frame="pyarrow", random_state=7)
    made = {name: np.array(line.X[name].to_pylist(), dtype=object) for name in line.X.column_names}
    rows = len(line.y)
    sensors = {name: made[name].astype(float) for name in made if name not in _TEXTS}
    finished = times("Finished", rows, 150)
    return CleanTable(
        "pump_line",
        (
            texts("Part number", "id", [f"P-{100_001 + row}" for row in range(rows)]),
            finished,
            shifts("Shift", finished, ("early", "late", "night")),
            texts("Supplier", "category", made["supplier"].tolist()),
            texts("Plant", "constant", ["Plant 2"] * rows),
            number("Hardness", sensors["hardness"], 1, "HV"),
            number("Tool age", sensors["tool_age"], 0, "h"),
            number("Press force", 1_000 * sensors["press_force"] - 45_000, 1, "N"),
            number("Press depth", sensors["press_depth"], 4, "mm"),
            number("Torque", sensors["torque_3"], 2, "Nm"),
            number("Position error", sensors["torque_5"] - 8.0, 2, "mm"),
            number("Humidity", sensors["humidity"], 1, "%"),
            number("Leak rate", 1e-5 * sensors["leak_rate"], None, "mbar l/s"),
            number("Retries", np.maximum(0, sensors["runout_3"] - 11), 0),
            counter("Energy meter", 25 * sensors["press_force"], 4_250_117, "Wh"),
            choices("Leak tested", rows, ("true", "true", "false")),
            remarks("Remark", rows, ENGLISH),
            labels("Result", line.y),
        ),
        "Result",
    )


_TEXTS = ("shift", "supplier", "seal")


def inspection() -> CleanTable:
    """Pictures of moulded parts, with German names; the numbers are those of Pageblocks0."""
    X, y = load_dataset("Pageblocks0")
    X, y = X[5::13], y[5::13]
    rows = len(y)
    captured = times("Zeitstempel", rows, 120)
    return CleanTable(
        "inspection",
        (
            captured,
            texts("Teilenummer", "id", [f"T24-{7 * row + 20_011}" for row in range(rows)]),
            choices("Kavität", rows, tuple("12345678")),
            shifts("Schicht", captured, GERMAN_SHIFTS),
            texts("Kamera", "constant", ["CAM-03"] * rows),
            number("Höhe", X[:, 0], 0, "px"),
            number("Breite", X[:, 1], 0, "px", lost=0.03),
            number("Fläche", X[:, 2], 0, "px²"),
            number("Exzentrizität", X[:, 3], 3),
            number("Schwarzanteil", 100 * X[:, 4], 1, "%"),
            number("Helligkeit", 8.5 * X[:, 6] + 0.5, 2, "lx", lost=0.04),
            number("Drift", X[:, 5] - 0.75, 4, "mm"),
            number("Rauschen", 1e-6 * X[:, 9], None, "V"),
            number("Fehlerpixel", np.maximum(0, X[:, 7] - 300), 0, "px"),
            counter("Bildzähler", X[:, 8], 1_900_220),
            choices("Freigabe", rows, ("true", "true", "true", "false")),
            labels("Prüfergebnis", y),
            remarks("Bemerkung", rows, GERMAN),
        ),
        "Prüfergebnis",
    )


def glass_melts() -> CleanTable:
    """Melts of glass, every second one sampled twice, with English names; the numbers are Glass."""
    X, y = load_dataset("Glass-containers")
    X, y = np.concatenate([X, X[::2]]), np.concatenate([y, y[::2]])
    rows = len(y)
    oxides = ("Sodium", "Magnesium", "Aluminium", "Silicon", "Potassium", "Calcium", "Barium")
    return CleanTable(
        "glass_melts",
        (
            texts("Sample", "id", [str(4_711_003 + 4 * row) for row in range(rows)]),
            times("Sampled at", rows, 170),
            texts("Furnace", "constant", ["F2"] * rows),
            choices("Lab", rows, ("Aachen", "Jena", "Sheffield"), lost=0.04),
            number("Refractive index", X[:, 0], 4),
            *(number(name, X[:, 1 + place], 2, "%") for place, name in enumerate(oxides)),
            number("Iron", 1e-4 * X[:, 8] + 2e-5, None, "kg"),
            number("Pull rate", 912.5 * X[:, 6] - 2_000, 1, "kg/d", lost=0.03),
            number("Temperature deviation", 4 * (X[:, 1] - 13.4), 1, "°C"),
            number("Bubbles", 10 * X[:, 5], 0),
            counter("Gas meter", 31 * X[:, 4], 2_804_511, "m³"),
            choices("Stirred", rows, ("true", "false")),
            remarks("Comment", rows, ENGLISH, 0.2),
            labels("Verdict", y),
        ),
        "Verdict",
    )


def motor_bench() -> CleanTable:
    """Motors on a test bench, with German names; the numbers are those of Yeast."""
    X, y = load_dataset("Yeast-vac-vs-nuc")
    rows = len(y)
    tested = times("Prüfzeit", rows, 90)
    return CleanTable(
        "motor_bench",
        (
            texts("Seriennummer", "id", [f"M{10_471 + 3 * row}" for row in range(rows)]),
            tested,
            choices("Prüfstand", rows, ("PS1", "PS2", "PS3", "PS4")),
            shifts("Schicht", tested, GERMAN_SHIFTS),
            CleanColumn("Nenndrehzahl", "constant", (1500.0,) * rows, 0, "1/min"),
            number("Drehmoment", 100 * X[:, 0] + 0.3, 1, "Nm", lost=0.03),
            number("Druck", 4_000 * X[:, 1] - 500, 1, "mbar"),
            number("Weg", 12 * X[:, 2] + 0.0043 * X[:, 0], 4, "mm"),
            number("Temperaturabweichung", 30 * (X[:, 3] - 0.2), 1, "°C"),
            number("Wirkungsgrad", 100 * X[:, 6], 1, "%", lost=0.03),
            number("Leckrate", 3e-5 * X[:, 1], None, "mbar l/s"),
            number("Stufe", 6 * X[:, 5], 0),
            counter("Lastwechsel", 9_000 * X[:, 0], 1_203_400),
            choices("Dicht", rows, ("true", "true", "false")),
            remarks("Hinweis", rows, GERMAN, 0.4),
            labels("Ergebnis", y),
        ),
        "Ergebnis",
    )


def press_shop() -> CleanTable:
    """Orders of a press shop, with English names; the numbers are those of Letter."""
    X, y = load_dataset("Letter-A")
    X, y = X[:350], y[:350]
    rows = len(y)
    started = times("Start", rows, 240)
    return CleanTable(
        "press_shop",
        (
            labels("Quality", y),
            texts("Order", "id", [f"45{11_307 + 2 * row}-010" for row in range(rows)]),
            started,
            shifts("Shift", started, ("A", "B", "C")),
            choices("Cavity", rows, tuple("1234"), lost=0.03),
            texts("Machine", "constant", ["Press 17"] * rows),
            number("Strokes", 187 * X[:, 0] + X[:, 1] + 400, 0),
            number("Rejects", X[:, 2], 0),
            number("Oil temperature", 3.1 * X[:, 6] + 25.5, 1, "°C", lost=0.04),
            number("Peak force", 1_234.56 * X[:, 4] + 310.25, 2, "N"),
            number("Gap", 0.1003 * X[:, 3] + 0.2, 4, "mm"),
            number("Offset", 0.25 * (X[:, 7] - 6), 2, "mm"),
            number("Ram speed", 40.5 * X[:, 8] + 120, 1, "mm/s"),
            number("Oil flow", 2e-6 * X[:, 9] + 1.5e-6, None, "m³/s"),
            counter("Stroke counter", 187 * X[:, 0], 7_400_019),
            choices("Guard closed", rows, ("true", "true", "true", "true", "false")),
            remarks("Operator note", rows, ENGLISH, 0.25),
        ),
        "Quality",
    )


@cache
def clean_tables() -> dict[str, CleanTable]:
    """Return the five tables by name."""
    made = (pump_line(), inspection(), glass_melts(), motor_bench(), press_shop())
    return {table.name: table for table in made}
