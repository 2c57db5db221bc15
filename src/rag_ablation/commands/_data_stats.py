"""Counts of a dataset, as the values that are printed as JSON and drawn as tables.

Of questions in a split's holdout nothing is told but how many they are, in how many groups.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rag_ablation.commands._data_power import assumptions, power
from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.queries import Status
from rag_ablation.core.wording import counted
from rag_ablation.holdout.split import Split, check_fit, groups

CUTOFFS = (1, 3, 5, 10, 20, 50, 100)
NO_GOLD = "no_question_has_gold"
SIDES = ("dev", "holdout")

Values = dict[str, object]


def tell_stats(benchmark: Benchmark, splits: Sequence[Split], *, as_json: bool) -> int:
    """Print the counts: tables, or JSON alone."""
    from rich.console import Console  # noqa: PLC0415

    from rag_ablation.commands._data_tables import drawn  # noqa: PLC0415
    from rag_ablation.report.terminal import show  # noqa: PLC0415

    found = stats(benchmark, splits)
    if as_json:
        sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    else:
        show(drawn(found), Console())
    return 0


def stats(benchmark: Benchmark, splits: Sequence[Split]) -> Values:
    """All counts; a value that is undefined is None, with the reason beside it."""
    hidden = {name for split in splits for name in split.holdout}
    shown = [row for row, name in enumerate(benchmark.queries.ids) if name not in hidden]
    passages = benchmark.passages.rows
    return {
        "dataset": benchmark.name,
        "language": benchmark.language,
        "label_unit": str(benchmark.label_unit),
        "corpus": {
            "passages": len(passages),
            "documents": len({passage.doc_id for passage in passages}),
            "repeated_texts": _repeated(passage.text for passage in passages),
        },
        "splits": [{"name": split.name, "fits": _fits(benchmark, split)} | _sides(split) for split in splits],
        "questions": {"side": "dev" if splits else "all"} | _questions(benchmark, shown),
        "can_show": _can_show(benchmark, shown),
    }


def side_words(sides: Mapping[str, Mapping[str, int]]) -> str:
    """`dev 6 questions in 3 groups; holdout 6 questions in 3 groups`."""
    return "; ".join(
        f"{side} {counted(sides[side]['questions'], 'question')} in {counted(sides[side]['groups'], 'group')}"
        for side in SIDES
    )


def _fits(benchmark: Benchmark, split: Split) -> bool:
    """Whether the questions and labels are still those that the split was made for."""
    try:
        check_fit(benchmark, split)
    except HoldoutError:
        return False
    return True


def _sides(split: Split) -> dict[str, dict[str, int]]:
    return {
        side: {"questions": len(split.ids(side)), "groups": len({split.groups[name] for name in split.ids(side)})}
        for side in SIDES
    }


def _questions(benchmark: Benchmark, shown: Sequence[int]) -> Values:
    queries = [benchmark.queries.rows[row] for row in shown]
    gold = benchmark.qrels.relevant(1)[list(shown)]
    reviewed = np.array([query.status is Status.REVIEWED for query in queries], dtype=bool)
    scored = gold[reviewed & (gold > 0)]
    sizes = Counter(Counter(groups(benchmark)[list(shown)].tolist()).values())
    return {
        "n": len(queries),
        "types": _sorted(Counter(query.type for query in queries)),
        "statuses": _sorted(Counter(str(query.status) for query in queries)),
        "repeated_texts": _repeated(query.text for query in queries),
        "gold_per_question": {
            "questions_by_count": _by_number(Counter(scored.tolist())),
            "mean": float(scored.mean()) if scored.size else None,
            "reason": None if scored.size else NO_GOLD,
        },
        "reviewed_without_gold": int(np.count_nonzero(reviewed)) - int(scored.size),
        "recall_ceiling": {
            "at": {str(cutoff): _ceiling(scored, cutoff) for cutoff in CUTOFFS},
            "reason": None if scored.size else NO_GOLD,
        },
        "groups": {"n": sizes.total(), "groups_by_size": _by_number(sizes)},
    }


def _can_show(benchmark: Benchmark, shown: Sequence[int]) -> Values:
    """What the scored questions can show, all together and type by type."""
    numbers, gold = groups(benchmark), benchmark.qrels.relevant(1)
    kept = [
        row for row in shown if gold[row] > 0 and benchmark.queries.rows[row].status is Status.REVIEWED
    ]  # the others have no place in a ranking measure

    def of(rows: Iterable[int]) -> Values:
        return power(list(Counter(numbers[row] for row in rows).values()))

    types = sorted({benchmark.queries.rows[row].type for row in shown})
    return {
        "all": of(kept),
        "by_type": {name: of(row for row in kept if benchmark.queries.rows[row].type == name) for name in types},
        "assumptions": assumptions(),
    }


def _ceiling(gold: NDArray[np.int64], cutoff: int) -> float | None:
    return float(np.mean(np.minimum(cutoff, gold) / gold)) if gold.size else None


def _repeated(texts: Iterable[str]) -> dict[str, int]:
    repeated = [n for n in Counter(texts).values() if n > 1]
    return {"texts": len(repeated), "occurrences": sum(repeated)}


def _sorted(counts: "Counter[str]") -> dict[str, int]:
    return dict(sorted(counts.items()))


def _by_number(counts: "Counter[int]") -> dict[str, int]:
    return {str(number): n for number, n in sorted(counts.items())}
