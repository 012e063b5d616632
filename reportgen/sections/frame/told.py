"""Reasons and methods that the statistics give, which are English, in the dossier's language.

How a text is recognised is told in :mod:`reportgen.told`.
"""

from __future__ import annotations

from reportgen.language import mark
from reportgen.told import teller

FORMS = (
    # Figures of a group
    mark("no rows"),
    mark("no positives"),
    mark("no negatives"),
    mark("no row is selected"),
    mark("every row is selected"),
    mark("positives of one patient only"),
    mark("negatives of one patient only"),
    mark("rests on one patient"),
    mark("the scores are no probabilities"),
    mark("{n} scores of 0 or 1 have no logit"),
    mark("all scores are equal"),
    mark("the scores separate the classes"),
    mark("the logistic regression does not converge"),
    mark("a value of {n} has no logit"),
    mark("the estimated variance is not above 0"),
    mark("no threshold is declared"),
    mark("fewer than two groups have this rate"),
    mark("not defined (0/0): the rate is 0 in every group"),
    mark("undefined"),
    mark("no interval"),
    # Methods of intervals
    mark("logit t, Obuchowski variance"),
    mark("logit t, variance between patients"),
    mark("t, logistic regression, variance between patients"),
    mark("t, variance between patients"),
    mark("exact bound on {n} patients"),
    mark("Wilson, n / design effect"),
    mark("MOVER of two Wilson intervals, n / design effect"),
    mark("MOVER: {method}"),
    mark("Wilson score, effective number of rows"),
    mark("MOVER of Wilson limits, clustered by patient"),
    mark("Obuchowski by patient with the factor of Nadeau and Bengio, logit scale, t"),
    # Gaps and their tests
    mark("group: {reason}"),
    mark("reference: {reason}"),
    mark("undefined in {n} % of the draws"),
    mark("undefined in one of the groups"),
    mark("one of the gaps is undefined"),
    mark("this figure is not drawn"),
    mark("the draws do not vary"),
    mark("the standard error is not above 0"),
    mark("a threshold of {n} has no logit"),
    mark("studentised permutation of patients, {n} draws"),
    mark("studentised permutation of patients within labels, {n} draws"),
    mark("inverted MOVER interval, with the covariance of shared patients"),
    mark("z, standard error from joint draws of patients"),
    # Features
    mark("no row of the group has every feature"),
    mark("no row of the reference has every feature"),
    mark("no feature varies"),
    mark("the group has {n} patients; {k} are needed"),
    mark("the reference has {n} patients; {k} are needed"),
    mark("the training set has {n} patients; {k} are needed"),
    mark("fewer than {n} patients on a side"),
    mark("no fold holds images of both groups"),
    mark("the groups are separated without an exception"),
    mark("no distances: {reason}"),
    mark("the score is no probability, so it has no loss"),
    mark("fewer than {n} patients in the group"),
    mark("loss or distance does not vary beyond the score"),
    mark("coverage not assessed ({reason})"),
    mark("the group is covered less than its reference"),
    mark("a coverage deficit is not shown"),
    mark("the link of loss and distance not assessed ({reason})"),
    mark("its loss rises with distance beyond what the score explains"),
    mark("a link of its loss with distance is not shown"),
    mark("{n} rows left out: a feature is missing"),
    mark("{n} rows of the test set left out: a feature is missing"),
    mark("{n} rows of the training set left out: a feature is missing"),
    mark("{name} left out: constant"),
    mark("{name} left out: constant in the reference"),
    mark("{name} left out: constant in the training set"),
    mark("{name} left out: constant in the half searched"),
    mark("{name} left out: a copy of {other}"),
    mark("too few failures: {n} patients with an error; {k} are needed"),
    mark("fewer than two patients inside"),
    mark("fewer than two patients outside"),
)
"""Every form, its figures ({n}, {k}), names ({name}, {other}) and what is recognised in turn."""
told = teller(FORMS)
