"""The figures to reach, and where they apply: 16 columns, 2 % positives."""

from tables import Shape

KERNEL = {
    200: (0.03, 0.03),
    2_000: (0.03, 0.06),
    20_000: (0.02, 0.04),
    200_000: (0.012, 0.025),
    2_000_000: (0.010, 0.016),
}
"""Rows: time of the kernel for (entropy, adaptive Renyi), scikit-learn's fit = 1."""

ESTIMATOR_200_ROWS = 0.15
PREDICT = 0.40
ONE_ROW_MICROSECONDS = 15.0
EXTRA_MEMORY_2M_ROWS = 0.6
WHATEVER_TABLE = {
    "threshold search": ("exact", 1.0),
    "takeover predict": ("taken over", 1.0),
    "contributions": ("taken over", 0.3),
    "distillation": ("to_tree", 5.0),
    "train": ("train", 150.0),
    "leakage": ("find_leakage", 0.03),
    "model file load": ("load_model", 20.0),
    "model file size": ("save_model", 0.3),
    "csv": ("fit", 3.0),
    "excel": ("read", 2.0),
}
"""Parts: how the name of a contender starts or ends, and what it is to reach on any table."""

FOREST_FIT = {"forest fit, plain": 0.08, "forest fit, balanced": 0.10}
FOREST_FIT_ROWS = (2_000, 20_000, 200_000)
FOREST = {"forest memory": 0.5, "forest predict": 0.25, "forest one row": 0.5}
TUNED_FOREST = {2_000: 1.0, 20_000: 1.0, 200_000: 2.0}
"""Rows: time of the whole default forest, one fit of LightGBM = 1."""
RANDOM_CUTS = {2_000: 1.7, 20_000: 1.5, 200_000: 1.5}
"""Rows: fit of the default forest, that of best cuts alone = 1."""
RANDOM_CUTS_PREDICT = 1.3
BINS = 1.0
TEN_TIMES = 11.0
"""Aims beside RandomForestClassifier; none was set for the size of a pickle."""


def target(part: str, contender: str, shape: Shape) -> float | None:
    """Return the largest figure that is good enough, None where none was set."""
    if part in WHATEVER_TABLE:
        word, most = WHATEVER_TABLE[part]
        return most if contender.startswith(word) or contender.endswith(word) else None
    if shape != Shape(shape.rows):
        return None
    if part == "fit":
        return _fit_target(contender, shape.rows)
    if part == "tuned forest":
        return TUNED_FOREST.get(shape.rows) if contender.startswith("tuned") else None
    if part.startswith("random cuts"):
        most = RANDOM_CUTS.get(shape.rows) if part.endswith("fit") else RANDOM_CUTS_PREDICT
        return most if contender.startswith("half") else None
    if part in ("bins", "ten times the rows"):
        return BINS if part == "bins" else TEN_TIMES
    if part.startswith("forest"):
        return _forest_target(part, contender, shape.rows)
    ours = contender.startswith(("kernel", "estimator"))
    if part == "predict" and ours:
        return PREDICT
    if part == "one row" and contender.startswith("kernel"):
        return ONE_ROW_MICROSECONDS
    if part == "memory" and ours and shape.rows == 2_000_000:
        return EXTRA_MEMORY_2M_ROWS
    return None


def _fit_target(contender: str, rows: int) -> float | None:
    kind, _, criterion = contender.partition(", ")
    if kind == "kernel" and rows in KERNEL:
        return KERNEL[rows][criterion == "adaptive_renyi"]
    if kind == "estimator" and rows == 200:
        return ESTIMATOR_200_ROWS
    return None


def _forest_target(part: str, contender: str, rows: int) -> float | None:
    """Return what the estimator is to reach; parts of its work are shown without an aim."""
    if not contender.startswith("estimator"):
        return None
    if part in FOREST_FIT:
        return FOREST_FIT[part] if rows in FOREST_FIT_ROWS else None
    return FOREST.get(part)
