"""How far a judge and a person agree on whether answers are right, beyond what chance would give.

Legend: Q answers, G groups of questions, B resamples. A table of four cells has the judge's words in rows and the
person's in columns, row after row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.answers import Word
from rag_ablation.core.reviews import SETTLED
from rag_ablation.measures.bootstrap import RESAMPLES

LEAST_DEFINED = 0.95
"""Share of the resamples that must have a kappa for an interval to stand."""
NOTHING_DECIDED = "the judge decided none of the answers"
ONE_CLASS = "judge and person say “{word}” of every answer, so that chance alone would agree as well"
ONE_GROUP = "all answers are of one group of questions"
NONE_SEEN = (
    "they never differ on these, so no resample differs; of one verdict of the judge's, up to {share:.0%} could be "
    "judged otherwise and go unseen in {n_groups} groups ({confidence:.0%})"
)
ONE_SIDED = "one of the two has one word for every answer, so every resample has the same kappa"
TOO_OFTEN_UNDEFINED = "{share:.0%} of the resamples have no kappa"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kappa:
    """Cohen's kappa of the answers that the judge decided.

    Args:
        value: None where undefined.
        reason: why it is undefined, None where it is defined.
        low: lower end of the interval, None where there is none.
        high: upper end.
        interval_reason: why there is no interval, None where there is one.
        observed: weighted share of answers on which they agree, None where none was decided.
        expected: the share that chance would give, None where none was decided.
        n: answers looked at.
        n_groups: groups of their questions.
        confidence: coverage aimed at.
        resamples: drawn for the interval.
    """

    value: float | None
    reason: str | None
    low: float | None
    high: float | None
    interval_reason: str | None
    observed: float | None
    expected: float | None
    n: int
    n_groups: int
    confidence: float
    resamples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Judge against person, on a random sample of judged answers.

    Args:
        kappa: of the answers that the judge decided.
        decided: share of all judged answers that it decided, None where there are none.
        table: answers looked at, by what the judge and then what the person said.
        sizes: all judged answers, by what the judge said.
    """

    kappa: Kappa
    decided: float | None
    table: Mapping[Word, Mapping[Word, int]]
    sizes: Mapping[Word, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """How an interval is drawn.

    Args:
        confidence: coverage aimed at.
        resamples: B.
        seed: of the draws.
    """

    confidence: float = 0.95
    resamples: int = RESAMPLES
    seed: int = 0


def agreement(
    judge: Sequence[Word],
    person: Sequence[Word],
    groups: Sequence[int],
    sizes: Mapping[Word, int],
    how: Resampling | None = None,
) -> Agreement:
    """Compare judge and person on a sample drawn by what the judge said, weighted back to all judged answers.

    An answer weighs as many as its stratum has for each one looked at. What the judge left open is in the table and in
    `decided`; kappa is of what it decided. The interval is the percentile bootstrap over groups of questions, weights
    kept; resamples without a kappa are left out, up to 5 % of them. Where the two never differ there is no interval,
    since every resample would say 1.

    Args:
        judge: (Q,) what the judge said.
        person: (Q,) what the person said, `correct` or `incorrect`.
        groups: (Q,) group of each question.
        sizes: all judged answers by what the judge said.
        how: the interval is drawn.

    Raises:
        ValueError: a person left an answer open, or nobody looked into a stratum.

    References:
        Cohen (1960), A coefficient of agreement for nominal scales; Field and Welsh (2007), Bootstrapping clustered
        data.
    """
    table = {word: dict.fromkeys(SETTLED, 0) for word in Word}
    for one, other in zip(judge, person, strict=True):
        if other not in SETTLED:
            message = f"person: found {other}, expected {' or '.join(SETTLED)}"
            raise ValueError(message)
        table[one][other] += 1
    weights = [_weight(word, sizes.get(word, 0), sum(table[word].values())) for word in SETTLED]
    n_all = sum(sizes.values())
    return Agreement(
        kappa=_kappa(_by_group(judge, person, groups), np.repeat(weights, 2), how or Resampling()),
        decided=sum(sizes.get(word, 0) for word in SETTLED) / n_all if n_all else None,
        table=table,
        sizes={word: sizes.get(word, 0) for word in Word},
    )


def _weight(word: Word, size: int, looked_at: int) -> float:
    if size and not looked_at:
        message = f"judge: found none looked at of {size} answers that are {word}, expected some"
        raise ValueError(message)
    return size / looked_at if looked_at else 0.0


def _by_group(judge: Sequence[Word], person: Sequence[Word], groups: Sequence[int]) -> NDArray[np.float64]:
    """(G, 4) decided answers of each group; in an order that depends on nothing but the numbers."""
    found: dict[int, NDArray[np.float64]] = {}
    for one, other, group in zip(judge, person, groups, strict=True):
        if one in SETTLED:
            cells = found.setdefault(group, np.zeros(4))
            cells[2 * SETTLED.index(one) + SETTLED.index(other)] += 1
    return np.array(sorted(map(tuple, found.values()))).reshape(-1, 4)


def _kappa(counts_G4: NDArray[np.float64], weights_4: NDArray[np.float64], how: Resampling) -> Kappa:
    cells = counts_G4.sum(axis=0)
    observed, expected, kappa = (float(one[0]) for one in _kappas((cells * weights_4)[None, :]))
    n, n_groups = int(cells.sum()), len(counts_G4)
    reason = NOTHING_DECIDED if n == 0 else _one_class(cells)
    missing = reason or _same_in_all(counts_G4, how.confidence)
    low, high, missing = (None, None, missing) if missing is not None else _interval(counts_G4, weights_4, how)
    return Kappa(
        value=kappa if reason is None else None,
        reason=reason,
        low=low,
        high=high,
        interval_reason=missing,
        observed=observed if n else None,
        expected=expected if n else None,
        n=n,
        n_groups=n_groups,
        confidence=how.confidence,
        resamples=how.resamples,
    )


def _one_class(cells_4: NDArray[np.float64]) -> str | None:
    """Why kappa is 0 / 0: all answers lie in one cell in which the two agree."""
    agreeing = [word for place, word in enumerate(SETTLED) if cells_4[3 * place] == cells_4.sum()]
    return ONE_CLASS.format(word=agreeing[0]) if agreeing else None


def _same_in_all(counts_G4: NDArray[np.float64], confidence: float) -> str | None:
    """Why resamples tell nothing; where the two never differ, how much may have gone unseen, by the smaller stratum."""
    table = counts_G4.sum(axis=0).reshape(2, 2)
    if not (table.any(axis=0).all() and table.any(axis=1).all()):
        return ONE_SIDED
    if counts_G4[:, 1:3].any():
        return None
    n_groups = int(np.count_nonzero(counts_G4[:, [0, 3]], axis=0).min())
    share = 1 - (1 - confidence) ** (1 / n_groups)
    return NONE_SEEN.format(share=share, n_groups=n_groups, confidence=confidence)


def _kappas(
    tables_B4: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """(B,) agreement observed, agreement expected, and kappa, NaN where undefined."""
    both_right, let_pass, missed, both_wrong = tables_B4.T
    with np.errstate(invalid="ignore", divide="ignore"):
        total = tables_B4.sum(axis=1)
        observed = (both_right + both_wrong) / total
        by_judge, by_person = both_right + let_pass, both_right + missed
        expected = (by_judge * by_person + (total - by_judge) * (total - by_person)) / total**2
        kappa = (observed - expected) / (1 - expected)
    undefined = (both_right == total) | (both_wrong == total)
    return observed, expected, np.where(undefined, np.nan, kappa)


def _interval(
    counts_G4: NDArray[np.float64], weights_4: NDArray[np.float64], how: Resampling
) -> tuple[float | None, float | None, str | None]:
    """Both ends, or why there are none."""
    n_groups = len(counts_G4)
    if n_groups < 2:
        return None, None, ONE_GROUP
    rng = np.random.default_rng((how.seed, n_groups))
    drawn_BG = rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=how.resamples)
    kappas = _kappas((drawn_BG @ counts_G4) * weights_4)[2]
    defined = kappas[~np.isnan(kappas)]
    if len(defined) < LEAST_DEFINED * how.resamples:
        return None, None, TOO_OFTEN_UNDEFINED.format(share=1 - len(defined) / how.resamples)
    tail = (1 - how.confidence) / 2
    low, high = np.quantile(defined, (tail, 1 - tail)).tolist()
    return low, high, None
