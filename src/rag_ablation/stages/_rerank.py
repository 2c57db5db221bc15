"""What all rerankers share: which pairs are scored, once each, and where the scores go.

Legend: Q questions, K columns, P columns of the pool, N passages, U distinct pairs of texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.errors import StageError
from rag_ablation.core.rankings import EMPTY, Rankings
from rag_ablation.stages._encoder import sorted_unique

SLOT = "rerank"


@dataclass(frozen=True, slots=True)
class Pool:
    """The pairs to score.

    Args:
        passages: (Q, P) int32 passage rows of the head, −1 where empty.
        query_texts: distinct texts of the questions, sorted.
        passage_texts: distinct texts of the passages in the pool, sorted.
        pairs: (U, 2) int64, rows of `query_texts` and `passage_texts`, each pair once, ascending.
        pair_rows: (Q, P) int64 row in `pairs`, −1 where empty.
    """

    passages: NDArray[np.int32]
    query_texts: tuple[str, ...]
    passage_texts: tuple[str, ...]
    pairs: NDArray[np.int64]
    pair_rows: NDArray[np.int64]

    @property
    def n_pairs(self) -> int:
        """Pairs of question and passage, equal texts counted each time."""
        return int(np.count_nonzero(self.passages >= 0))

    def scatter(self, scores_U: NDArray[np.floating]) -> NDArray[np.float64]:
        """(Q, P) score of each place in the pool, NaN where empty."""
        padded = np.append(np.asarray(scores_U, dtype=np.float64), np.nan)
        return np.asarray(padded[self.pair_rows])  # row −1 is the NaN at the end

    def truncated(self, cut_U: NDArray[np.bool_]) -> tuple[int, list[int]]:
        """Number of pairs that were cut, and the distinct passage rows among them, ascending.

        Args:
            cut_U: whether each distinct pair was longer than the model reads.
        """
        cut = np.append(cut_U, False)[self.pair_rows]
        return int(np.count_nonzero(cut)), np.unique(self.passages[cut]).tolist()


def pool_of(rankings: Rankings, depth: int, query_texts: Sequence[str], passage_texts: Sequence[str]) -> Pool:
    """The first `depth` passages of each ranking as pairs of texts, equal pairs once.

    Args:
        rankings: what is reranked.
        depth: most passages of each ranking.
        query_texts: (Q,) texts of the questions.
        passage_texts: (N,) texts of the corpus.
    """
    passages = rankings.passages[:, :depth]
    query_rows, columns = np.nonzero(passages >= 0)
    rows = passages[query_rows, columns]
    queries, query_text_rows = sorted_unique(query_texts)
    used, used_rows = np.unique(rows, return_inverse=True)
    texts, text_rows = sorted_unique([passage_texts[row] for row in used.tolist()])
    width = max(len(texts), 1)
    keys = query_text_rows[query_rows] * width + text_rows[used_rows]
    distinct, pair_rows = np.unique(keys, return_inverse=True)
    placed = np.full(passages.shape, EMPTY, dtype=np.int64)
    placed[query_rows, columns] = pair_rows
    pairs = np.stack([distinct // width, distinct % width], axis=1).astype(np.int64)
    return Pool(passages, tuple(queries), tuple(texts), pairs, placed)


def apply_scores(rankings: Rankings, depth: int, scores_QP: NDArray[np.floating], *, keep_tail: bool) -> Rankings:
    """Put the head of each ranking in the order of new scores.

    Args:
        rankings: (Q, K) what is reranked.
        depth: columns that were scored, P = min(depth, K).
        scores_QP: (Q, P) new score of each place in the head; ignored where empty. Higher is better,
            negative scores are scores like any other.
        keep_tail: whether the rest stays below, in its order and without scores, or is dropped.

    Returns:
        (Q, K), or (Q, P) without the tail. Which passages a ranking holds never changes but by the cut.

    Raises:
        ValueError: the shapes do not fit, or the score of a passage is not finite.
    """
    head = rankings.passages[:, :depth]
    if scores_QP.shape != head.shape:
        message = f"need one score for each place in the head, {head.shape}, got {scores_QP.shape}"
        raise ValueError(message)
    if not np.isfinite(scores_QP[head >= 0]).all():
        message = "every passage in the head needs a finite score"
        raise ValueError(message)
    reranked = Rankings.from_scores(head, scores_QP)
    tail = rankings.passages[:, depth:]
    if not keep_tail or not tail.size:
        return reranked
    return Rankings.from_order(
        np.concatenate([reranked.passages, tail], axis=1),
        np.concatenate([reranked.scores, np.full(tail.shape, np.nan)], axis=1),
    )


def check_scores(
    pool: Pool, scores_QP: NDArray[np.float64], model: str, query_ids: Sequence[str], passage_ids: Sequence[str]
) -> None:
    """Raise where a score is no number.

    Raises:
        StageError: it names the model, the question and the passage.
    """
    wrong = np.argwhere((pool.passages >= 0) & ~np.isfinite(scores_QP))
    if wrong.size:
        row, column = wrong[0].tolist()
        passage = passage_ids[int(pool.passages[row, column])]
        message = (
            f"model {model} scored passage {passage!r} with {scores_QP[row, column]}, expected a finite number; "
            f"{len(wrong)} such scores in all"
        )
        raise StageError(SLOT, message, query_ids[row])


def check_tail(keep_tail: object) -> None:
    """Raise unless the setting is true or false.

    Raises:
        ValueError: otherwise.
    """
    if not isinstance(keep_tail, bool):
        message = f"keep_tail: found {keep_tail!r}, expected true or false"
        raise ValueError(message)
