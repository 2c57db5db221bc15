"""A mean as it is written down, with its interval."""

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.record import RecordedMean
from rag_ablation.core.results import Mean
from rag_ablation.measures.catalogue import measures
from rag_ablation.measures.shares import share_interval
from rag_ablation.measures.uncertainty import clustered_mean


def recorded(measure: str, mean: Mean, values: NDArray[np.float64] | None, groups: NDArray[np.int32]) -> RecordedMean:
    """Put the interval beside a mean; one without values of its own, or undefined, has none.

    The mean of a measure that is 0 or 1 on every question is a share, and has Wilson's interval on the effective number
    of questions; any other mean has the cluster-robust t interval.

    Args:
        measure: its name.
        mean: the mean.
        values: (Q,) per question, NaN where unscored; None for a pooled mean.
        groups: (Q,) group of each question.
    """
    if values is None or mean.value is None:
        return RecordedMean(value=mean.value, n=mean.n, excluded=mean.excluded, reason=mean.reason)
    entry = measures().get(measure)
    share = share_interval(values, groups) if entry is not None and entry.share else None
    interval = clustered_mean(values, groups) if share is None else share
    return RecordedMean(
        value=mean.value,
        n=mean.n,
        excluded=mean.excluded,
        low=interval.low,
        high=interval.high,
        n_groups=interval.n_groups,
        basis=None if share is None or share.basis is None else str(share.basis),
    )
