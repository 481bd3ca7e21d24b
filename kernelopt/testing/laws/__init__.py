"""The laws of the conformance kit, a subject a file: the suites of families, criteria and solvers are made of them."""
