"""Classes under the evidence: the logistic mode around a learned kernel, and how sure predictions of classes are."""
