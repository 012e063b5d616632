"""Benchmark integrity: partitions, labels, evaluator, pipeline, each held to what it claims."""
