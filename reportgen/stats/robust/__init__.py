"""Worst-case fairness: how far a gap between groups can be driven by allowed moves of the features.

One engine serves every model and metric. A model gives each record the interval of scores it can
reach (`intervals`); for any metric monotone in each score the worst gap follows exactly from the
ends (`metrics`), because records move on their own and groups share none.
"""
