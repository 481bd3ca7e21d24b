"""The options of each command, one file for each: what they mean is in the files that the commands call."""
