from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.queries import Status
from rag_ablation.holdout.split import Split, groups

CUTOFFS = (1, 3, 5, 10, 20, 50, 100)
MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class Shown:
    """The questions whose labels may be counted: none that a split keeps as holdout.

    Args:
        rows: rows of these questions.
        name: what they are called in the text.
    """

    rows: tuple[int, ...]
    name: str


def shown_questions(benchmark: Benchmark, splits: Sequence[Split]) -> Shown:
    """All questions, or those in no split's holdout."""
    hidden = {name for split in splits for name in split.holdout}
    rows = tuple(row for row, name in enumerate(benchmark.queries.ids) if name not in hidden)
    return Shown(rows, "dev" if splits else "all questions")


def corpus_line(benchmark: Benchmark) -> str:
    """Size of the corpus and how many texts occur more than once."""
    documents = len({passage.doc_id for passage in benchmark.passages.rows})
    repeated = _repeated(passage.text for passage in benchmark.passages.rows)
    return f"corpus: {_n(len(benchmark.passages), 'passage')} in {_n(documents, 'document')}; {repeated}"


def question_lines(benchmark: Benchmark, shown: Shown) -> list[str]:
    """Types, statuses, gold, ceilings, repeated texts and group sizes of the questions that may be counted."""
    queries = [benchmark.queries.rows[row] for row in shown.rows]
    relevant = benchmark.qrels.relevant(1)[list(shown.rows)]
    reviewed = np.array([query.status is Status.REVIEWED for query in queries], dtype=bool)
    gold = relevant[reviewed & (relevant > 0)]
    without = int(np.count_nonzero(reviewed)) - gold.size
    sizes = Counter(Counter(groups(benchmark)[list(shown.rows)].tolist()).values())
    lines = [
        f"questions ({shown.name}): {len(queries)}; {_repeated(query.text for query in queries)}",
        f"  types: {_counts(Counter(query.type for query in queries))}",
        f"  statuses: {_counts(Counter(str(query.status) for query in queries))}",
        f"  gold per question: {_sizes(Counter(gold.tolist()))}{_mean(gold)}",
    ]
    if without:
        lines.append(f"  reviewed without a grade above 0: {without} (excluded from ranking measures: no_relevant)")
    lines.append(f"  recall ceiling: {_ceilings(gold)}")
    lines.append(f"  groups: {sizes.total()}; questions in a group: {_sizes(sizes)}")
    return lines


def _ceilings(gold: NDArray[np.int64]) -> str:
    if not gold.size:
        return "undefined, no question has gold"
    return ", ".join(f"{np.mean(np.minimum(cutoff, gold) / gold):.4f} at {cutoff}" for cutoff in CUTOFFS)


def _mean(gold: NDArray[np.int64]) -> str:
    return f"; mean {gold.mean():.2f}" if gold.size else ""


def _repeated(texts: Iterable[str]) -> str:
    counts = Counter(texts)
    repeated = [n for n in counts.values() if n > 1]
    return (
        f"{_n(len(repeated), 'text')} occurring more than once ({sum(repeated)} in all)"
        if repeated
        else "no text twice"
    )


def _counts(counts: "Counter[str]") -> str:
    return ", ".join(f"{name} {n}" for name, n in sorted(counts.items())) or "none"


def _sizes(sizes: "Counter[int]") -> str:
    """How many there are of each size."""
    listed = [f"{size} ({n}×)" for size, n in sorted(sizes.items())]
    more = ", …" if len(listed) > MOST_LISTED else ""
    return (", ".join(listed[:MOST_LISTED]) or "none") + more


def _n(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")
