"""What kernels cost: penalties on the weights of one leaf, sums of them, and their conjugates."""
