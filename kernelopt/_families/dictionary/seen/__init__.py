"""What a kernel sees of a row: all columns or some, codes of categories, leaves of trees, seasons of dates.

Nothing here knows a kernel.
"""
