"""What changed between two arms, counted in factors."""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_ablation.core.digest import digest_json
from rag_ablation.stages.base import ASKING_SLOTS, NO_FACTOR

RETRIEVERS = ("sparse", "dense")
CHUNKING = "chunking"
REWRITE = "rewrite"
SLOTS_WITH_ONE_STAGE = (REWRITE, "rerank", "context", "generate")
SHORT_DIGEST = 8


@dataclass(frozen=True, slots=True)
class Change:
    """The difference of a child from its parent.

    Args:
        factors: one sentence each. A factor is the set of retrievers (with the fuser that a second
            one makes necessary), another slot filled, emptied or filled by another stage, or one
            setting inside a slot that both fill with the same stage.
    """

    factors: tuple[str, ...]

    @property
    def confounded(self) -> bool:
        """True where no difference can be put down to a single factor."""
        return len(self.factors) > 1

    def __str__(self) -> str:
        """The factors in one line."""
        return "; ".join(self.factors) or "nothing"


def change(parent: Mapping[str, object], child: Mapping[str, object]) -> Change:
    """Compare two effective configurations.

    Args:
        parent: `Experiment.effective()` of the parent.
        child: the same of the child.
    """
    factors: list[str] = []
    factors += _slot(CHUNKING, parent, child, with_retrievers=False)
    before, after = _retrievers(parent), _retrievers(child)
    if before != after:
        factors.append(f"retrievers {_set(before)} → {_set(after)}")
    shared = [slot for slot in RETRIEVERS if slot in before and slot in after and before[slot] == after[slot]]
    for slot in shared:
        factors += _settings(slot, parent, child)
    factors += _slot("fusion", parent, child, with_retrievers=before != after)
    for slot in SLOTS_WITH_ONE_STAGE:
        factors += _slot(slot, parent, child, with_retrievers=False)
    factors += _slot("judge", parent, child, with_retrievers=_name(parent, "generate") != _name(child, "generate"))
    for section in ("dataset", "access", "scoring"):
        factors += _settings(section, parent, child)
    return Change(tuple(factors))


def chunking_alone(parent: Mapping[str, object], child: Mapping[str, object]) -> bool:
    """Whether two arms differ in how the corpus is cut, and in nothing else."""
    return _alone(CHUNKING, parent, child)


def rewriting_alone(parent: Mapping[str, object], child: Mapping[str, object]) -> bool:
    """Whether two arms differ in what they search for instead of the questions, and in nothing else."""
    return _alone(REWRITE, parent, child)


def _alone(slot: str, parent: Mapping[str, object], child: Mapping[str, object]) -> bool:
    factors = change(parent, child).factors
    return bool(factors) and all(factor.startswith((f"{slot} ", f"{slot}.")) for factor in factors)


def _retrievers(config: Mapping[str, object]) -> dict[str, str]:
    return {slot: _name(config, slot) for slot in RETRIEVERS if slot in config}


def _set(retrievers: Mapping[str, str]) -> str:
    return "{" + ", ".join(retrievers.values()) + "}"


def _name(config: Mapping[str, object], slot: str) -> str:
    section = config.get(slot)
    return str(section["name"]) if isinstance(section, Mapping) else "none"


def _slot(slot: str, parent: Mapping[str, object], child: Mapping[str, object], *, with_retrievers: bool) -> list[str]:
    before, after = _name(parent, slot), _name(child, slot)
    if before == after:
        return _settings(slot, parent, child) if before != "none" else []
    if with_retrievers and "none" in (before, after):
        return []  # the fuser comes and goes with the second retriever, the judge with the generator
    if slot == CHUNKING and "none" not in (before, after):
        return [f"{slot} {_cut(parent)} → {_cut(child)}"]
    return [f"{slot} {before} → {after}"]


def _cut(config: Mapping[str, object]) -> str:
    """`fixed 128/0`: name, size, overlap."""
    section = config.get(CHUNKING)
    if not isinstance(section, Mapping):
        return "none"
    return f"{section['name']} {section.get('size')}/{section.get('overlap')}"


def _settings(section: str, parent: Mapping[str, object], child: Mapping[str, object]) -> list[str]:
    before, after = parent.get(section), child.get(section)
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return []
    no_factor = NO_FACTOR if section in ASKING_SLOTS else frozenset()
    keys = sorted({*before, *after} - no_factor)
    return [
        f"{section}.{key} {_shown(before.get(key))} → {_shown(after.get(key))}"
        for key in keys
        if before.get(key) != after.get(key)
    ]


def _shown(value: object) -> str:
    """A value in a few words: a section, such as a prompt, by its digest."""
    return digest_json(value)[:SHORT_DIGEST] if isinstance(value, Mapping) else str(value)
