from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import yaml

from rag_ablation.core.corpus import Unit
from rag_ablation.data._fields import Fields
from rag_ablation.data._report import Place, Report, shown
from rag_ablation.data.jsonl import read_lines

MOST_NAME_BYTES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What dataset.yaml says; None and empty where it says nothing."""

    name: str | None = None
    language: str | None = None
    unit: Unit | None = None
    label_unit: Unit | None = None
    identities: Mapping[str, tuple[str, ...]]
    rest: Mapping[str, object]


def read_about(file: str, data: bytes, report: Report) -> About:
    """Read dataset.yaml; what this tool does not use is kept as it is.

    Args:
        file: name used in messages.
        data: bytes of the file.
        report: receives every problem.
    """
    nothing = About(identities={}, rest={})
    lines = read_lines(file, data, Report())
    if not lines.complete:
        read_lines(file, data, report)
        return nothing
    try:
        value = yaml.load(data.decode("utf-8-sig"), Loader=_Loader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        report.problem(Place(file, line), "file", f"no valid YAML ({' '.join(str(error).split())})", "YAML")
        return nothing
    if value is None:
        return nothing
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        report.problem(Place(file, None), "file", shown(value), "a mapping of names to values")
        return nothing
    fields = Fields(value, Place(file, None), report, prefix="")
    return About(
        name=_dataset_name(fields),
        language=fields.text("language"),
        unit=_unit(fields, "unit"),
        label_unit=_unit(fields, "label_unit"),
        identities=_identities(fields),
        rest=fields.rest(),
    )


def _dataset_name(fields: Fields) -> str | None:
    name = fields.text("name")
    if name is None or usable_name(name):
        return name
    fields.wrong("name", shown(name), f"a name of one line and at most {MOST_NAME_BYTES} bytes")
    return None


def usable_name(name: str) -> bool:
    """Whether a dataset may be called so: visible characters on one line, not too many."""
    short = len(name.encode("utf-8", "surrogatepass")) <= MOST_NAME_BYTES
    return short and name.isprintable() and bool(name.strip())


def _unit(fields: Fields, key: str) -> Unit | None:
    word = fields.text(key)
    if word is None:
        return None
    try:
        return Unit.parse(word)
    except ValueError:
        fields.wrong(key, shown(word), f"one of: {', '.join(Unit)} (or chunk, which means passage)")
        return None


def _identities(fields: Fields) -> dict[str, tuple[str, ...]]:
    value = fields.take("identities")
    if value is None:
        return {}
    if not isinstance(value, dict):
        fields.wrong("identities", shown(value), "a mapping of identities to lists of roles")
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for name, roles in value.items():
        if not isinstance(name, str) or not name:
            fields.wrong("identities", f"{shown(name)} as a name", "names that are strings (put them in quotes)")
        elif not isinstance(roles, list) or not all(isinstance(role, str) and role for role in roles):
            fields.wrong(f"identities.{name}", shown(roles), "a list of roles (strings)")
        else:
            found[name] = tuple(roles)
    return found


class _Loader(yaml.SafeLoader):
    """The safe loader, which also refuses a key given twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                message = f"the key {key.value!r} twice in one mapping"
                raise yaml.constructor.ConstructorError(None, None, message, key.start_mark)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)
