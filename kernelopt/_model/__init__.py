"""What is kept of a run: the solution that a user gets, and the model that a file keeps of it.

`Solution` and `Model` are what the rooms above import.
Nothing here knows a file, a picture or an estimator but through `_doors`, which imports them when a user asks.
"""
