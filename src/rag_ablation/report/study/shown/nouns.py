"""What a relevant unit is called."""

from typing import NamedTuple

from rag_ablation.core.wording import counted


class Noun(NamedTuple):
    """A unit of evaluation.

    Args:
        one: in the singular.
        many: in the plural.
        zh: measure word before 标注证据.
    """

    one: str
    many: str
    zh: str

    def of(self, number: int) -> str:
        """Singular or plural."""
        return self.one if number == 1 else self.many


NOUNS = {
    "passage": Noun("passage", "passages", "段"),
    "clause": Noun("clause", "clauses", "条"),
    "document": Noun("document", "documents", "份"),
}


def unit_noun(unit: str) -> Noun:
    """The noun of a unit; any other is called a unit."""
    return NOUNS.get(unit, Noun("unit", "units", "个"))


def gold(number: int, unit: str) -> str:
    """`170 gold passages`."""
    shown = f"{number:,}"
    return f"{shown} {counted(number, f'gold {unit_noun(unit).one}').partition(' ')[2]}"
