"""Statistics: arrays in, numbers out. NumPy, SciPy and scikit-learn only."""
