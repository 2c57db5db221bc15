"""A mean as it is written down, with its interval."""

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.record import RecordedMean
from rag_ablation.core.results import Mean
from rag_ablation.measures.uncertainty import clustered_mean


def recorded(mean: Mean, values: NDArray[np.float64] | None, groups: NDArray[np.int32]) -> RecordedMean:
    """Put the interval beside a mean; one without values of its own, or undefined, has none.

    Args:
        mean: the mean.
        values: (Q,) per question, NaN where unscored; None for a pooled mean.
        groups: (Q,) group of each question.
    """
    if values is None or mean.value is None:
        return RecordedMean(value=mean.value, n=mean.n, excluded=mean.excluded, reason=mean.reason)
    interval = clustered_mean(values, groups)
    return RecordedMean(
        value=mean.value,
        n=mean.n,
        excluded=mean.excluded,
        low=interval.low,
        high=interval.high,
        n_groups=interval.n_groups,
    )
