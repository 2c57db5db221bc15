"""Exact search over vectors in blocks.

Legend: Q questions, X distinct texts of questions, R requests (a text of a question with a view),
K columns, N passages, V views, U distinct passage texts, C candidates of all requests, d dimensions.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.rankings import EMPTY, Rankings
from rag_ablation.core.visibility import Visibility

QUERY_BLOCK = 256
TEXT_BLOCK = 8192
LOWEST = np.finfo(np.float32).min  # below every score, above the −inf of what may not be seen


@dataclass
class Candidates:
    """The best so far of some requests, ties at the cut included.

    Args:
        n_requests: R.
        depth: passages wanted for each.
    """

    n_requests: int
    depth: int

    def __post_init__(self) -> None:
        """Nothing yet."""
        self.requests_C = np.empty(0, dtype=np.int64)
        self.passages_C = np.empty(0, dtype=np.int32)
        self.scores_C = np.empty(0, dtype=np.float32)
        self.least_R = np.full(self.n_requests, -np.inf, dtype=np.float32)

    def offer(self, scores_RP: NDArray[np.float32], passages_P: NDArray[np.int32]) -> None:
        """Take in what reaches the running cut.

        Args:
            scores_RP: scores of these passages, −inf where a request may not see one.
            passages_P: passage rows.
        """
        least = np.maximum(self.least_R, LOWEST)
        if passages_P.size > self.depth and np.isneginf(self.least_R).any():
            least = np.maximum(least, np.partition(scores_RP, -self.depth, axis=1)[:, -self.depth])
        hits = np.flatnonzero(scores_RP >= least[:, None])
        if not hits.size:
            return
        requests, columns = np.divmod(hits, passages_P.size)
        self.requests_C = np.concatenate([self.requests_C, requests])
        self.passages_C = np.concatenate([self.passages_C, passages_P[columns]])
        self.scores_C = np.concatenate([self.scores_C, scores_RP[requests, columns]])
        # sorting after every block would cost as much as the products
        if np.isneginf(self.least_R).any() or self.requests_C.size > 2 * self.depth * self.n_requests:
            self._cut()

    def _cut(self) -> None:
        """Drop what lies under the score at `depth`; what equals it stays, for the tie rule to decide."""
        order = np.lexsort((-self.scores_C, self.requests_C))
        requests, scores = self.requests_C[order], self.scores_C[order]
        first_R = np.searchsorted(requests, np.arange(self.n_requests))
        last_R = first_R + self.depth - 1
        full = last_R < np.searchsorted(requests, np.arange(self.n_requests), side="right")
        self.least_R[full] = scores[last_R[full]]
        keep = scores >= self.least_R[requests]
        self.requests_C, self.scores_C = requests[keep], scores[keep]
        self.passages_C = self.passages_C[order][keep]

    def rankings(self) -> Rankings:
        """(R, depth) by the tie rule."""
        self._cut()
        counts = np.bincount(self.requests_C, minlength=self.n_requests)
        first_R = np.cumsum(counts) - counts
        width = max(int(counts.max(initial=0)), self.depth)
        passages = np.full((self.n_requests, width), EMPTY, dtype=np.int32)
        scores = np.full((self.n_requests, width), np.nan)
        place = np.arange(self.requests_C.size) - first_R[self.requests_C]
        passages[self.requests_C, place] = self.passages_C
        scores[self.requests_C, place] = self.scores_C
        return Rankings.from_scores(passages, scores).head(self.depth)


@dataclass(frozen=True)
class ExactSearch:
    """Inner products of float32 vectors, each pair of distinct texts computed once.

    Args:
        vectors: (U, d) float32, one for each distinct text.
        rows: (N,) row of each passage's text.
    """

    vectors: NDArray[np.float32]
    rows: NDArray[np.int64]

    @cached_property
    def _by_text(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """(N,) passage rows grouped by text, and (U + 1,) where each group starts."""
        order = np.argsort(self.rows, kind="stable").astype(np.int32)
        starts = np.searchsorted(self.rows[order], np.arange(len(self.vectors) + 1))
        return order, starts.astype(np.int64)

    def top(
        self,
        queries_Xd: NDArray[np.float32],
        text_rows_Q: NDArray[np.int64],
        visible: Visibility,
        depth: int,
    ) -> Rankings:
        """The best visible passages of every question.

        Memory beyond the vectors: one block of scores and the candidates of `QUERY_BLOCK` texts.

        Args:
            queries_Xd: (X, d) vectors of the distinct texts of the questions.
            text_rows_Q: (Q,) text of each question.
            visible: what each question may see.
            depth: most passages of each.
        """
        n_views = len(visible.masks)
        keys = text_rows_Q * n_views + visible.view_rows
        requests, request_rows = np.unique(keys, return_inverse=True)
        texts, views = requests // n_views, requests % n_views
        passages = np.full((requests.size, depth), EMPTY, dtype=np.int32)
        scores = np.full((requests.size, depth), np.nan)
        for start in range(0, len(queries_Xd), QUERY_BLOCK):
            block = slice(*np.searchsorted(texts, [start, start + QUERY_BLOCK]).tolist())
            seen = None if visible.everything else (visible.masks, views[block])
            found = self._block(queries_Xd[start : start + QUERY_BLOCK], texts[block] - start, seen, depth)
            passages[block], scores[block] = found.passages, found.scores
        return Rankings.from_order(passages[request_rows], scores[request_rows])

    def _block(
        self,
        queries_Xd: NDArray[np.float32],
        texts_R: NDArray[np.int64],
        seen: tuple[NDArray[np.bool_], NDArray[np.int64]] | None,
        depth: int,
    ) -> Rankings:
        order, starts = self._by_text
        best = Candidates(texts_R.size, depth)
        buffer = np.empty((len(queries_Xd), TEXT_BLOCK), dtype=np.float32)
        one_each = np.array_equal(texts_R, np.arange(len(queries_Xd)))
        for start in range(0, len(self.vectors), TEXT_BLOCK):
            stop = min(start + TEXT_BLOCK, len(self.vectors))
            held = order[starts[start] : starts[stop]]
            whole = stop - start == TEXT_BLOCK  # a fresh array for each block would cost as much as the product
            scores = np.matmul(queries_Xd, self.vectors[start:stop].T, out=buffer if whole else None)
            if held.size > stop - start:
                scores = scores[:, self.rows[held] - start]
            if not one_each:
                scores = scores[texts_R]
            if seen is not None:
                masks_VN, views_R = seen
                scores[~masks_VN[views_R[:, None], held]] = -np.inf
            best.offer(scores, held)
        return best.rankings()
