"""Benchmark integrity: are partitions, labels, evaluator and pipeline what they claim to be?"""
