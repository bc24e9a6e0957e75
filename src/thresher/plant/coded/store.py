"""The models of several codes in one model file, with conditions, facts and report as notes."""

from pathlib import Path
from typing import Any, NamedTuple

from thresher.errors import ModelFileError
from thresher.model_file.file import (
    SeveralModels,
    StoredModel,
    read_model,
    to_bytes,
    write_model,
)
from thresher.model_file.record import Record, damage_told, require, require_characters
from thresher.plant.coded.facts import CodedFacts
from thresher.plant.model import PlantModel
from thresher.plant.store import StoredPlant, model_file, plant_in, with_notes


class StoredCodes(NamedTuple):
    """What a file holds: the fields of a CodedModel."""

    models: dict[str, PlantModel]
    facts: CodedFacts
    summary: dict[str, Any] | None = None


def write_codes(stored: StoredCodes, path: Path) -> None:
    """Write the models to a file."""
    write_model(_together(stored), path)


def codes_bytes(stored: StoredCodes) -> bytes:
    """Return the content of their file."""
    return to_bytes(_together(stored))


def _together(stored: StoredCodes) -> StoredModel:
    parts = [
        with_notes(StoredPlant(model.estimator, model.reader, model.conditions, model.facts))
        for model in stored.models.values()
    ]
    notes = {
        "codes": [
            {"code": code, "notes": part.notes}
            for code, part in zip(stored.models, parts, strict=True)
        ],
        "facts": stored.facts.as_data(),
        "summary": stored.summary,
    }
    return StoredModel(SeveralModels(tuple(part.model for part in parts)), notes)


def read_codes_file(path: Path) -> StoredCodes:
    """Read models from a file or a folder; whatever is wrong with it is said in one sentence."""
    path = model_file(path)
    return codes_in(read_model(path), f"'{path}'")


def codes_in(stored: StoredModel, name: str) -> StoredCodes:
    """Return what the content of a file says of several codes; `name` is for messages."""
    if not isinstance(stored.model, SeveralModels):
        raise ModelFileError(
            f"{name} holds one model, not one for each of several reason codes; read it with "
            "thresher.plant.PlantModel.load."
        )
    with damage_told(name, "train it again"):
        record = Record(stored.notes, "notes")
        require_characters(stored.notes, "notes")
        parts = record.records("codes")
        require(len(parts) == len(stored.model.models), "its models and its codes do not agree")
        facts = CodedFacts.from_record(record.record("facts"))
        codes = [part.text("code") for part in parts]
        judged = {one.code for one in facts.pareto.codes}
        are_known = len(set(codes)) == len(codes) and judged.issuperset(codes)
        require(are_known, "its codes are not those that were judged")
        summary = dict(record.record("summary").data) if record.has("summary") else None
        notes = [part.record("notes").data for part in parts]
    models = {}
    for code, estimator, own in zip(codes, stored.model.models, notes, strict=True):
        plant = PlantModel(*plant_in(StoredModel(estimator, own), name))
        with damage_told(name, "train it again"):
            is_own = str(plant.estimator.pos_label_) == code and plant.facts.judgement is not None
            require(is_own, f"the model of the code {code[:80]!r} finds something else")
        models[code] = plant
    return StoredCodes(models, facts, summary)
