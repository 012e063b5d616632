"""Arbitrary bytes for every reader: `make fuzz` finds them, the suite replays what it found."""
