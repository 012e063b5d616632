"""Input that means harm: payloads in every text, bombs, and paths that lead elsewhere."""
