"""From a mixture to new rows: the learned kernel as a callable, the function on it, and how sure that function is.

`Kernel`, `Predictor` and `Posterior` are what the rooms above import.
Nothing here knows how the kernel was found, what was proved of it, or what a file looks like.
"""
