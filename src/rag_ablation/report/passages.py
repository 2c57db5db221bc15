"""How a passage and a long text are shown on one screen."""

SHOWN_CHARS = 60
GOLD_MARKS = {2: "●●", 1: "●"}


def mark(grade: int | None) -> str:
    """A passage's grade, with a space before it: ` ●●` answers, ` ●` helps, ` ○` was judged and is not relevant.

    Args:
        grade: None where it was not judged.
    """
    if grade is None:
        return ""
    return f" {GOLD_MARKS.get(grade, '●●' if grade > 2 else '○')}"


def short(text: str, most: int = SHOWN_CHARS) -> str:
    """The beginning of a text, on one line.

    Args:
        text: any.
        most: characters to show.
    """
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[:most]}…"
