"""An operation that is tried again and again on copies of one folder, and what it leaves there."""

import shutil
from contextlib import contextmanager

HIDDEN = ".thresher-"


class Trials:
    """Copies of the folder before the operation; what was found in one after a trial."""

    def __init__(self, operation, folder):
        self._operation, self._before, self._place = operation, folder / "before", folder / "place"
        self._before.mkdir(parents=True)
        operation.begin(self._before)
        with self.copy() as place:
            self._old = operation.read(place)
        with self.copy() as place:
            operation.act(place)
            self._new = operation.read(place)

    @contextmanager
    def copy(self):
        """Give a copy that is there for one trial."""
        shutil.copytree(self._before, self._place)
        try:
            yield self._place
        finally:
            shutil.rmtree(self._place)

    def found(self, place):
        """Return "old", "new", "begun" (the last file is old), or what is wrong with the files."""
        try:
            files = self._operation.read(place)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        if files == self._old:
            return "old"
        if files == self._new:
            return "new"
        names = {*files, *self._old, *self._new}
        sides = {name: (self._old.get(name), self._new.get(name)) for name in names}
        last = self._operation.last
        is_begun = last in files and files[last] == self._old[last]
        if is_begun and all(files.get(name) in sides[name] for name in names):
            return "begun"
        differ = sorted(name for name in names if files.get(name) != self._new.get(name))
        return f"neither: {differ} are not of the new ones"


def litter(place):
    """Return the hidden files and folders that stayed."""
    return sorted(one.name for one in place.rglob("*") if one.name.startswith(HIDDEN))
