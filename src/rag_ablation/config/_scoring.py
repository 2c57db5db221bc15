"""What is scored, and for whom: the plain keys of a configuration."""

from collections.abc import Mapping
from datetime import date

from rag_ablation.config._settings import problem, shown
from rag_ablation.core.corpus import Unit
from rag_ablation.core.errors import Problem
from rag_ablation.core.visibility import Versions
from rag_ablation.experiment.experiment import Scoring
from rag_ablation.measures.catalogue import measures
from rag_ablation.stages.base import check_whole_number


def side_from(side: object, problems: list[Problem]) -> str:
    if side == "holdout":
        expected = (
            "dev or none: no run reads a holdout; it is opened once, for a frozen plan: "
            "rag-ablation holdout --study S --name NAME"
        )
        problems.append(problem("split", "'holdout'", expected))
    elif side not in ("dev", "none"):
        problems.append(problem("split", shown("split", side), "dev, or none for a set without a split"))
    return str(side)


def versions_from(container: Mapping[str, object], problems: list[Problem]) -> tuple[date | None, Versions]:
    given, rule = container.get("as_of"), container.get("versions")
    day: date | None = None
    if given is not None:
        try:
            day = given if isinstance(given, date) else date.fromisoformat(str(given))
        except ValueError:
            problems.append(problem("as_of", repr(given), "a day like 2026-03-01, or null"))
    if rule not in set(Versions):
        problems.append(problem("versions", shown("versions", rule), f"one of {', '.join(Versions)}"))
        return day, Versions.ALL
    if (rule == Versions.AS_OF) != (given is not None):
        problems.append(problem("as_of", repr(given), "a day with versions=as_of, and null otherwise"))
    return day, Versions(str(rule))


def scoring_from(container: Mapping[str, object], problems: list[Problem]) -> Scoring | None:
    count = len(problems)
    cutoffs = _cutoffs(container.get("cutoffs"), problems)
    names = container.get("measures")
    if not isinstance(names, list) or not names:
        problems.append(problem("measures", shown("measures", names), "a list of names"))
        names = []
    unknown = [name for name in names if name not in measures()]
    problems += [problem("measures", repr(name), f"one of {', '.join(measures())}") for name in unknown]
    unit = container.get("unit")
    try:
        parsed = None if unit in (None, "auto") else Unit.parse(str(unit))
    except ValueError:
        problems.append(problem("unit", repr(unit), f"one of auto, {', '.join(Unit)}"))
        parsed = None
    relevant_from = container.get("relevant_from")
    try:
        check_whole_number("relevant_from", relevant_from)
    except ValueError:
        problems.append(problem("relevant_from", repr(relevant_from), "a whole number of at least 1"))
    weights = _weights(container.get("type_weights"), problems)
    if len(problems) > count or not isinstance(relevant_from, int):
        return None
    return Scoring(
        unit=parsed, cutoffs=cutoffs, measures=tuple(names), relevant_from=relevant_from, type_weights=weights
    )


def _cutoffs(given: object, problems: list[Problem]) -> tuple[int, ...]:
    listed = given if isinstance(given, list) else []
    whole = [value for value in listed if isinstance(value, int) and not isinstance(value, bool) and value >= 1]
    if not listed or len(whole) != len(listed) or len(set(whole)) != len(whole):
        problems.append(problem("cutoffs", repr(given), "a list of different whole numbers of at least 1"))
    return tuple(sorted(whole))


def _weights(given: object, problems: list[Problem]) -> dict[str, float] | None:
    if given is None:
        return None
    weights = dict(given) if isinstance(given, Mapping) else {}
    plain = {
        str(key): float(value)
        for key, value in weights.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")
    }
    if not weights or len(plain) != len(weights):
        problems.append(problem("type_weights", repr(given), "finite weights of at least 0, by question type"))
    return plain


def text_or_none(container: Mapping[str, object], name: str, problems: list[Problem]) -> str | None:
    value = container.get(name)
    if value is not None and (not isinstance(value, str) or not value):
        problems.append(problem(name, shown(name, value), "a name, or null"))
        return None
    return value


def truth_from(container: Mapping[str, object], name: str, problems: list[Problem]) -> bool:
    value = container.get(name)
    if not isinstance(value, bool):
        problems.append(problem(name, shown(name, value), "true or false"))
    return bool(value)
