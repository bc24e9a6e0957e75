"""The scikit-learn estimator of a forest whose threshold is chosen on out-of-bag votes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from thresher._core import draws_cuts
from thresher.column import Matrix, naming_infinity, refuse_infinity
from thresher.explain.explained import ExplainedMixin, mean_contributions
from thresher.explain.weighed import WeighedTrees
from thresher.forest.distillation import cross_validated, distil
from thresher.forest.leaf_size import LeafSizes, grow_by_leaf_size
from thresher.forest.out_of_bag import need_votes_of_both
from thresher.forest.parameters import AUTO, BOOTSTRAPS, bins_for, checked_rule_of
from thresher.forest.state import ForestState, begin
from thresher.forest.structure import Forest
from thresher.forest.training_rows import NumberedRows, Training, vote
from thresher.frames import frame_kind
from thresher.matrix import Columns
from thresher.progress import progress_bar
from thresher.threshold.by_row import NOTHING, ByRow
from thresher.threshold.counts import Vector
from thresher.threshold.promise import OUT_OF_BAG
from thresher.threshold.rules import Rule
from thresher.threshold.search import ScoredRows
from thresher.threshold.state import ThresholdState
from thresher.threshold.thresholded import ThresholdedMixin
from thresher.tree.classifier import ImbalancedTreeClassifier
from thresher.tree.imitation import check_size, kept_imitation
from thresher.tree.sample import Rows, Sample, describe, read_rows
from thresher.tree.structure import Tree
from thresher.two_classes import threshold_as_number
from thresher.validation import check_integer, thread_count


class Members(Sequence[ImbalancedTreeClassifier]):
    """A forest's trees: `members[3]`, `members[:5]`, `for tree in members`.

    A tree shows the share of positives in its leaves as they are, without the forest's smoothing.
    """

    def __init__(self, forest: "ImbalancedForestClassifier") -> None:
        self._forest = forest

    def __len__(self) -> int:
        return len(self._forest.forest_)

    @overload
    def __getitem__(self, index: int) -> ImbalancedTreeClassifier: ...
    @overload
    def __getitem__(self, index: slice) -> list[ImbalancedTreeClassifier]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._member(i) for i in range(*index.indices(len(self)))]
        return self._member(range(len(self))[index])

    def __repr__(self) -> str:
        return f"<{len(self)} trees>"

    def tree(self, index: int) -> Tree:
        """Return a tree without an estimator around it."""
        return self._forest.forest_.tree(
            index, self._forest.forest_state_.core_options(self._forest)
        )

    def importances(self) -> NDArray[np.float64]:
        """Return each column's share in the weighted gain of splits, averaged over the trees."""
        columns = self._forest.columns_
        shares = [self.tree(index).importances(columns.width) for index in range(len(self))]
        mean = columns.given_shares(np.mean(shares, axis=0))
        return mean / (mean.sum() or 1.0)

    def _member(self, index: int) -> ImbalancedTreeClassifier:
        forest = self._forest
        member = ImbalancedTreeClassifier(pruning=None, random_state=index)
        own = {"random_state", "importance"}
        shared = set(member.get_params()) & set(forest.get_params()) - own
        member.set_params(**{name: getattr(forest, name) for name in shared})
        member.min_samples_leaf = forest.min_samples_leaf_
        member.max_bins = forest.max_bins_
        member.splitter = "random" if draws_cuts(index, forest.random_cuts) else "best"
        describe(member, forest.columns_, forest.classes_, forest.positive_index_)
        member.tree_ = member.unpruned_tree_ = self.tree(index)
        member.threshold_ = threshold_as_number(member.threshold, *member.tree_.weight[0].tolist())
        return member


