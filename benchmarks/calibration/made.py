"""Questions in groups, and differences and scores with a known truth.

Questions come in groups of 1 to 8, whose sizes are drawn once for each number of questions. Differences are normal,
symmetric (0, +1 or −1) or one-sided and sparse (1 for one question in twenty, else 0); a latent normal variable
carries the correlation within a group.

Legend: Q questions.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

QUESTIONS = (30, 100, 300)
CORRELATIONS = (0.0, 0.5)
LARGEST_GROUP = 8
SPARSE_KIND = "one-sided sparse"
KINDS = ("normal", "symmetric", SPARSE_KIND)
SCORES = ("normal", "hit")
SPARSE, HIT = 0.05, 0.7

Floats = NDArray[np.float64]
Groups = NDArray[np.int64]


def made_groups(n: int) -> Groups:
    """(Q,) groups of 1 to 8 questions, always the same for a number of questions."""
    sizes = np.random.default_rng(n).integers(1, LARGEST_GROUP + 1, size=n)
    return np.repeat(np.arange(n), sizes)[:n]


def latent(rng: np.random.Generator, shape: tuple[int, ...], groups: Groups, correlation: float) -> Floats:
    """(…, Q) standard normal, correlated within groups."""
    shared = rng.normal(size=(*shape, int(groups.max()) + 1))[..., groups]
    own = rng.normal(size=(*shape, groups.size))
    return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own


def made_differences(kind: str, drawn: Floats) -> Floats:
    """Differences from a latent variable."""
    if kind == "normal":
        return drawn
    if kind == "symmetric":
        return np.where(np.abs(drawn) < 1, 0.0, np.sign(drawn))
    return (drawn < ndtri(SPARSE)).astype(np.float64)


def made_scores(kind: str, drawn: Floats) -> Floats:
    """Scores of arms of one quality from a latent variable."""
    return drawn if kind == "normal" else (drawn < ndtri(HIT)).astype(np.float64)


def true_mean(kind: str) -> float:
    """Mean of such a difference."""
    return SPARSE if kind == SPARSE_KIND else 0.0
