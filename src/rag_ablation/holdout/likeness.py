"""Which texts are near-duplicates: an exact similarity join, without comparing all pairs.

Two measures, each with its stated threshold, and near means that either passes:

- *characters*: Jaccard of the sets of neighbouring characters, white space and punctuation left out;
  pairs in a text that is mostly Chinese, triples in others. It sees through typing errors.
- *words*: Jaccard of the sets of words, each weighing log(1 + T / (1 + t)), where t of T texts hold it.
  It sees through another order of the words.

Texts that name different numbers are never near: "form 17" is not "form 18".

The join is exact: a pair of Jaccard t or more shares some of the rarest features of either text, so only
pairs that share enough of those are compared (prefix filter; of characters, eight or all that must be equal).

References:
    Chaudhuri, Ganti and Kaushik (2006), A primitive operator for similarity joins in data cleaning.
    Bayardo, Ma and Srikant (2007), Scaling up all pairs similarity search.
    Wang, Li and Feng (2012), Can we beat the prefix filtering? (prefixes of variable length)

Legend: T texts, F features, P pairs.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.language import HAN
from rag_ablation.holdout._normal import normal_text

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

HAN_SHARE = 0.2
NUMBER = re.compile(r"[0-9]+")
SHARED_CHARACTERS = 8
BLOCK_ROWS = 512
BLOCK_PAIRS = 200_000
EQUAL = 1e-12

Cutter = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """From where on two texts are near.

    Args:
        characters_han: Jaccard of character pairs, for texts that are mostly Chinese.
        characters: Jaccard of character triples, for other texts.
        words: idf-weighted Jaccard of words.
    """

    characters_han: float
    characters: float
    words: float

    @property
    def lowest(self) -> float:
        """The lowest of them."""
        return min(self.characters_han, self.characters, self.words)


QUESTIONS = Thresholds(characters_han=0.5, characters=0.6, words=0.6)
PASSAGES = Thresholds(characters_han=0.8, characters=0.8, words=0.8)


def near() -> dict[str, object]:
    """What counts as near, as a split's file says it."""
    return {"questions": asdict(QUESTIONS), "gold_texts": asdict(PASSAGES)}


class Pairs(NamedTuple):
    """Pairs of texts, each once, left below right, in ascending order.

    Args:
        left: (P,) int64 rows.
        right: (P,) int64 rows.
        likeness: (P,) float64, the greater of the two measures; 1 for equal texts.
        near: (P,) bool, whether a threshold is passed.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    likeness: NDArray[np.float64]
    near: NDArray[np.bool_]


def alike(texts: Sequence[str], thresholds: Thresholds, floor: float | None = None) -> Pairs:
    """Find the pairs of near texts.

    Texts that are equal once normalised are near whatever they hold. Of such texts only the first is
    compared with the others, so that many copies cost nothing: their joins follow through it.

    Args:
        texts: (T,) as they are.
        thresholds: what near means.
        floor: also return pairs of at least this likeness that are not near; None for near pairs only.

    Returns:
        The pairs. The weights of words, and so their measure, come from the texts given.
    """
    normal = [normal_text(text) for text in texts]
    first: dict[str, int] = {}
    heads = [first.setdefault(text.replace(" ", ""), row) for row, text in enumerate(normal)]
    copies = [(head, row, 1.0, True) for row, head in enumerate(heads) if head != row]
    rows = np.array(sorted(first.values()), dtype=np.int64)
    distinct = [normal[row] for row in rows.tolist()]
    found = [] if len(distinct) < 2 else _near(distinct, thresholds, thresholds.lowest if floor is None else floor)
    table = copies + [(int(rows[left]), int(rows[right]), value, near) for left, right, value, near in found]
    table.sort()
    kept = [row for row in table if row[3] or floor is not None]
    return Pairs(
        np.array([row[0] for row in kept], dtype=np.int64),
        np.array([row[1] for row in kept], dtype=np.int64),
        np.array([row[2] for row in kept], dtype=np.float64),
        np.array([row[3] for row in kept], dtype=bool),
    )


def _near(texts: list[str], thresholds: Thresholds, floor: float) -> list[tuple[int, int, float, bool]]:
    han = np.array([_mostly_han(text) for text in texts], dtype=bool)
    by_row = np.where(han, thresholds.characters_han, thresholds.characters)
    characters = _features(texts, _neighbours)
    words = _weighted(_features(texts, _word_cutter(bool(han.any()))))
    found: dict[tuple[int, int], tuple[float, bool]] = {}
    for rows in _same_numbers(texts):
        for matrix, least, shared in ((characters, by_row, SHARED_CHARACTERS), (words, None, 1)):
            limits = np.full(len(texts), thresholds.words) if least is None else least
            for one, other, value in _join(matrix[rows], min(floor, float(limits[rows].min())), shared):
                left, right = int(rows[one]), int(rows[other])
                near = value >= min(limits[left], limits[right]) - EQUAL
                before = found.get((left, right), (0.0, False))
                found[left, right] = (max(before[0], value), before[1] or near)
    return [(*pair, value, near) for pair, (value, near) in found.items() if near or value >= floor - EQUAL]


def _same_numbers(texts: Sequence[str]) -> list[NDArray[np.int64]]:
    """Rows of texts that name the same numbers, two or more of each."""
    rows: dict[frozenset[str], list[int]] = {}
    for row, text in enumerate(texts):
        rows.setdefault(frozenset(NUMBER.findall(text)), []).append(row)
    return [np.array(some, dtype=np.int64) for some in rows.values() if len(some) > 1]


def _mostly_han(text: str) -> bool:
    letters = len(text.replace(" ", ""))
    return letters > 0 and len(HAN.findall(text)) / letters >= HAN_SHARE


def _neighbours(text: str) -> Sequence[str]:
    """Pairs or triples of neighbouring characters; a shorter text whole."""
    plain = text.replace(" ", "")
    n = 2 if _mostly_han(text) else 3
    return [plain[start : start + n] for start in range(len(plain) - n + 1)] or [plain]


def _word_cutter(chinese: bool) -> Cutter:
    """Words between spaces, and in Chinese those of the segmenter."""
    if not chinese:
        return str.split
    from rag_ablation.stages._analysers import Analyser  # noqa: PLC0415

    return Analyser(name="jieba").tokens


def _features(texts: Sequence[str], cut: Cutter) -> "csr_matrix":
    """(T, F) of ones; columns from the rarest feature to the commonest, then by the feature itself."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415 - slow to import, and wanted only here

    sets = [sorted(set(cut(text))) for text in texts]
    counts: dict[str, int] = {}
    for features in sets:
        for feature in features:
            counts[feature] = counts.get(feature, 0) + 1
    order = {feature: column for column, feature in enumerate(sorted(counts, key=lambda name: (counts[name], name)))}
    columns = [order[feature] for features in sets for feature in features]
    starts = np.cumsum([0, *(len(features) for features in sets)])
    matrix = csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(sets), len(order)))
    matrix.sort_indices()
    return matrix


