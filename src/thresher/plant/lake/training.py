"""Training on Parquet files whose rows stay where they are.

Candidates are grown on the first files and compared on later ones, which choose the threshold too;
the chosen one is grown again on both. The last files choose nothing: they judge, and test what the
conditions say.
"""

import logging
from collections.abc import Iterator, Sized
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from thresher.condition.table import ConditionTable
from thresher.errors import ParameterError, TableError
from thresher.judging.candidates import Candidate, Candidates
from thresher.judging.competitor import competitors
from thresher.judging.contest import Standing
from thresher.judging.facts import Facts
from thresher.judging.judgement import Fold, Judgement, judged_by, reachable_f1
from thresher.judging.recipe import AUTO, Recipe
from thresher.judging.row_prints import RowPrints, row_hashes
from thresher.judging.verdict import terms_of
from thresher.plant.lake.columns import ColumnCounts, KnownColumns, Prints, texts_and_numbers
from thresher.plant.lake.evidence import (
    ConditionCounts,
    NodeCounts,
    condition_table,
    conditions_on,
    reader_on,
)
from thresher.plant.lake.fitting import KINDS, Workshop
from thresher.plant.lake.lake import Lake
from thresher.plant.lake.report import LakeOrigin
from thresher.plant.lake.rows import Block
from thresher.plant.lake.scores import Decisions, ScoreTally, scores_of
from thresher.plant.lake.table import LakeTable
from thresher.plant.model import PlantModel
from thresher.plant.training_table import Roles
from thresher.tables.features import Features
from thresher.threshold.promise import OUT_OF_FOLD
from thresher.threshold.rules import RuleNotMetError
from thresher.threshold.score_counts import ScoreCounts
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.wording import number

logger = logging.getLogger("thresher.plant")


class Contender(NamedTuple):
    """A candidate with its scores of the choosing rows, and the threshold chosen on them."""

    candidate: Candidate
    fitted: Any
    scores: ScoreCounts
    threshold: float
    standing: Standing | None = None


class Found(NamedTuple):
    """What was found in the training rows beside the model."""

    reader: ImbalancedTreeClassifier
    conditions: ConditionTable
    known: KnownColumns
    prints: RowPrints


class Judged(NamedTuple):
    """The rows that chose nothing: decisions about them, and what they say of the conditions."""

    fold: Fold
    judgement: Judgement
    conditions: ConditionTable


def refuse(recipe: Recipe, roles: Roles, time_budget: float | None, settings: Sized = ()) -> None:
    """Raise where something was asked for that needs the table in memory."""
    for parameter, is_given in (
        (f"model={recipe.model!r}", recipe.model not in (AUTO, *KINDS)),
        ("rule='refer'", recipe.rule == "refer"),
        ("group=", roles.group is not None),
        ("threshold_by=", recipe.threshold_by is not None),
        ("cost_fn_column=", recipe.cost_fn_column is not None),
        ("cost_fp_column=", recipe.cost_fp_column is not None),
        ("time_budget=", time_budget is not None),
        ("settings=", len(settings) > 0),
    ):
        if is_given:
            raise ParameterError(f"{parameter} needs the table in memory: add stream=False.")


