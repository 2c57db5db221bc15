"""Whether answers stand where the labels say, and in one piece.

Text is compared without regard to case and white space, since passages are often wrapped anew and Chinese
is written with and without spaces around figures; offsets are compared exactly.
"""

from rag_ablation.core.corpus import Passage
from rag_ablation.core.queries import Status
from rag_ablation.data._checks import QUERIES, Files
from rag_ablation.data._corpus_file import CorpusFile
from rag_ablation.data._fields import Span
from rag_ablation.data._findings import Places
from rag_ablation.data._report import Part
from rag_ablation.data.native import QueryLine
from rag_ablation.data.qrels import Judgement

COMPUTED = "computed"
HINT = f"say `{COMPUTED}: true` where answers are worked out or put in other words"
RIGHT, ELSEWHERE, ABSENT, CUT = "right", "elsewhere", "absent", "cut"


def answer_notices(files: Files, corpus: CorpusFile) -> list[str]:
    """Wrong offsets, answers that a passage boundary cuts, and answers that are in no gold passage.

    Args:
        files: what was read.
        corpus: the passages.
    """
    gold = _gold(files.judgements, corpus)
    found: dict[str, Places] = {kind: Places() for kind in (ELSEWHERE, ABSENT, CUT, "nowhere")}
    for question in sorted(files.queries.rows, key=lambda row: row.line):
        kinds = {_span(span, corpus) for span in question.spans} - {RIGHT}
        if question.query.status is Status.REVIEWED:
            kinds |= _answers(question, gold.get(question.query.id, []), corpus)
        for kind in kinds:
            found[kind].add(question.line)
    return [
        *found[ELSEWHERE].said(
            QUERIES,
            "question with a span whose text stands elsewhere in its passage than `start` says",
            "questions with a span whose text stands elsewhere in its passage than `start` says",
        ),
        *found[ABSENT].said(
            QUERIES,
            "question with a span whose text is not in its passage",
            "questions with a span whose text is not in its passage",
        ),
        *found[CUT].said(
            QUERIES,
            "reviewed question whose answer is cut by a passage boundary",
            "reviewed questions whose answers are cut by a passage boundary",
        ),
        *found["nowhere"].said(
            QUERIES,
            f"reviewed question with no answer that occurs in its gold ({HINT})",
            f"reviewed questions with no answer that occurs in their gold ({HINT})",
        ),
    ]


def _gold(judgements: Part[Judgement], corpus: CorpusFile) -> dict[str, list[int]]:
    """Rows of the passages of each question's gold."""
    found: dict[str, list[int]] = {}
    for row in judgements.rows:
        if row.grade > 0:
            found.setdefault(row.query_id, []).extend(corpus.index.members(row.unit_id))
    return found


def _span(span: Span, corpus: CorpusFile) -> str:
    """Whether a span's text stands at its place; one of a larger unit has no place to look at."""
    if span.start is None or span.unit_id not in corpus.index.line_of:
        return RIGHT
    text = corpus.passage(corpus.index.row(span.unit_id)).text
    there = text[span.start : span.start + len(span.text)]
    if there == span.text:
        return RIGHT
    if span.text in text:
        return ELSEWHERE
    return CUT if there and span.text.startswith(there) and span.start + len(there) == len(text) else ABSENT


def _answers(question: QueryLine, gold: list[int], corpus: CorpusFile) -> set[str]:
    answers, points = (_texts(question.labels.get(key)) for key in ("answers", "keypoints"))
    if not answers or not gold:
        return set()
    texts = [_whole(corpus.passage(row)) for row in gold]
    if any(_holds(text, answers) for text in texts) or _all_hold("\n".join(texts), points):
        return set()
    if any(_holds(_with_neighbours(row, corpus), answers) for row in gold):
        return {CUT}
    return set() if question.query.metadata.get(COMPUTED) else {"nowhere"}


def _all_hold(text: str, points: list[str]) -> bool:
    """Whether an answer in several parts stands there part by part."""
    return bool(points) and all(point in text for point in points)


def _texts(given: object) -> list[str]:
    plain = [_plain(text) for text in given if isinstance(text, str)] if isinstance(given, list) else []
    return [text for text in plain if text]


def _with_neighbours(row: int, corpus: CorpusFile) -> str:
    """A passage between those beside it in the document."""
    before, after = corpus.index.neighbours(row)
    return _plain("".join(corpus.passage(near).text for near in (before, row, after) if near is not None))


def _whole(passage: Passage) -> str:
    return _plain(f"{passage.title}\n{passage.text}")


def _plain(text: str) -> str:
    return "".join(text.split()).casefold()


def _holds(text: str, answers: list[str]) -> bool:
    return any(answer in text for answer in answers)
