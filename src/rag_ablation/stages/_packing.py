"""What fits into a context, in which order, and what was left out and why.

Legend: Q questions, K columns, C passages in a context, X passages left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.rankings import EMPTY, Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.core.structure import Structure
from rag_ablation.core.visibility import Visibility
from rag_ablation.stages._tokens import CHARACTERS, token_counter, tokenizer_fingerprint, tokenizer_weights
from rag_ablation.stages.base import REASONS, LeftOut, check_choice, check_whole_number

LAYOUTS = ("rank", "reversed", "edges")
Layout = Literal["rank", "reversed", "edges"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """What all contexts have in common.

    Args:
        depth: how many passages are offered: the head of the last ranking, or the most gold.
        budget: most tokens (or characters) of passages, as the template shows them; None for no limit.
        tokenizer: what counts them: `characters`, `minilm`, `e5_small`, a folder, or a hub name.
        max_passages: most passages; None for no limit but `depth`.
        layout: order in which they are shown: by rank, reversed, or the best at both edges.
    """

    depth: int = 10
    budget: int | None = None
    tokenizer: str = CHARACTERS
    max_passages: int | None = None
    layout: Layout = "rank"

    def __post_init__(self) -> None:
        """Check ranges."""
        check_whole_number("depth", self.depth)
        for name in ("budget", "max_passages"):
            if getattr(self, name) is not None:
                check_whole_number(name, getattr(self, name))
        check_choice("layout", self.layout, LAYOUTS)

    @property
    def libraries(self) -> tuple[str, ...]:
        """Distributions whose version can change the result."""
        return () if self.tokenizer == CHARACTERS else ("tokenizers",)

    def fingerprint(self) -> Mapping[str, object]:
        """The tokenizer's file."""
        return tokenizer_fingerprint(self.tokenizer)

    def model_weights(self) -> Mapping[str, str]:
        """Name, kind and digest of the tokenizer's file."""
        return tokenizer_weights(self.tokenizer)


@dataclass(slots=True)
class _Context:
    """One question's context while it is filled."""

    blocks: list[list[int]] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)
    tokens: int = 0
    left_out: list[tuple[int, LeftOut]] = field(default_factory=list)
    stopped: LeftOut | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """What may go into each context, best first.

    Args:
        passages: (Q, K) int32 passage rows, −1 at the right.
        unit_rows: (N,) unit within which a second passage is a duplicate; None where none is.
        neighbours: how many passages before and after each one are offered with it.
    """

    passages: NDArray[np.int32]
    unit_rows: NDArray[np.int32] | None = None
    neighbours: int = 0


def pack(packing: Packing, offer: Offer, corpus: Structure, visible: Visibility) -> StageResult:
    """Fill each context in rank order and stop at the first passage that does not fit, then lay it out.

    Everything offered after the stop is left out for the same reason, so that a larger budget never loses
    what a smaller one kept.

    Args:
        packing: limits and layout.
        offer: what may go in.
        corpus: the corpus and its documents.
        visible: what each question may see; it bounds the neighbours.

    Returns:
        Contexts as rankings without scores in the order shown; `arrays` holds `tokens` (Q,), `offered` (Q, K),
        and `left_out` (Q, X) with the reasons `left_out_why` (Q, X), an index of `REASONS`, −1 where empty.
    """
    lengths = _lengths(packing, offer, corpus)
    contexts = [
        _filled(packing, offer, row, corpus, (lengths, visible.mask(row))) for row in range(offer.passages.shape[0])
    ]
    shown = [_laid_out(context.blocks, packing.layout) for context in contexts]
    left_out = [context.left_out for context in contexts]
    counts = {reason: sum(1 for some in left_out for _, why in some if why is reason) for reason in REASONS}
    arrays: dict[str, NDArray[np.generic]] = {
        "tokens": np.array([context.tokens for context in contexts], dtype=np.int64),
        "offered": offer.passages.copy(),
        "left_out": padded([[passage for passage, _ in some] for some in left_out]),
        "left_out_why": padded([[REASONS.index(why) for _, why in some] for some in left_out]),
    }
    facts: dict[str, object] = {
        "context_depth": packing.depth,
        "tokenizer": packing.tokenizer.rsplit("/", 1)[-1],
        **{f"n_left_out_{reason}": n for reason, n in counts.items()},
    }
    return StageResult(Rankings.from_order(padded(shown)), facts, arrays)


def _filled(
    packing: Packing,
    offer: Offer,
    row: int,
    corpus: Structure,
    limits: tuple[Mapping[int, int], NDArray[np.bool_]],
) -> _Context:
    """One question's context; `limits` are the length of each passage and which exist for the question."""
    lengths, visible = limits
    context, units = _Context(), set[int]()
    for passage in offer.passages[row][offer.passages[row] >= 0].tolist():
        if passage in context.taken:
            continue
        if offer.unit_rows is not None and int(offer.unit_rows[passage]) in units:
            if passage not in {other for other, _ in context.left_out}:
                context.left_out.append((passage, LeftOut.DUPLICATE))
            continue
        block: list[int] = []
        for candidate in (passage, *corpus.neighbours(passage, offer.neighbours)):
            if candidate in context.taken or not visible[candidate]:
                continue
            context.stopped = context.stopped or _full(packing, context, lengths[candidate])
            if context.stopped is not None:
                if candidate not in {passage for passage, _ in context.left_out}:
                    context.left_out.append((candidate, context.stopped))
                break
            block.append(candidate)
            context.taken.add(candidate)
            context.tokens += lengths[candidate]
        if block:
            context.blocks.append(sorted(block, key=corpus.place) if len(block) > 1 else block)
            if offer.unit_rows is not None:
                units.add(int(offer.unit_rows[passage]))
    return context


def _full(packing: Packing, context: _Context, length: int) -> LeftOut | None:
    """Why one more passage does not fit; None where it does."""
    if packing.max_passages is not None and len(context.taken) >= packing.max_passages:
        return LeftOut.MAX_PASSAGES
    if packing.budget is not None and context.tokens + length > packing.budget:
        return LeftOut.BUDGET
    return None


def _laid_out(blocks: Sequence[Sequence[int]], layout: Layout) -> list[int]:
    """Blocks in the order shown; within a block in the order of the document."""
    ordered = list(blocks)
    if layout == "reversed":
        ordered.reverse()
    elif layout == "edges":
        ordered = [*ordered[::2], *ordered[1::2][::-1]]
    return [passage for block in ordered for passage in block]


def _lengths(packing: Packing, offer: Offer, corpus: Structure) -> dict[int, int]:
    """Tokens of every passage that may be taken."""
    offered = {int(row) for row in np.unique(offer.passages) if row >= 0}
    rows = sorted(offered | {near for row in offered for near in corpus.neighbours(row, offer.neighbours)})
    return dict(zip(rows, token_counter(packing.tokenizer)([corpus.text(row) for row in rows]), strict=True))


def padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    """Rows of different lengths as one table, −1 at the right."""
    width = max((len(row) for row in rows), default=0)
    table = np.full((len(rows), width), EMPTY, dtype=np.int32)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return table


def beside(table: NDArray[np.generic], more: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    """The same table with more entries at the end of each row."""
    rows = [[value for value in row if value != EMPTY] for row in table.tolist()]
    return padded([[*row, *extra] for row, extra in zip(rows, more, strict=True)])
