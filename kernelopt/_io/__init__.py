"""Files and data: models, checkpoints and data sets, in formats that can execute nothing.

`_model_file`, `_checkpoint`, `_bundled` and `_openml` are what the rooms above import.
Nothing here knows how a problem is solved.
"""
