"""From files to rows and targets: each format becomes a table, tables are joined, and columns get their roles."""
