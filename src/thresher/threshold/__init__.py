"""The choice of a threshold, in the order data flows.

`counts` and their metrics; `search`, every cut in one sorted pass; `rules`; `bootstrap` and `curve`
around them; `prior_shift`; `out_of_fold` scores; `classifier`, the estimator. Whoever has scores
can use the former without estimators, so that nothing is imported here.
"""
