"""A model's file read as what it holds: one model, or one for each of several codes."""

from os import PathLike
from pathlib import Path

from thresher.model_file.file import SeveralModels, read_model
from thresher.plant.coded.model import CodedModel
from thresher.plant.coded.store import codes_in
from thresher.plant.model import PlantModel
from thresher.plant.store import model_file, plant_in


def load_plant(path: str | PathLike[str]) -> PlantModel | CodedModel:
    """Read what `thresher train` wrote, from its file or its folder."""
    place = model_file(Path(path))
    stored = read_model(place)
    if isinstance(stored.model, SeveralModels):
        return CodedModel(*codes_in(stored, f"'{place}'"))
    return PlantModel(*plant_in(stored, f"'{place}'"))
