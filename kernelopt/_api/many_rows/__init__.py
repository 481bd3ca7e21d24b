"""Rows beyond what Grams can have: the kernel is learned from a sample, and landmarks sum up all rows.

`_begun`, `_fit` and `_result` are the way from a request to a solution. The other files decide whether the whole
kernel predicts in place of its landmarks (`_rough`, `_roughness`), and find its machine (`_whole`, `_remainder`,
`_deviation`).
"""
