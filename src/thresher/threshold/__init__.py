"""The choice of a threshold, in the order data flows.

`counts` and their metrics, `costs`; `search`, every cut in one sorted pass; `plain_rules`;
`promised_cut`, `promise` and `promised_rule`, what a cut can promise; `rules` by name;
`poisson_samples` and `confidence_set`, how sure a threshold is; `curve`; `prior_shift`; `unseen`
scores; `classifier`, the estimator. Whoever has scores can use the former without estimators, so
that nothing is imported here.
"""