class ImbalancedForestClassifier(ExplainedMixin, ThresholdedMixin, ClassifierMixin, BaseEstimator):
    """Random forest for two classes of which one is rare, with a threshold tuned out of bag.

    Each tree is grown on rows drawn at random and votes with the share of positives in its leaves,
    also for the training rows that it did not see. `rule` chooses the threshold on the mean of
    these out-of-bag votes, so that no row is held back and nothing is fitted twice.

    Parameters
    ----------
    n_estimators : int, default=400
        Number of trees.
    criterion, alpha, alpha_tolerance, max_depth, max_leaf_nodes, min_samples_leaf, \
min_samples_split, min_weight_fraction_leaf, min_gain, class_weight, \
categorical_features, pos_label
        As in ImbalancedTreeClassifier. A row counts as often as it was drawn. Trees are not pruned.
        `min_samples_leaf="auto"` takes, of 1, 2, 5, 10, ... up to the size of the rarer class, the
        size with the best average precision of out-of-bag votes; it costs two forests at most.
    max_bins : int, None or "auto", default="auto"
        As in ImbalancedTreeClassifier: bins of a column, None for exact values. "auto" is exact up
        to 10,000 rows and takes 255 bins above, where trees are as good and grow faster.
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        Columns to look at in each node, drawn at random; None for all.
    random_cuts : float, default=0.5
        Share of the trees that draw one cut of each column at random (extra-trees) instead of
        looking for the best. Both kinds take turns and err unlike each other; 0 grows a plain
        random forest. Cuts are drawn between the least and the largest value of a node, with bins
        between its first and its last bin.
    bootstrap : {"plain", "stratified", "balanced"} or False, default="stratified"
        Rows of each tree, drawn with replacement: as many as there are; the same within each class;
        of each class as many as the rarer one has. False: all rows.
    smoothing : {"laplace", "m_estimate"} or None, default=None
        How the votes of small leaves are drawn towards 0.5 (one row of each class is added) or
        towards the share of positives (`smoothing_m` rows of the mix of all are added).
    smoothing_m : float, default=2.0
        Rows that "m_estimate" adds. With sample weights a row weighs what it does in
        `min_samples_leaf`.
    rule : str, callable or None, default="f1"
        How the threshold is chosen on out-of-bag votes, see ThresholdClassifier; None: 0.5.
        Without `bootstrap` there are no such votes, and the rule is None, "prior" or "cost".
    beta, cost_fp, cost_fn, gain_tp, gain_tn, floor, per_1000, correct_prior, n_bootstrap, \
confidence, threshold_by, miss, false_alarm, price
        As in ThresholdClassifier. `correct_prior` brings the votes of "balanced" samples and of
        class weights back to the share of positives in the data. With `confidence` a promise is
        made of out-of-bag votes: measured, not exact. For an exact one put a ThresholdClassifier
        with `cv="prefit"` and rows held out around the forest.
    importance : {"impurity", "permutation", "shap"}, default="impurity"
        What `feature_importances_` tells. "permutation" takes one pass over the out-of-bag rows
        for each column during `fit`, "shap" the contributions of all training rows.
    warm_start : bool, default=False
        Keep the trees of the last fit, made with the same parameters and rows, and add to them.
    verbose : int, default=0
        1 shows a progress bar on a terminal.
    random_state : int, RandomState or None, default=None
        Seed of rows and columns. Which rows a tree draws follows from their places, so that a
        forest depends on the order of the rows, unless `bootstrap=False`.
    n_jobs : int, default=None
        Number of threads; the forest does not depend on it.
    mdl_correction : bool, default=False
        As in ImbalancedTreeClassifier.
    pairs : PairFeatures or None, default=None
        As in ImbalancedTreeClassifier; a warm start keeps the columns of the first fit.

    Attributes
    ----------
    estimators_ : sequence of ImbalancedTreeClassifier
        The trees, each made when it is asked for.
    forest_ : Forest
        The packed nodes of all trees.
    forest_state_ : ForestState
        Votes and weights of the training rows, and the seed.
    min_samples_leaf_ : int
        Least rows of a leaf: the parameter, or what "auto" chose.
    max_bins_ : int or None
        Bins of a column: the parameter, or what "auto" chose; None: exact values.
    leaf_sizes_ : LeafSizes
        With "auto": `size` and `precision` of what was tried; not in files.
    threshold_ : float
        A row is positive if and only if its probability is above it.
    thresholds_, row_cuts_ : as in ThresholdClassifier, cuts of groups or rows
    threshold_interval_ : (float, float) or None
        Hull of the 95 % confidence set, as in ThresholdClassifier, on out-of-bag votes.
    threshold_alert_, referred_, promise_
        As in ThresholdClassifier.
    curve_ : data frame
        All measures along the threshold on out-of-bag votes.
    oob_decision_function_ : ndarray of shape (n_samples, 2)
        Out-of-bag probabilities, NaN for rows that every tree saw; these have no say in the
        threshold. Absent without `bootstrap`.
    prior_ : float
        The share of positives that the probabilities stand for.
    threshold_state_ : ThresholdState
        The out-of-bag votes behind the threshold, and the shares of positives.
    imitation_ : ImbalancedTreeClassifier
        Set it to the result of `to_tree` to keep that tree in pickles and model files, where the
        training rows are left behind: `to_tree` then returns it.
    classes_, pos_label_, columns_, n_features_in_, feature_names_in_, pair_features_
        As in ImbalancedTreeClassifier.

    Notes
    -----
    The forest refers to its training table, without a copy where it was a float array, so that
    `to_tree` can imitate it there; the reference is left out when the forest is pickled.

    Examples
    --------
    >>> from thresher import ImbalancedForestClassifier
    >>> from thresher.datasets import load_dataset
    >>> X, y = load_dataset("Yeast-me1")
    >>> model = ImbalancedForestClassifier(100, rule="f1", random_state=0).fit(X, y)
    >>> bool(0 < model.threshold_ < 1), model.predict(X[:3]).tolist()
    (True, [0, 0, 0])
    """

    forest_: Forest
    imitation_: ImbalancedTreeClassifier
    leaf_sizes_: LeafSizes
    columns_: Columns
    n_features_in_: int
    forest_state_: ForestState

    def __init__(
        self,
        n_estimators: int = 400,
        *,
        criterion: str = "adaptive_renyi",
        alpha: float | None = None,
        alpha_tolerance: float = 0.5,
        random_cuts: float = 0.5,
        bootstrap: str | bool = "stratified",
        rule: Any = "f1",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int | str = 2,
        min_samples_split: int = 2,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        max_features: int | float | str | None = "sqrt",
        max_bins: int | str | None = "auto",
        smoothing: str | None = None,
        smoothing_m: float = 2.0,
        class_weight: dict[Any, float] | str | None = None,
        categorical_features: Any = "from_dtype",
        pos_label: Any = None,
        beta: float = 1.0,
        cost_fp: float = 1.0,
        cost_fn: float = 1.0,
        floor: float | None = None,
        per_1000: float | None = None,
        correct_prior: bool = False,
        n_bootstrap: int = 200,
        gain_tp: float = 0.0,
        gain_tn: float = 0.0,
        importance: str = "impurity",
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
        n_jobs: int | None = None,
        mdl_correction: bool = False,
        pairs: Any = None,
        confidence: float | None = None,
        threshold_by: str | None = None,
        miss: float | None = None,
        false_alarm: float | None = None,
        price: float | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.alpha = alpha
        self.alpha_tolerance = alpha_tolerance
        self.random_cuts = random_cuts
        self.bootstrap = bootstrap
        self.rule = rule
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_split = min_samples_split
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.max_features = max_features
        self.max_bins = max_bins
        self.smoothing = smoothing
        self.smoothing_m = smoothing_m
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.beta = beta
        self.cost_fp = cost_fp
        self.cost_fn = cost_fn
        self.floor = floor
        self.per_1000 = per_1000
        self.correct_prior = correct_prior
        self.n_bootstrap = n_bootstrap
        self.gain_tp = gain_tp
        self.gain_tn = gain_tn
        self.importance = importance
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.mdl_correction = mdl_correction
        self.pairs = pairs
        self.confidence = confidence
        self.threshold_by = threshold_by
        self.miss = miss
        self.false_alarm = false_alarm
        self.price = price

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: missing values welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be derived again; `forest_state_` leaves out the training table."""
        state = dict(super().__getstate__())
        state.pop("_leaf_values", None)
        return state

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        cost_fp: Any = None,
        cost_fn: Any = None,
        *,
        X_unlabelled: Any = None,
    ) -> Self:
        """Grow the trees and choose the threshold on their out-of-bag votes.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            pandas, polars, pyarrow or anything that NumPy reads; NaN and null are missing values.
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of a row in trees and in the choice of the threshold. Rows are drawn without
            regard to it; a row of weight 0 is never drawn. The scale of weights that are not all
            whole numbers does not matter.
        X_unlabelled : table, default=None
            More rows to promise a budget of alerts on, of which nobody knows the class.
        cost_fp, cost_fn : array-like of shape (n_samples,) or float, default=None
            As in ThresholdClassifier: costs of each row, for the rules "cost" and "budget".

        Returns
        -------
        self
        """
        rule = checked_rule_of(self)
        self._refuse_to_promise(None, X_unlabelled)
        sample = read_rows(self, X, y, sample_weight)
        by_row = self._read_by_row(X, len(sample.to_grow.is_positive), cost_fp, cost_fn)
        sample.warn_if_few(1 if self.min_samples_leaf == AUTO else int(self.min_samples_leaf))
        before, sample, state = begin(self, sample)
        sample.describe(self)
        training = NumberedRows(sample.to_grow)
        more: dict[str, Any] = {"before": before, "frame": frame_kind(X), "by_row": by_row}
        return self.fit_sample(sample, training, rule, state, X_unlabelled=X_unlabelled, **more)

    def fit_sample(
        self,
        sample: Sample,
        training: Training,
        rule: Rule,
        state: ForestState,
        *,
        before: int = 0,
        frame: str | None = None,
        X_unlabelled: Any = None,
        by_row: ByRow = NOTHING,
    ) -> Self:
        """Grow, choose and judge on rows that are read already, with parameters that are checked.

        `sample.to_grow` tells labels and weights; `training` may hold the same rows in bins.
        """
        self._refuse_to_promise(sample.to_grow.weights)
        if self.min_samples_leaf == AUTO:
            if before:
                state = state.with_leaf_size(self.min_samples_leaf_)
            else:
                grown, self.leaf_sizes_ = grow_by_leaf_size(self, sample, training, state)
                self.forest_, state = grown.forest, grown.state
                before = len(grown.forest)
        self._grow(sample, training, state, before)
        self._choose_threshold(rule, sample, frame, by_row, X_unlabelled)
        if self.importance != "impurity":
            self._find_importances(sample.to_grow, training)
        return self

    @property
    def min_samples_leaf_(self) -> int:
        """Least rows of a leaf: the parameter, or what "auto" chose."""
        check_is_fitted(self, "forest_state_")
        chosen = self.forest_state_.leaf_size
        return int(self.min_samples_leaf) if chosen is None else chosen

    @property
    def max_bins_(self) -> int | None:
        """Bins of a column: the parameter, or what "auto" chose; None: exact values."""
        check_is_fitted(self, "forest_state_")
        return bins_for(self, self.forest_state_.n_rows)

    def _grow(self, sample: Sample, training: Training, state: ForestState, before: int) -> None:
        trees = range(before, int(self.n_estimators))
        for name in ("_leaf_values", "imitation_"):
            self.__dict__.pop(name, None)
        if trees:
            with progress_bar("Growing trees", len(trees), shown=self.verbose > 0) as progress:
                threads = thread_count(self.n_jobs)
                forest, votes = training.grow(
                    state.recipe(self), trees, progress=progress, n_threads=threads
                )
            self.forest_ = self.forest_.extended(forest) if before else forest
            state = state.plus(votes)
        self.forest_state_ = state
        self.node_values()  # now: predict leaves an estimator as it is

    def node_values(self) -> NDArray[np.float64]:
        """Return what each node of `forest_` votes."""
        if "_leaf_values" not in self.__dict__:
            self._leaf_values = self.forest_state_.recipe(self).values(self.forest_)
        return self._leaf_values

    def weighed_trees(self) -> WeighedTrees:
        """Return the trees as an explanation reads them: their sum is the mean vote.

        That is the probability, unless `correct_prior` or `adjust_prior` has moved it.
        """
        check_is_fitted(self, "forest_")
        return self.forest_.weighed(self.node_values(), self.columns_.width)

    def _choose_threshold(
        self, rule: Rule, sample: Sample, frame: str | None, by_row: ByRow, X_unlabelled: Any
    ) -> None:
        rows, state = sample.to_grow, self.forest_state_
        probability, voted = state.votes.probability, state.votes.n_votes > 0
        if self.bootstrap is not False:
            need_votes_of_both(rows.is_positive[voted], self.n_estimators)
        chosen_on = ThresholdState.of(
            probability[voted],
            rows.is_positive[voted].astype(bool),
            None if rows.weights is None else rows.weights[voted],
            state.prior,
            correct_prior=self.correct_prior,
            seed=state.seed,
            frame_kind=frame,
            unseen=OUT_OF_BAG,
            by_row=by_row.take(voted),
        )
        more = None
        if X_unlabelled is not None:
            more = chosen_on.shifted(self._votes(self._matrix(X_unlabelled)))
        self._settle(rule, chosen_on, more)

    def _scored_rows(self, state: ThresholdState) -> ScoredRows:
        if not len(state.scores):
            raise AttributeError(
                "There is no curve without out-of-bag votes; choose bootstrap from "
                f"{', '.join(map(repr, BOOTSTRAPS))}."
            )
        return super()._scored_rows(state)

    def _find_importances(self, rows: Rows, training: Training) -> None:
        state, shown = self.forest_state_, self.verbose > 0
        if self.importance == "shap":
            found = mean_contributions(
                self.weighed_trees(), rows.matrix, rows.weights, thread_count(self.n_jobs)
            )
        else:
            with progress_bar("Permuting columns", self.columns_.width, shown=shown) as progress:
                whole, found = state.votes.average_precision(rows), np.empty(self.columns_.width)
                for column in range(len(found)):
                    votes = vote(self, training, permuted=column)
                    found[column] = whole - votes.average_precision(rows)
                    progress(column + 1)
        self.forest_state_ = replace(state, importances=self.columns_.given_shares(found))

    @property
    def oob_decision_function_(self) -> NDArray[np.float64]:
        """Out-of-bag probabilities, NaN for rows that every tree saw."""
        check_is_fitted(self, "forest_")
        if self.bootstrap is False:
            raise AttributeError("Without bootstrap there are no out-of-bag votes.")
        if self.forest_state_.is_sorted:
            raise AttributeError("The rows of this forest were sorted: votes have lost their rows.")
        return self._both_classes(self.forest_state_.votes.probability)

    @property
    def estimators_(self) -> Members:
        """The trees, each made when it is asked for."""
        check_is_fitted(self, "forest_")
        return Members(self)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importance of each column.

        "impurity": its share in the weighted gain of all splits, averaged over the trees.
        "permutation": by how much the average precision of the out-of-bag votes falls when its
        values change places among the rows left out of each tree; it may fall below 0.
        "shap": the mean over the training rows of its absolute contribution to the mean vote.
        What belongs to a derived column goes half to each of its parts.
        """
        check_is_fitted(self, "forest_")
        if self.importance != "impurity":
            found = self.forest_state_.importances
            if found is None:
                raise NotFittedError(
                    f"importance={self.importance!r} takes effect in fit; fit "
                    f"{type(self).__name__} with it."
                )
            return found
        return self.estimators_.importances()

    def _parts(self) -> list[ImbalancedTreeClassifier]:
        return [self.imitation_] if hasattr(self, "imitation_") else []

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree: nodes of `estimators_[i].tree_`."""
        check_is_fitted(self, "forest_")
        matrix = self._matrix(X)
        members, threads = self.estimators_, thread_count(self.n_jobs)
        leaves = [members.tree(i).leaves(matrix, threads) for i in range(len(members))]
        return np.stack(leaves, axis=1)

    def _matrix(self, X: Any) -> Matrix:
        matrix = self.columns_.matrix(X, type(self).__name__)
        refuse_infinity(matrix)
        return matrix

    def _positive_scores(self, X: Any) -> Vector:
        check_is_fitted(self, "forest_")
        return self.matrix_scores(self.columns_.matrix(X, type(self).__name__))

    def matrix_scores(self, matrix: Matrix) -> Vector:
        """Return the probability of the positive class for rows as `columns_` reads them."""
        return self.threshold_state_.shifted(self._votes(matrix))

    def _votes(self, matrix: Matrix) -> Vector:
        values, threads = self.node_values(), thread_count(self.n_jobs)
        with naming_infinity(matrix):
            return self.forest_.voters.mean(matrix, values, threads)

    def to_tree(
        self,
        max_leaf_nodes: int = 32,
        refer: float = 0.0,
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        cv: int | None = 5,
    ) -> ImbalancedTreeClassifier:
        """Return one tree that imitates the forest's decisions, small enough to read.

        Parameters
        ----------
        max_leaf_nodes : int, default=32
            Most leaves.
        refer : float, default=0.0
            Largest share of rows that the tree may refer to the forest, or to whoever looks
            closer: `decide` answers "alert", "pass" or "refer". It is kept as far as trees that are
            grown without some training rows can tell how many of such rows are referred.
        X, y, sample_weight : as in fit, default=None
            The training rows, for a forest from a file or a pickle; it has left them behind.
        cv : int, default=5
            Folds of the cross-validation behind `distillation_`, each of which grows the forest
            anew; None for no cross-validation.

        Returns
        -------
        ImbalancedTreeClassifier
            `tree_.rows` are the training rows of its nodes with their true labels; its
            probabilities are shares of rows on which the forest alerts. `distillation_` tells its
            fidelity to the forest and its cross-validated F1 (None without `cv`); print it.
            A tree that refers rows has `referred_`, `front_` and `referred_to_`, too.

        Examples
        --------
        >>> from thresher import ImbalancedForestClassifier
        >>> from thresher.datasets import load_dataset
        >>> X, y = load_dataset("Yeast-me1")
        >>> forest = ImbalancedForestClassifier(100, random_state=0).fit(X, y)
        >>> tree = forest.to_tree(max_leaf_nodes=8, cv=None)
        >>> tree.get_n_leaves() <= 8
        True
        >>> tree = forest.to_tree(max_leaf_nodes=8, refer=0.05, cv=None)
        >>> 0.0 < tree.referred_.share <= 0.05
        True
        """
        check_is_fitted(self, "forest_")
        check_size(max_leaf_nodes, refer)
        if cv is not None:
            check_integer("cv", cv, low=2)
        rows = self.forest_state_.training_rows
        if not (X is None and y is None):
            sample = read_rows(self, X, y, sample_weight)
            shape, wanted = sample.to_grow.matrix.shape, self.forest_state_.n_rows
            if shape != (wanted, self.n_features_in_):
                raise ValueError(
                    f"to_tree needs the rows of the fit, {wanted} of {self.n_features_in_} "
                    f"columns; X has {shape[0]} of {shape[1]}."
                )
            rows = sample.with_pairs(self.columns_.derived).to_grow
        if rows is None:
            return kept_imitation(self, max_leaf_nodes, refer)
        tree = distil(self, rows, max_leaf_nodes, refer)
        tree.distillation_ = None
        if cv is not None:
            tree.distillation_ = cross_validated(self, rows, max_leaf_nodes, refer, cv)
        return tree

    @property
    def has_training_rows(self) -> bool:
        """Whether the rows of the fit are at hand; files and pickles leave them out."""
        return self.forest_state_.training_rows is not None
