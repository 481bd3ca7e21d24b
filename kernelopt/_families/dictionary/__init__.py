"""The family of finite lists of kernels: which kernels there are, how their Grams are computed, held and streamed.

`_dictionary` is the family: the options of a list, and the methods that a family has. It asks the files in `lists/`
which kernels suit rows, those in `columns/` how kernels see rows, those in `grams/` for the Gram of a mixture, and
those in `growth/` for kernels that may join. None of these knows the family; `_ready_lists`, `_mean_embedding` and
`_streamed`, which is for the evidence, do. Nothing here knows what is learned with a list, or who chooses its weights.
"""
