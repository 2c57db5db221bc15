"""What a relevant unit is called."""

from collections.abc import Mapping
from typing import NamedTuple

from rag_ablation.core.corpus import Unit
from rag_ablation.core.record import ArmRecord
from rag_ablation.report.flow_svg import Gold
from rag_ablation.report.study.figures import counted
from rag_ablation.report.study.recorded import unit_of
from rag_ablation.report.study.words import Text

CHUNK = "chunk"


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


NOUNS: Mapping[str, Noun] = {
    Unit.PASSAGE: Noun("passage", "passages", "段"),
    Unit.CLAUSE: Noun("clause", "clauses", "条"),
    Unit.DOCUMENT: Noun("document", "documents", "份"),
    CHUNK: Noun("chunk", "chunks", "个"),
}


def name_of_unit(record: ArmRecord) -> str:
    """What the units of an arm are: `passage`, `clause`, `document`, or `chunk` where passages were cut."""
    unit = unit_of(record) or Unit.PASSAGE
    return CHUNK if unit is Unit.PASSAGE and record.settings.get("chunking") else str(unit)


def noun_of(record: ArmRecord) -> Noun:
    """What its units are called."""
    return NOUNS[name_of_unit(record)]


def unit_noun(unit: str) -> Noun:
    """The noun of a unit; any other is called a unit."""
    return NOUNS.get(unit, Noun("unit", "units", "个"))


def gold(number: int, unit: str) -> Text:
    """`170 gold passages`, `170 段标注证据`."""
    noun = unit_noun(unit)
    return counted(number, f"gold {noun.one}", f"gold {noun.many}", f"{noun.zh}标注证据")


def gold_units(unit: str) -> Gold:
    """The same without a number, for drawings."""
    noun = unit_noun(unit)
    return Gold(f"gold {noun.many}", f"{noun.zh}标注证据")
