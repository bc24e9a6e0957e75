"""What writes files, as operations: the files before, the act, and what a reader finds after it."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from tests.program import run, write_line
from tests.table_factory import Table
from thresher import ImbalancedForestClassifier, load_model, save_model, train
from thresher.cli.train import write_folder
from thresher.plant import PlantModel, Watch
from thresher.study import METRICS, load_study, run_study
from thresher.tables.writing import write_table

LINE = ("--target", "scrap", "--id", "part", "--time", "finished")


class Operation:
    """An act on a folder; `read` returns the files that are not hidden.

    Where it writes several files, `last` is the one that is new only if all are.
    """

    last = None

    def begin(self, folder):
        """Make what is there before the act."""

    def act(self, folder):
        """Change it."""

    def read(self, folder):
        """Return what a user finds, who reads it the way it is meant to be read."""
        files = (one for one in sorted(folder.rglob("*")) if one.is_file())
        named = {str(one.relative_to(folder)): one for one in files}
        hidden = {name for name in named if any(part[0] == "." for part in name.split("/"))}
        return {name: named[name].read_bytes() for name in sorted(set(named) - hidden)}


def command(*arguments):
    """Run a command here; what it says of an error is raised."""
    done = run(*arguments)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    if done.exit_code:
        last = done.stderr.rstrip().splitlines()
        errors = [line for line in last if line.startswith("Error: ")]
        assert errors == last[-1:], done.stderr
        raise OSError(errors[0])


class SaveModel(Operation):
    """`save_model` over an older model."""

    def __init__(self):
        X, y = Table(rows=200, columns=4).numpy()
        self.models = [
            ImbalancedForestClassifier(trees, n_bootstrap=0, random_state=0).fit(X, y)
            for trees in (20, 30)
        ]

    def begin(self, folder):
        self.write(0, folder)

    def act(self, folder):
        self.write(1, folder)

    def write(self, which, folder):
        """Write one of the two models."""
        save_model(self.models[which], folder / "model.thresher")

    def load(self, folder):
        """Read the model that is there."""
        assert len(load_model(folder / "model.thresher").forest_) in (20, 30)

    def read(self, folder):
        self.load(folder)
        return super().read(folder)


class OfPlant(Operation):
    """What works on a trained model of a simulated line, and on the rows of one."""

    def begin(self, folder):
        write_line(folder / "line", 300)
        roles = {"target": "scrap", "id": ["part"], "time": "finished", "folds": 2}
        self.models = [
            train(folder / "line" / "parts.csv", model="tree", ignore=[name], **roles)
            for name in ("leak_rate", "flow")
        ]
        self.write_old(folder)

    def write_old(self, folder):
        self.models[0].save(folder / "model.thresher")


class SavePlant(OfPlant):
    """`PlantModel.save` over an older one."""

    def act(self, folder):
        self.models[1].save(folder / "model.thresher")

    def read(self, folder):
        PlantModel.load(folder / "model.thresher")
        return super().read(folder)


class WriteFolder(OfPlant):
    """What `thresher train` does once the model is trained, over an older folder."""

    last = "out/model.thresher"

    def write_old(self, folder):
        for model in self.models:
            model.report()
        self.write(0, folder)

    def act(self, folder):
        self.write(1, folder)

    def write(self, which, folder):
        """Write the folder of one of the two models."""
        write_folder(self.models[which], folder / "out", report=True)

    def load(self, folder):
        """Read the model that is there."""
        PlantModel.load(folder / "out")

    def read(self, folder):
        self.load(folder)
        return super().read(folder)


class Train(WriteFolder):
    """`thresher train` as a whole."""

    def act(self, folder):
        table, out = folder / "line" / "parts.csv", folder / "out"
        quick = ("--model", "tree", "--ignore", "flow", "--folds", 2)
        command("train", table, *LINE, *quick, "--out", out)


class Predict(OfPlant):
    """`thresher predict --out`, over older predictions."""

    file = "decided.csv"

    def write_old(self, folder):
        super().write_old(folder)
        (folder / self.file).write_bytes(b"old")

    def act(self, folder):
        table = folder / "line" / "parts.csv"
        command("predict", folder / "model.thresher", table, "--out", folder / self.file)


class PredictParquet(Predict):
    """The same to Parquet, which Arrow writes."""

    file = "decided.parquet"


class Report(Predict):
    """`thresher report --out`, over an older page."""

    file = "report.html"

    def act(self, folder):
        table = folder / "line" / "parts.csv"
        arguments = ("report", folder / "model.thresher", table)
        command(*arguments, "--out", folder / self.file)


class SaveWatch(OfPlant):
    """`thresher watch` on a state that has seen the first half of the rows."""

    def write_old(self, folder):
        self.models[0].save(folder / "model.thresher")
        lines = (folder / "line" / "parts.csv").read_text(encoding="utf-8").splitlines(True)
        for name, rows in (("first", lines[1:151]), ("second", lines[151:])):
            (folder / f"{name}.csv").write_text("".join([lines[0], *rows]), encoding="utf-8")
        self.look(folder, "first")

    def act(self, folder):
        self.look(folder, "second")

    def look(self, folder, table):
        """Add the rows of a table to the state."""
        arguments = (folder / "model.thresher", folder / f"{table}.csv")
        command("watch", *arguments, "--state", folder / "watch.json", "--watched", "rate")

    def read(self, folder):
        watch = Watch.load(folder / "watch.json", PlantModel.load(folder / "model.thresher"))
        assert [entry.rows for entry in watch.last.batches] in ([150], [150, 150])
        return super().read(folder)


class WriteCsv(Operation):
    """`write_table`, over an older table."""

    file = "table.csv"

    def begin(self, folder):
        (folder / self.file).write_bytes(b"old")

    def act(self, folder):
        write_table({"a": np.arange(20000.0), "b": np.arange(20000.0)}, folder / self.file)


class WriteParquet(WriteCsv):
    """The same by Arrow."""

    file = "table.parquet"


def scores_of(study):
    """Return all scores of a study that is complete, but for times."""
    assert study.failures == []
    names = (name for name in METRICS if not name.endswith("time"))
    return {name: study.scores(name).values.tolist() for name in names}


class Study(Operation):
    """A study whose file has half of its runs; whoever reads it goes on with it."""

    def begin(self, folder):
        self.study(folder, depths=[1])

    def act(self, folder):
        self.study(folder, depths=[1, 2])

    def study(self, folder, depths):
        methods = {f"depth {depth}": DecisionTreeClassifier(max_depth=depth) for depth in depths}
        random = np.random.default_rng(0)
        X, y = random.normal(size=(90, 3)), np.arange(90) % 6 == 0
        run_study({"table": (X, y)}, methods, folds=3, path=folder / "runs.jsonl", resume=True)

    def read(self, folder):
        self.act(folder)
        assert [path.name for path in folder.iterdir()] == ["runs.jsonl"]
        return scores_of(load_study(folder / "runs.jsonl"))


class NewStudy(Study):
    """The same from the start, with the file to be made."""

    def begin(self, folder):
        pass


class Compare(Operation):
    """`thresher compare --resume` on a folder with half of the runs."""

    def begin(self, folder):
        self.compare(folder, "CDT")

    def act(self, folder):
        self.compare(folder, "CDT,HDDT")

    def compare(self, folder, methods):
        chosen = ("--datasets", "Glass-tableware", "--methods", methods, "--folds", 2)
        command("compare", *chosen, "--resume", "--out", folder)

    def read(self, folder):
        self.act(folder)
        names = sorted(path.name for path in folder.iterdir() if path.name[0] != ".")
        return {"names": names, "scores": scores_of(load_study(folder / "runs.jsonl"))}


OPERATIONS = {
    "save_model": SaveModel,
    "save_plant": SavePlant,
    "write_folder": WriteFolder,
    "train": Train,
    "predict": Predict,
    "predict_parquet": PredictParquet,
    "report": Report,
    "watch": SaveWatch,
    "write_csv": WriteCsv,
    "write_parquet": WriteParquet,
    "study": Study,
    "new_study": NewStudy,
    "compare": Compare,
}
