"""Which kernels a list has: those that suit the training rows, and those of a mixture, of another list or of names."""
