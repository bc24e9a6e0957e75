"""A fitted model after a round through the bytes of its file, as it is or with a changed header."""

import json
import tempfile
from pathlib import Path

from thresher import load_model, save_model
from thresher.model_file.container import pack, unpack


def copied(model):
    """Return what a file keeps of a model."""
    return changed(model, lambda description: None)


def changed(model, change):
    """Return what is read of a sealed file whose description of the model was changed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.thresher")
        save_model(model, path)
        contents = unpack(path.read_bytes())
        data = json.loads(contents.document)
        change(data["model"])
        path.write_bytes(pack(json.dumps(data, separators=(",", ":")), contents.arrays))
        return load_model(path)
