"""The evidence: the likelihood of the targets under a Gaussian process, whose kernel is learned without any tuning.

`_contract` is what a criterion with a concave term owes, `_criterion` the evidence itself, `_scoring` and `_reweighted`
its solvers; the other files belong to these.
Nothing here knows what a user typed, or a plugin; no other room asks whether an objective is one of this kind.
"""
