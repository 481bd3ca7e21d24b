"""What every room needs and nothing of kernels: types, errors, checks of input and options, memory, threads, statuses.

Every file may be imported from anywhere. Nothing here imports another room, and nothing here knows what a kernel is.
"""
