"""The verdict says what the numbers say, and no more."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from thresher.condition.clause import Interval
from thresher.condition.condition import Condition
from thresher.condition.evidence import Tally
from thresher.condition.table import ConditionTable
from thresher.judging.hold_out import HoldOut
from thresher.judging.judgement import LEFT_OUT, Fold, Judgement, judged_at, judged_by
from thresher.judging.verdict import (
    Setting,
    judged_words,
    level_of,
    make_verdict,
    name_causes,
    ranking_p,
)
from thresher.threshold.counts import Costs
from thresher.threshold.score_counts import ScoreCounts
from thresher.wording import fixed, number, percent, plain

TRUTH = np.arange(2000) % 20 == 0


def scores(separation, seed):
    noise = np.random.default_rng(seed).normal(size=len(TRUTH))
    return 1 / (1 + np.exp(3.0 - separation * TRUTH - noise))


def folds_of(separation, seed=0, threshold=0.5):
    p, part = scores(separation, seed), np.random.default_rng(seed).permutation(len(TRUTH)) % 5
    pairs = [
        [ScoreCounts.of(p[rows], TRUTH[rows]) for rows in (part != number, part == number)]
        for number in range(5)
    ]
    return [Fold(threshold, "tree", inner, outer, 0.05) for inner, outer in pairs]


def verdict(separation=5.0, setting=None, conditions=None, **others):
    folds = folds_of(separation)
    judgement = judged_by(folds, "in 5 folds", **others)
    return make_verdict(judgement, folds, setting or Setting(0.5), conditions, "scrap")


def found(rates, p_value, n=100, all_hits=500):
    """Return conditions x0 > 0, x1 > 0, ... with unseen rates; the average is 5 % of 10,000."""
    size = len(rates)
    unseen = np.full(size, n)
    hits = np.round(np.array(rates) * n).astype(int)
    return ConditionTable(
        conditions=tuple(Condition((Interval(f"x{k}", low=0.0),), (k,)) for k in range(size)),
        texts=tuple(f"x{k} > 0" for k in range(size)),
        training=Tally(unseen, unseen, 10_000, 500),
        held=Tally(unseen, hits, 10_000, all_hits),
        p_value=np.array(p_value, dtype=float),
        stability=np.full(size, np.nan),
        money=np.full(size, np.nan),
        stages=("press",) * size,
        evidence="hold-out",
        pos_label=1,
    )


def test_noise_is_called_blind():
    levels = []
    for seed in range(40):
        folds = folds_of(0.0, seed)
        levels.append(level_of(judged_by(folds, ""), folds))
    assert levels.count("blind") >= 38


@pytest.mark.parametrize("threshold", [-0.1, 0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    ("separation", "level"), [(6.0, "strong"), (2.5, "fair"), (1.0, "weak"), (0.0, "blind")]
)
def test_levels_go_by_what_can_be_told_whatever_the_threshold(separation, level, threshold):
    folds = folds_of(separation, threshold=threshold)
    assert level_of(judged_by(folds, ""), folds) == level


def test_without_folds_the_level_goes_by_the_decisions():
    for counts, level in (
        ((90, 1, 1, 8), "strong"),
        ((90, 5, 1, 4), "fair"),
        ((90, 9, 9, 1), "weak"),
    ):
        assert level_of(Judgement(*counts, how=""), []) == level


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=5, max_size=60))
def test_the_ranking_of_one_fold_is_that_of_mann_and_whitney(rows):
    score, truth = np.array(rows).T
    expected = 1.0
    if 0 < truth.sum() < len(truth) and len(set(score)) > 1:
        groups = score[truth == 1], score[truth == 0]
        options = {"alternative": "greater", "method": "asymptotic", "use_continuity": False}
        expected = mannwhitneyu(*groups, **options).pvalue
    assert ranking_p([ScoreCounts.of(score, truth)]) == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_every_figure_is_that_of_the_judgement():
    folds = folds_of(5.0)
    judgement = judged_by(folds, "in 5 folds", costs=Costs(5.0, 80.0))
    told = make_verdict(judgement, folds, Setting(0.5), None, "scrap")
    shares = ["recall", "precision", "f1"]
    per_1000 = fixed(judgement.alerts_per_1000, 1)
    saved = judgement.saved_per_1000
    expected = [*(percent(getattr(judgement, name)) for name in shares), per_1000, number(saved)]
    assert [figure["value"] for figure in told.figures] == expected
    for name, figure in zip(shares, told.figures, strict=False):
        low, high = map(percent, judgement.intervals[name])
        assert figure["interval"] == f"{low} to {high}"
        assert plain(f"{figure['value']} ({figure['interval']})") in told.sentences[0]
    assert f"It raises {per_1000} " in told.sentences[1]
    assert str(told).splitlines() == [told.heading, *told.sentences]
    assert told.as_data()["sentences"] == told.sentences


def test_blind_comes_first_and_names_no_cause():
    blind = verdict(0.0, conditions=found([0.9], [0.001]))
    assert "Do not stop rows on its word" in blind.sentences[0]
    assert "do not tell the scrap from the rest" in blind.heading
    assert "x0" not in str(blind)
    assert "x0" in str(verdict(5.0, conditions=found([0.9], [0.001])))


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.04, 0.09, 0.5, 0.9]), st.floats(0.0, 0.1)), max_size=6
    )
)
def test_of_all_conditions_the_first_confirmed_one_alone_is_named(rows):
    table = found([rate for rate, _ in rows], [p for _, p in rows])
    text = " ".join(name_causes(table, "scrap"))
    # With 100 rows and 5 % on average, the interval of 9 % holds the average, that of 50 % not.
    confirmed = [k for k, (rate, p) in enumerate(rows) if p < 0.05 and rate >= 0.5]
    named = [k for k in range(len(rows)) if f"x{k} > 0" in text]
    assert named == confirmed[:1]
    assert ("change nothing for their sake" in text) == (bool(rows) and not confirmed)
    if confirmed and len(rows) > 1:
        verb = "is" if len(confirmed) == 1 else "are"
        which = "It is" if len(confirmed) == 1 else "The one behind most scrap is"
        if 1 < len(confirmed) < len(rows):
            which = "Of the confirmed ones the one behind most scrap is"
        are = f"{len(confirmed)} of {len(rows)} conditions {verb} confirmed"
        assert text.startswith(f"{are}. {which} “")


def test_a_confirmed_condition_is_told_by_its_unseen_rate():
    (words,) = name_causes(found([0.5], [0.01]), "scrap")
    low, high = (percent(end[0]) for end in found([0.5], [0.01]).held.interval)
    assert "“x0 > 0”, known at press" in words
    assert (
        f"that meet it {percent(0.5)} ({low} to {high}) are scrap, against {percent(0.05)}" in words
    )


def test_conditions_that_were_not_tested_are_not_called_unmet():
    tested, table = found([0.5, 0.5], [0.5, 0.5]), found([0.5, 0.5], [np.nan, np.nan])
    unmet = replace(tested, held=table.held._replace(n=np.array([0, 0]), hits=np.array([0, 0])))
    (words,) = name_causes(unmet, "scrap")
    assert words.startswith("No unseen rows met the conditions")
    partly = replace(table, held=table.held._replace(n=np.array([100, 0]), hits=np.array([50, 0])))
    assert not any("No unseen rows met" in words for words in name_causes(partly, "scrap"))
    assert name_causes(replace(table, held=None), "scrap") == []
    assert name_causes(None, "scrap") == []


@pytest.mark.parametrize("word", ["everything", "nothing"])
def test_a_threshold_that_decides_nothing_is_told_in_words(word):
    setting = Setting({"everything": -0.3, "nothing": 1.7}[word], "best F1", alerts_on=word)
    sentences = verdict(setting=setting).sentences
    assert (
        f"Its final threshold (best F1) alerts on {word}, so it decides nothing about rows."
        in sentences
    )
    assert not any("above" in words for words in sentences)


def test_a_threshold_is_told_with_its_rule_interval_and_choice():
    setting = Setting(0.12345, "best F1", (-0.2, 0.4), choice="The tree was chosen.")
    sentences = verdict(setting=setting).sentences
    place = sentences.index("The tree was chosen.")
    assert sentences[place + 1] == (
        "It alerts where the probability is above 0.123 (best F1; 95 % interval 0 to 0.400)."
    )
    assert "above 0.500." in str(verdict())


def test_no_alert_at_all_is_said_in_words():
    folds = folds_of(5.0, threshold=1.0)
    told = make_verdict(judged_by(folds, ""), folds, Setting(1.0), None, "scrap")
    assert "raises no alert on unseen rows, so it finds none of the scrap" in told.sentences[0]
    assert "precision" not in told.sentences[0]


@given(
    counts=st.tuples(*(st.integers(1, 500) for _ in range(4))),
    costs=st.tuples(st.integers(0, 50), st.integers(1, 50)),
)
def test_money_is_counted_against_no_alert(counts, costs):
    tn, fp, fn, tp = counts
    judgement = Judgement(*counts, how="", costs=Costs(*map(float, costs)))
    (words,) = (
        words
        for words in make_verdict(judgement, [], Setting(0.5), None, "scrap").sentences
        if "cost" in words
    )
    rows = sum(counts) / 1000
    spent, silent = (costs[0] * fp + costs[1] * fn) / rows, costs[1] * (fn + tp) / rows
    always = costs[0] * (tn + fp) / rows
    saved = min(silent, always) - spent
    verb = "saves" if saved >= 0 else "loses"
    assert f"{costs[0]} for a false alarm and {costs[1]} for a miss" in words
    told = [
        float(part.replace(",", ""))
        for part in words.replace(";", "").rstrip(".").split()
        if part[:1].isdigit()
    ]
    assert told[2:] == pytest.approx([spent, 1000, silent, always, abs(saved)], abs=0.51)
    assert f"so it {verb} " in words


def test_rows_that_were_never_judged_are_counted():
    assert "2,000 rows: in 5 folds; 1,234 rows were never judged." in str(
        verdict(never_judged=1234)
    )
    assert "never judged" not in str(verdict())
    assert str(verdict()).endswith(LEFT_OUT)


def test_of_steps_in_time_is_told_what_the_first_could_learn_from():
    how = HoldOut(TRUTH, None, True, 5, seed=0).words
    folds = folds_of(5.0)
    told = make_verdict(judged_by(folds, how, never_judged=400), folds, Setting(0.5), None, "scrap")
    assert (
        "The first step could learn from 400 rows, the shipped model from 2,400: early steps may "
        "judge it too low." in told.sentences[-1]
    )
    assert "first step" not in str(verdict(never_judged=400))
    assert "first step" not in judged_words(judged_by(folds, how, never_judged=None))


@pytest.mark.parametrize("is_rare", [TRUTH, TRUTH & (np.arange(2000) > 700)])
def test_the_first_step_learns_from_the_rows_that_none_judges(is_rare):
    splits = HoldOut(is_rare, None, True, 5, seed=0).splits()
    judged = np.concatenate([test for _, test in splits])
    assert len(splits[0][0]) == len(is_rare) - len(judged)


def test_a_threshold_that_the_user_fixed_is_named_as_such():
    folds = folds_of(5.0, threshold=0.5)
    fixed_by_hand = judged_at(folds, 0.2, "in 5 folds")
    told = make_verdict(fixed_by_hand, folds, Setting(0.2), None, "scrap")
    assert "The threshold was fixed by the user." in told.sentences[-1]
    assert "fixed by the user" not in str(verdict())
    expected = sum(int(fold.outer.counts_at(0.2).tp[0]) for fold in folds)
    assert fixed_by_hand.tp == expected > judged_by(folds, "").tp


@pytest.mark.parametrize(
    ("models", "said"),
    [
        (["tree"] * 5, "The folds that judge it chose 0.500 to 0.600, each without"),
        (["forest"] * 5, "Of the 5 folds that judge it, 5 chose another model (the forest):"),
        (
            ["forest", "tree", "boosted trees", "forest", "tree"],
            "Of the 5 folds that judge it, 3 chose another model (the forest, 2 times; the boosted "
            "trees):",
        ),
    ],
)
def test_folds_that_chose_otherwise_are_named(models, said):
    thresholds = [0.5, 0.6, 0.5, 0.5, 0.5]
    folds = [
        replace(fold, model=model, threshold=threshold)
        for fold, model, threshold in zip(folds_of(5.0), models, thresholds, strict=True)
    ]
    setting = Setting(0.5, model="tree")
    sentences = make_verdict(
        judged_by(folds, "in 5 folds"), folds, setting, None, "scrap"
    ).sentences
    assert [said in plain(one) for one in sentences].count(True) == 1


BASIS = "The heading goes by the F1 that a threshold chosen for it would reach, "


@pytest.mark.parametrize(
    ("rule", "is_told"),
    [
        ("best F1", False),
        (None, False),
        ("lowest cost", True),
        ("best precision at recall 0.9", True),
    ],
)
def test_what_the_heading_goes_by_is_told_where_the_rule_is_after_something_else(rule, is_told):
    recall, second, *others = verdict(setting=Setting(0.5, rule)).sentences
    assert "(recall)" in recall
    assert second.startswith(BASIS) == is_told
    assert BASIS not in " ".join(others)


def test_a_fixed_threshold_is_after_something_else_too():
    folds = folds_of(5.0)
    told = make_verdict(judged_at(folds, 0.2, "in 5 folds"), folds, Setting(0.2), None, "scrap")
    assert BASIS in str(told)


def test_the_two_counts_of_alerts_of_a_promise_are_told_apart():
    promised = Setting(0.5, "best F1", promise="Recall is at least 0.9.")
    assert "on the rows that set the final threshold" in str(verdict(setting=promised))
    assert "on the rows that set the final threshold" not in str(verdict())
