"""What is learned, given a kernel: the contract, the dual set of one output, and one criterion in each file.

A criterion's author needs `_contract` and `_dual_qp`; `_kkt` and `_multipliers` are what the criteria share.
Nothing here optimises anything, and nothing here knows how a kernel is chosen.
"""
