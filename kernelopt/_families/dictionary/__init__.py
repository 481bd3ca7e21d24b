"""The family of finite lists of kernels: which kernels there are, how their Grams are computed, held and streamed.

`_dictionary` is the family; the other files are imported by it, and by the evidence, which looks at streamed lists.
Nothing here knows what is learned with a list, or who chooses its weights.
"""
