"""Grades as files write them."""

import re

from rag_ablation.core.qrels import MAX_GRADE
from rag_ablation.data._report import shown
from rag_ablation.data.exchange._rows import BLANKS, QRELS, Origin, Rows
from rag_ablation.data.exchange.options import Options

WHOLE = re.compile(r"0|-?[1-9][0-9]{0,8}")
EXPECTED = f"a whole number from 0 to {MAX_GRADE}"


def read_grade(origin: Origin, value: object, options: Options, rows: Rows) -> int | None:
    """A grade from 0 to 62, after the grade map; None after a problem.

    A grade below 0 means different things in different collections, so it is never guessed.

    Args:
        origin: where it stands.
        value: a cell, or a number.
        options: the grade map.
        rows: receives problems, and counts what was changed.
    """
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    if isinstance(value, str) and text != (text := text.strip(BLANKS)):
        rows.count("grades with blanks at their ends, which were taken off", str(origin))
    if not WHOLE.fullmatch(text) or isinstance(value, bool):
        rows.problem(origin, "score", shown(value) if value != "" else "nothing", EXPECTED)
        rows.unreadable.add(QRELS)
        return None
    grade = int(text)
    if grade in options.grades:
        rows.count(f"grades changed from {grade} to {options.grades[grade]}, as --grade-map says")
        grade = options.grades[grade]
    if 0 <= grade <= MAX_GRADE:
        return grade
    rows.problem(origin, "score", text, f"{EXPECTED}, or say what it means: --grade-map={text}:0")
    rows.unreadable.add(QRELS)
    return None
