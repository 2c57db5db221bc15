from collections.abc import Callable, Sequence
from pathlib import Path

from rag_ablation.commands._said import say
from rag_ablation.commands.progress import reading
from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.wording import counted
from rag_ablation.data.check import check
from rag_ablation.holdout.split import Split, check_fit, split_notices


def tell_check(folder: Path, qrels: str | None, splits_of: Callable[[Benchmark], Sequence[Split]]) -> int:
    """Print everything that was found: notices even where there are problems, so that one look is enough.

    Raises:
        DataError: the dataset cannot be used, with every problem.
    """
    from rich.console import Console  # noqa: PLC0415

    with reading(Console(stderr=True), "corpus") as on_read:
        found = check(folder, qrels=qrels, on_read=on_read)
    lines = [f"notice: {notice}" for notice in found.notices]
    benchmark = found.benchmark
    if benchmark is not None:
        counts = (
            f"{benchmark.name}: no problems found. {counted(found.n_passages, 'passage')}, "
            f"{counted(len(benchmark.queries), 'question')}, "
            f"{counted(found.n_judgements, 'judgement')} at unit {benchmark.label_unit}, language {benchmark.language}"
        )
        lines = [counts, *lines, *_split_lines(benchmark, splits_of(benchmark))]
    say(lines)
    if found.error is not None:
        raise found.error
    return 0


def _split_lines(benchmark: Benchmark, splits: Sequence[Split]) -> list[str]:
    lines = []
    for split in splits:
        try:
            check_fit(benchmark, split)
        except HoldoutError as error:
            lines.append(f"notice: {error}")
        else:
            lines += [f"notice: {notice}" for notice in split_notices(benchmark, split)]
            lines.append(f"split {split.name}: fits the questions and labels")
    return lines
