"""Lists of ids as people bring them: checked, and collapsed to larger units."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag_ablation.core.corpus import Unit
from rag_ablation.core.errors import InputRefused


@dataclass(frozen=True, slots=True)
class Collapse:
    """A declared rule that replaces raw ids by the ids of larger units.

    Args:
        map: unit id by raw id.
        to: the unit of the new ids, None where nobody asks.
    """

    map: Mapping[str, str]
    to: Unit | None = None

    @classmethod
    def parse(cls, dedup: object) -> "Collapse | None":
        """Read `{"map": {raw id: unit id}, "to": unit, "version": any}`; None stays None.

        Raises:
            InputRefused: `bad_dedup`, `bad_unit` or `bad_id`.
        """
        if dedup is None:
            return None
        given: Mapping[object, object] = dedup if isinstance(dedup, Mapping) else {}
        pairs = given.get("map")
        if not isinstance(pairs, Mapping):
            message = f"dedup: found {dedup!r}, expected a mapping that holds `map`: raw id to unit id"
            raise InputRefused("bad_dedup", message)
        checked = {check_id(raw, "dedup.map"): check_id(unit, "dedup.map") for raw, unit in pairs.items()}
        to = given.get("to")
        return cls(checked, None if to is None else parse_unit("dedup.to", to))


def parse_unit(field: str, word: object) -> Unit:
    """The unit of that name.

    Raises:
        InputRefused: `bad_unit`.
    """
    try:
        return Unit.parse(str(word))
    except ValueError:
        message = f"{field}: found {word!r}, expected one of: {', '.join(Unit)} (or chunk)"
        raise InputRefused("bad_unit", message) from None


def check_id(value: object, where: str) -> str:
    """The id itself, a non-empty string.

    Raises:
        InputRefused: `bad_id`.
    """
    if not isinstance(value, str) or not value:
        message = f"{where}: found the id {value!r}, expected a non-empty string"
        raise InputRefused("bad_id", message)
    return value


def check_list(ids: object, where: str, collapse: Collapse | None) -> list[str]:
    """The ids of one ranked list, best first, collapsed where a rule is given.

    With a rule the first occurrence of each unit stays; without one a repeated id is refused,
    wherever it stands, because counting it twice would reward the ranker for repeating itself.

    Raises:
        InputRefused: `bad_results`, `bad_id`, `unmapped_id` or `duplicate_id`.
    """
    if isinstance(ids, str | bytes) or not isinstance(ids, Sequence):
        message = f"{where}: found {ids!r}, expected a list of ids, best first"
        raise InputRefused("bad_results", message)
    checked = [check_id(value, where) for value in ids]
    if collapse is not None:
        missing = next((raw for raw in checked if raw not in collapse.map), None)
        if missing is not None:
            message = f"{where}: the id {missing!r} is not in dedup.map, expected a unit for every result"
            raise InputRefused("unmapped_id", message)
        return list(dict.fromkeys(collapse.map[raw] for raw in checked))
    places: dict[str, int] = {}
    for place, value in enumerate(checked, start=1):
        if places.setdefault(value, place) != place:
            message = (
                f"{where}: the id {value!r} stands at rank {places[value]} and again at rank {place}, expected "
                "each id once (declare a collapsing rule with `dedup` if several results are one unit)"
            )
            raise InputRefused("duplicate_id", message)
    return checked