@dataclass(frozen=True)
class LakeTraining:
    """A training whose rows stay in their files.

    Attributes
    ----------
    table : the rows.
    recipe : how models are made.
    memory : bytes for binned rows and counts, None for half of the machine's memory.
    """

    table: LakeTable
    recipe: Recipe
    memory: int | None = None

    @property
    def workshop(self) -> Workshop:
        """What fits need beside rows."""
        return Workshop(self.table.reader, self.memory, self.recipe.jobs)

    def _blocks(self, lake: Lake, text: str) -> Iterator[Block]:
        return self.table.reader.blocks(lake, text)

    def tell(self) -> None:
        """Say what is going to be done, and how much memory it takes."""
        for remark in self.table.suspects.sentences:
            logger.warning(remark)
        rows, positives = self.table.trained_on
        logger.info(
            f"Training on {number(rows)} rows, {number(positives)} of them "
            f"{str(self.table.positive)!r}; judged on {self.table.judging.which}"
        )
        has_forest = self.recipe.model != "tree"
        logger.info(self.workshop.need(self.table.judging.early, has_forest=has_forest))

    # ------------------------------------------------------------------------------ choose and fit

    def candidates(self) -> list[Candidate]:
        """Return what competes, the simplest first."""
        features = Features(None, self.table.reader.names, "from_dtype")
        return Candidates(
            self.recipe, features, self.table.positive, may_vote=False, kinds=KINDS
        ).listed()

    def contenders(self) -> list[Contender]:
        """Grow all candidates on the first rows, and let each choose its threshold on later ones.

        A forest that does not fit into memory is left out where trees compete with it.
        """
        early, late, _ = self.table.choosing
        grown: list[tuple[Candidate, Any]] = []
        with self.workshop.opened(early) as bench:
            for candidate in self.candidates():
                try:
                    grown.append((candidate, bench.fitted(candidate.estimator)))
                except TableError as error:
                    if not grown or isinstance(candidate.estimator, ImbalancedTreeClassifier):
                        raise
                    logger.warning(f"The {candidate.name} does not compete: {error}")
        tallies = [ScoreTally() for _ in grown]
        for block in self._blocks(late, "choosing thresholds"):
            matrix = block.matrix(grown[0][1].columns_)
            for (_, fitted), tally in zip(grown, tallies, strict=True):
                tally.add(scores_of(fitted, matrix), block.is_positive)
        return self._with_thresholds(grown, [tally.counts() for tally in tallies])

    def _with_thresholds(self, grown: Any, scores: list[ScoreCounts]) -> list[Contender]:
        """Return the candidates on which the rule can be met; raise where it is met on none."""
        found, missed = [], None
        for (candidate, fitted), counts in zip(grown, scores, strict=True):
            try:
                threshold = self.recipe.make_rule().choose(
                    counts.cuts(), self.table.trained_on.share
                )
                found.append(Contender(candidate, fitted, counts, threshold))
            except RuleNotMetError as error:
                missed = error
        if not found:
            assert missed is not None
            raise missed
        return found

    def choose(self, rivals: list[Contender]) -> Contender:
        """Return the simplest candidate within the noise of the best; `rivals` get standings."""
        decisions = self._decisions(rivals)
        contest, entries = decisions.comparison(
            [one.candidate.complexity for one in rivals], self.recipe.values, self.recipe.seed
        )
        standings = contest.standings(entries)
        rivals[:] = [
            one._replace(standing=standing) for one, standing in zip(rivals, standings, strict=True)
        ]
        return rivals[contest.winner(entries, standings)]

    def _decisions(self, rivals: list[Contender]) -> Decisions:
        """Count the choosing rows by what each candidate decides; of one alone it is known."""
        decisions = Decisions([one.threshold for one in rivals])
        if len(rivals) == 1:
            decisions.add_counts(rivals[0].scores.counts_at(rivals[0].threshold))
            return decisions
        for block in self._blocks(self.table.choosing.late, "comparing candidates"):
            matrix = block.matrix(rivals[0].fitted.columns_)
            decisions.add([scores_of(one.fitted, matrix) for one in rivals], block.is_positive)
        return decisions

    def fit(self, chosen: Contender) -> Any:
        """Return the chosen candidate, grown on all training rows, with its threshold."""
        with self.workshop.opened(self.table.judging.early) as bench:
            final = bench.fitted(chosen.candidate.estimator)
        final.threshold_ = chosen.threshold
        # Tables of texts call classes by their texts.
        final.rename_classes({label: str(label) for label in final.classes_})
        final.pos_label = str(final.pos_label_)
        return final

    # --------------------------------------------------------------------------- look and judge

    def look(self, final: Any) -> Found:
        """Read the conditions, and count them and the columns on all training rows."""
        matrix = final.columns_.matrix(self.table.learnt_sample, "train")
        is_positive = self.table.reader.truth(self.table.sample)
        reader = reader_on(final, matrix, is_positive)
        conditions = conditions_on(reader, matrix, is_positive)
        columns = final.columns_
        counts, nodes = ConditionCounts(conditions, columns.wide_names), NodeCounts(reader.tree_)
        known, prints = (
            KnownColumns(columns, ColumnCounts(len(columns)), self.table.learnt_sample),
            Prints(),
        )
        for block in self.table.reader.blocks(
            self.table.judging.early, "counting conditions and columns"
        ):
            matrix = block.matrix(columns)
            counts.add(matrix, block.is_positive)
            nodes.add(matrix, block.is_positive)
            known.counts.add(matrix)
            labels = np.where(block.is_positive, *(str(one) for one in self._both(final)))
            prints.add(row_hashes(texts_and_numbers(block.X, columns), labels.tolist()))
        if reader is not final:
            reader.tree_ = reader.unpruned_tree_ = nodes.counted()
            final.imitation_ = reader
        table = condition_table(
            conditions, counts.tally(), known.complete, self.table.stations, final.pos_label_
        )
        return Found(reader, table, known, prints.found())

    @staticmethod
    def _both(final: Any) -> tuple[Any, Any]:
        """Return the positive class and the other one."""
        place = final.positive_index_
        return final.classes_[place], final.classes_[1 - place]

    def judge(self, final: Any, chosen: Contender, found: Found) -> Judged:
        """Decide about the rows that chose nothing, and test the conditions there."""
        scores = ScoreTally(chosen.threshold)
        counts = ConditionCounts(found.conditions.conditions, final.columns_.wide_names)
        for block in self.table.reader.blocks(
            self.table.judging.late, "judging on the rows held out"
        ):
            matrix = block.matrix(final.columns_)
            scores.add(scores_of(final, matrix), block.is_positive)
            counts.add(matrix, block.is_positive)
        fold = Fold(
            chosen.threshold,
            chosen.candidate.name,
            chosen.scores,
            scores.counts(),
            self.table.trained_on.share,
        )
        never, costs = self.table.trained_on.rows, self.recipe.costs
        judgement = judged_by([fold], self.held_out, never_judged=never, costs=costs)
        tested = found.conditions.tested_by(counts.tally())
        if costs is not None:
            tested = tested.with_costs(costs.fp, costs.fn)
        return Judged(fold, judgement, tested)

    @property
    def held_out(self) -> str:
        """How rows were held out, in words."""
        return f"{self.table.judging.which} held out, which chose nothing"


