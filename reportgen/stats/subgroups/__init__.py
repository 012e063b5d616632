"""Subgroup gaps: what each group's figures are, and which gaps sampling alone could make.

`study` arranges the rows; `draws` resamples patients; `resampling` gives every metric under those
draws; `metrics` estimates each group with intervals; `gaps` compares two groups; `multiplicity`,
`equivalence` and `heterogeneity` judge families of comparisons; `matching`, `recalibration`,
`picture`, `models` and `parity` look at the same gaps from other sides.
"""
