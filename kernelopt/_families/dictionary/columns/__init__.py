"""How a list sees a table: numbers in one unit, categories as indicators, numbers that may be names.

What is learned of the training rows here is applied to all other rows in the same way.
"""
