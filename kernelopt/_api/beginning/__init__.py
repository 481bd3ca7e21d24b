"""Where a run begins: at the centre of its families, or at what some random rows ask for, and with what size."""
