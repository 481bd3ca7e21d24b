"""The family of finite lists of kernels: which kernels there are, how their Grams are computed, held and streamed.

`_dictionary` is the family: the options of a list, and the methods that a family has. It asks `_auto` and
`_default_list` which kernels suit rows, `_preprocessing` how kernels see rows, `_kernel_sizes` what each is divided by,
`_combined_kernel` for the kernel that a mixture is, `_hybrid_storage` for sums of Grams that are held, and
`_learned_metrics`, `_width_kernels` and `_tree_kernels` for kernels that may join. None of these knows the
family; `_ready_lists`, `_mean_embedding` and `_streamed`, which is for the evidence, do. Nothing here knows what is
learned with a list, or who chooses its weights.
"""
