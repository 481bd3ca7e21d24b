"""The problem, its two bounds, and the one loop: min over kernels, max over dual variables.

`_problem` asks both questions, `_objective` says what is minimised, `_contract` is what a solver owes, `_loop` runs it.
Nothing here knows any solver, any plugin, or what a user typed.
"""
