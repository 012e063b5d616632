"""FRAME layer 3: evidence that a gap between groups has a representational cause, or its lack.

A separable group (`domain`) or a group far from the reference (`coverage`) is no evidence by
itself: features differ between groups for many reasons that a model does not care about. What is
asked of evidence is that the group is covered less *and* that, within it, the images farther from
the reference are lost more often than their scores explain (`link`). `assessment` puts it together.
"""
