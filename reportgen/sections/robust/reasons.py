"""What the statistics give as reasons and as names of methods, in the dossier's language."""

from __future__ import annotations

from reportgen.language import mark
from reportgen.told import teller

FORMS = (
    mark("fewer than two groups have this figure"),
    mark("not defined (0/0): the figure is 0 in every group"),
    mark("moved scores of a linear model without link leave [0, 1]"),
    mark("there is no interval for this metric"),
    mark("no labels"),
    mark("no rows"),
    mark("no positives"),
    mark("no negatives"),
    mark("no row is selected"),
    mark("every row is selected"),
    mark("no measure has a critical radius"),
    mark("the probabilities leave one group empty"),
    mark("the scores are no probabilities"),
    mark("rests on one patient"),
    mark("positives of one patient only"),
    mark("negatives of one patient only"),
    mark("the estimated variance is not above 0"),
    mark("a value of 0 has no logit"),
    mark("a value of 1 has no logit"),
    mark("MOVER of the groups' limits, variance between patients"),
    mark("Clopper-Pearson, n / design effect"),
    mark("Wilson, n / design effect"),
    mark("MOVER of two Wilson intervals, n / design effect"),
    mark("logit t, variance between patients"),
    mark("logit t, Obuchowski variance"),
    mark("exact bound on {n} patients"),
)
"""Every form of a text of ``reportgen.stats`` that this section meets."""
told = teller(FORMS)
