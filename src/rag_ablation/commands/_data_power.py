"""What so many questions in such groups can and cannot show, in numbers and words, all of it computed."""

from collections.abc import Sequence

from rag_ablation.measures.planning import (
    POWER,
    TOO_FEW_GROUPS,
    Ends,
    effective_groups,
    smallest_difference,
    smallest_p,
    wilson,
)

SHARE = 0.8
CONFIDENCE = 0.95
DEVIATIONS = {"hit": 0.5, "recall": 0.3}
NO_QUESTIONS = "no_scored_question"
LEAST_GROUPS = 6
LARGEST_USEFUL = 0.5
PLAN = 0.1
PLANNED_QUESTIONS = 300

Values = dict[str, object]


def power(sizes: Sequence[int]) -> Values:
    """What groups of these sizes can show.

    Args:
        sizes: (G,) scored questions of each group.
    """
    n, effective = sum(sizes), effective_groups(sizes)
    right = round(SHARE * n)
    ends = wilson(right / n, effective, confidence=CONFIDENCE) if n else None
    smallest = {
        name: smallest_difference(sizes, deviation, confidence=CONFIDENCE, power=POWER)
        for name, deviation in DEVIATIONS.items()
    }
    shows = _shows(len(sizes), smallest["hit"])
    return {
        "questions": n,
        "groups": len(sizes),
        "effective_groups": effective,
        "interval_at_80_percent": {
            "right": right,
            "low": None if ends is None else ends.low,
            "high": None if ends is None else ends.high,
            "width": None if ends is None else ends.width,
            "reason": NO_QUESTIONS if ends is None else None,
        },
        "smallest_difference": smallest | {"reason": TOO_FEW_GROUPS if len(sizes) < 2 else None},
        "smallest_p": smallest_p(len(sizes)),
        "shows": shows,
        "says": _says(sizes, shows, right, ends, smallest["hit"]),
    }


def assumptions() -> Values:
    """What the numbers of `power` rest on, with what a few hundred questions would show."""
    sizes = [1] * PLANNED_QUESTIONS
    right = round(SHARE * PLANNED_QUESTIONS)
    interval = percent(wilson(right / PLANNED_QUESTIONS, PLANNED_QUESTIONS, confidence=CONFIDENCE))
    smallest = smallest_difference(sizes, DEVIATIONS["hit"], confidence=CONFIDENCE, power=POWER)
    return {
        "confidence": CONFIDENCE,
        "power": POWER,
        "comparisons": 1,
        "standard_deviation_of_differences": dict(DEVIATIONS),
        "within_a_group": "all alike (the worst case): groups count by Kish's effective number",
        "advice": "a few hundred, sampled as the business asks, is a plan: "
        f"with {PLANNED_QUESTIONS}, {right} right means {interval} (Wilson), and a difference "
        f"of {smallest:.2f} in hit shows",
    }


def _shows(n_groups: int, smallest_hit: float | None) -> str:
    """One word: `nothing`, `a start` or `a plan`.

    Nothing, where a sign-flip test could not reach p ≤ .05 or more than half of all questions would have to
    turn; a plan, where a tenth is enough.
    """
    if smallest_hit is None or n_groups < LEAST_GROUPS or smallest_hit > LARGEST_USEFUL:
        return "nothing"
    return "a plan" if smallest_hit <= PLAN else "a start"


def _says(sizes: Sequence[int], shows: str, right: int, ends: Ends | None, smallest: float | None) -> str:
    n = sum(sizes)
    if ends is None:
        return "no scored question"
    words = {"nothing": "can show nothing", "a start": "are a start", "a plan": "are a plan"}[shows]
    if n == 1:
        words = words.replace("are", "is")
    counts = "" if len(sizes) == n else f" in {len(sizes)} group{'s' if len(sizes) != 1 else ''}"
    by = "Wilson" if len(sizes) == n else f"Wilson on {effective_groups(sizes):.1f} effective questions"
    said = f"{n} question{'s' if n != 1 else ''}{counts} {words}: {right} of {n} right means {percent(ends)} ({by})"
    if smallest is None:
        return f"{said}; two arms cannot be compared"
    largest = "more than there is" if smallest > 1 else f"{smallest:.2f} in hit"
    return f"{said}; the smallest difference between two arms that would show is {largest}"


def percent(ends: Ends) -> str:
    """`63 to 90 %`."""
    return f"{100 * ends.low:.0f} to {100 * ends.high:.0f} %"
