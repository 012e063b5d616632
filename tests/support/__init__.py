"""What several test files use that is no fixture; imported as ``tests.support``."""
