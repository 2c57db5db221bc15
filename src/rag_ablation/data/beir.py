"""The plain BEIR layout: corpus.jsonl, queries.jsonl and one table of judgements for each split in `qrels/`."""

from collections.abc import Iterable, Sequence

from rag_ablation.core.queries import Status
from rag_ablation.data._report import Part, Place, Report
from rag_ablation.data.native import QueryLine
from rag_ablation.data.qrels import Judgement

FOLDER = "qrels"
SUFFIX = ".tsv"


def choose_qrels(available: Sequence[str], wanted: str | None, report: Report) -> str | None:
    """Which file of `qrels/` to read.

    Args:
        available: names of the splits there are, without `.tsv`.
        wanted: the split asked for, None where nobody asked.
        report: receives a problem where the choice is not clear.

    Returns:
        Name of the split, or None after a problem.
    """
    names = ", ".join(available) or "nothing"
    place = Place(f"{FOLDER}/", None)
    if wanted is None and len(available) == 1:
        return available[0]
    if wanted in available:
        return wanted
    if not available:
        report.problem(place, "file", "no .tsv file in it", f"{FOLDER}/<split>{SUFFIX}, for example {FOLDER}/test.tsv")
    elif wanted is None:
        report.problem(place, "qrels", f"several files: {names}", f"a choice: qrels=<one of {names}>")
    else:
        report.problem(place, "qrels", f"qrels={wanted}", f"one of: {names}")
    return None


def questions_in_set(
    file: str, questions: Part[QueryLine], judgements: Iterable[Judgement], report: Report
) -> Part[QueryLine]:
    """Keep the questions that the chosen judgements are about.

    One with status `no_answer` or `unreviewed` needs no judgement and stays; any other without a row is
    not in the set, and counted.

    Args:
        file: name of the judgements' file, used in the notice.
        questions: all of the folder.
        judgements: the chosen ones.
        report: receives the notice.
    """
    judged = {row.query_id for row in judgements}
    kept = [row for row in questions.rows if row.query.id in judged or row.query.status is not Status.REVIEWED]
    left_out = len(questions.rows) - len(kept)
    if left_out:
        report.notices.append(
            f"queries.jsonl: {left_out} of {len(questions.rows)} questions have no row in {file} and are not in the set"
        )
    return Part(kept, questions.complete)
