"""The report of a plan on its holdout: the rule, what was observed, what follows."""
