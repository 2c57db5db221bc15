"""A mean as it is written down, with its interval."""

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.record import RecordedMean
from rag_ablation.core.results import Mean
from rag_ablation.measures.answers import SHARES
from rag_ablation.measures.catalogue import measures
from rag_ablation.measures.shares import ShareInterval, share_interval
from rag_ablation.measures.uncertainty import Interval, clustered_mean, clustered_ratio


def recorded(measure: str, mean: Mean, values: NDArray[np.float64] | None, groups: NDArray[np.int32]) -> RecordedMean:
    """Put the interval beside a mean; one that is undefined, or that has neither values nor parts, has none.

    The mean of a measure that is 0 or 1 on every question is a share, and has Wilson's interval on the effective number
    of questions; any other mean has the cluster-robust t interval, a pooled one that of a ratio.

    Args:
        measure: its name.
        mean: the mean.
        values: (Q,) per question, NaN where unscored; (2, Q) numerators and denominators of a pooled mean.
        groups: (Q,) group of each question.
    """
    if values is None or mean.value is None:
        return RecordedMean(value=mean.value, n=mean.n, excluded=mean.excluded, reason=mean.reason)
    if values.ndim > 1:
        return _recorded(mean, clustered_ratio(values[0], values[1], groups), None)
    entry = measures().get(measure)
    is_share = measure in SHARES or (entry is not None and entry.share)
    share = share_interval(values, groups) if is_share else None
    if share is None:
        return _recorded(mean, clustered_mean(values, groups), None)
    return _recorded(mean, share, None if share.basis is None else str(share.basis))


def _recorded(mean: Mean, interval: Interval | ShareInterval, basis: str | None) -> RecordedMean:
    return RecordedMean(
        value=mean.value,
        n=mean.n,
        excluded=mean.excluded,
        low=interval.low,
        high=interval.high,
        n_groups=interval.n_groups,
        basis=basis,
    )
