"""What a user passes as rows becomes a table, column by column: numbers, dates, numbers with units, and categories.

The reading of a column has one owner here, and so have the notes and errors about it.
"""
