"""The choice of a threshold, in the order data flows.

`counts`, their metrics and costs; `search`, every cut in one sorted pass; `promise`, what a cut can
promise; `rules` by name; `confidence_set`, how sure a threshold is; `prior_shift`; `unseen` scores;
`classifier`, the estimator. Whoever has scores can use the former without estimators, so that
nothing is imported here.
"""
