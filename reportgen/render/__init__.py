"""From results.json to pages: chooses, orders, labels and draws; computes nothing."""