def _weighted(matrix: "csr_matrix") -> "csr_matrix":
    """Replace the ones by the weight of their feature."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415 - slow to import, and wanted only here

    n_texts = matrix.shape[0]
    held = np.bincount(matrix.indices, minlength=matrix.shape[1])
    weights = np.array([math.log(1 + n_texts / (1 + n)) for n in held.tolist()])
    return csr_matrix((weights[matrix.indices], matrix.indices, matrix.indptr), shape=matrix.shape)


def _join(matrix: "csr_matrix", least: float, shared: int) -> Iterator[tuple[int, int, float]]:
    """Pairs (left < right) whose weighted Jaccard is at least `least`.

    `shared` above 1 is for weights of 1 only: so many of the rarest features must be common.
    """
    total = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    prefix = _prefixes(matrix, total, least, shared)
    needed = np.ones(total.size) if shared == 1 else np.minimum(shared, np.ceil(least * total - EQUAL))
    rare = prefix.T.tocsr()
    for start in range(0, matrix.shape[0], BLOCK_ROWS):
        common = (prefix[start : start + BLOCK_ROWS] @ rare).tocoo()
        left, right = common.row.astype(np.int64) + start, common.col.astype(np.int64)
        fits = (left < right) & (common.data >= np.maximum(needed[left], needed[right]))
        left, right = left[fits], right[fits]
        fits = np.minimum(total[left], total[right]) >= least * np.maximum(total[left], total[right]) - EQUAL
        left, right = left[fits], right[fits]
        for at in range(0, left.size, BLOCK_PAIRS):
            yield from _verified(matrix, total, (left[at : at + BLOCK_PAIRS], right[at : at + BLOCK_PAIRS]), least)


def _verified(
    matrix: "csr_matrix", total: NDArray[np.float64], pairs: tuple[NDArray[np.int64], NDArray[np.int64]], least: float
) -> Iterator[tuple[int, int, float]]:
    left, right = pairs
    one = matrix[right].copy()
    one.data = np.ones_like(one.data)
    common = np.asarray(matrix[left].multiply(one).sum(axis=1)).ravel()
    union = total[left] + total[right] - common
    value = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
    keep = value >= least - EQUAL
    yield from zip(left[keep].tolist(), right[keep].tolist(), np.minimum(value[keep], 1.0).tolist(), strict=True)


def _prefixes(matrix: "csr_matrix", total: NDArray[np.float64], least: float, shared: int) -> "csr_matrix":
    """The rarest features of each text that a pair of likeness `least` cannot do without: ones.

    What follows a feature, itself included, must weigh `least` of the whole, or the feature can be left out;
    with weights of 1 it may weigh `shared` − 1 less, and then `shared` such features are common.
    """
    from scipy.sparse import csr_matrix  # noqa: PLC0415 - slow to import, and wanted only here

    row_of = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    sums = np.concatenate([[0.0], np.cumsum(matrix.data)])
    suffix = total[row_of] - (sums[:-1] - sums[matrix.indptr[:-1]][row_of])
    keep = suffix >= least * total[row_of] - (shared - 1) - 1e-6
    counts = np.bincount(row_of[keep], minlength=matrix.shape[0])
    starts = np.concatenate([[0], np.cumsum(counts)])
    return csr_matrix((np.ones(int(keep.sum()), dtype=np.int32), matrix.indices[keep], starts), shape=matrix.shape)