def train_lake(
    training: LakeTraining,
    *,
    unit: str | None = None,
    event: str | None = None,
    title: str | None = None,
    description: str | None = None,
) -> PlantModel:
    """Train a model on a lake, judge it on the last rows, and read its conditions."""
    table = training.table
    training.tell()
    rivals = training.contenders()
    if len(rivals) > 1:
        which = table.choosing.which
        logger.info(f"Comparing {len(rivals)} candidates on {which} of the training ...")
    chosen = training.choose(rivals)
    logger.info(f"Growing the {chosen.candidate.name} on all training rows ...")
    final = training.fit(chosen)
    found = training.look(final)
    judged = training.judge(final, chosen, found)
    facts = make_facts(training, rivals, chosen, found, judged)
    terms = terms_of(unit, event, table.roles.target, str(table.positive))
    origin = LakeOrigin(
        table.judging.late, table.reader, found.known, table.roles.time, title, description
    )
    return PlantModel(
        final, found.reader, judged.conditions, replace(facts, terms=terms), origin=origin
    )


def make_facts(
    training: LakeTraining,
    rivals: list[Contender],
    chosen: Contender,
    found: Found,
    judged: Judged,
) -> Facts:
    """Return what is known of a training."""
    from thresher import __version__

    table, fold = training.table, judged.fold
    return Facts(
        target=table.roles.target,
        positive=str(table.positive),
        rows=table.trained_on.rows + table.judged_on.rows,
        positives=table.trained_on.positives + table.judged_on.positives,
        recipe=training.recipe,
        held_out=training.held_out,
        judgement=judged.judgement,
        folds=(fold,),
        scores=chosen.scores,
        threshold_interval=training.recipe.interval(chosen.scores),
        promise=training.recipe.promise(chosen.scores, chosen.threshold, OUT_OF_FOLD),
        reachable_f1=reachable_f1([fold]),
        candidates=competitors(rivals, chosen, training.recipe.measure),
        stations=table.stations,
        prints=found.prints,
        columns=found.known.summaries(),
        remarks=tuple(table.suspects.sentences),
        library=__version__,
    )
