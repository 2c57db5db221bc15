"""From a plain mapping to a dataclass of settings."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

from rag_ablation.core.errors import ConfigError, Problem
from rag_ablation.core.secrets import masked

T = TypeVar("T")


def settings_from(cls: type[T], given: object, section: str, problems: list[Problem]) -> T | None:
    """A settings dataclass from a mapping; unknown keys, wrong types and bad values are problems."""
    if not isinstance(given, Mapping):
        problems.append(problem(section, shown(section, given), "a section with settings"))
        return None
    values = {str(key): tuple(value) if isinstance(value, list) else value for key, value in given.items()}
    found = _type_problems(cls, values, section)
    if found:
        problems += found
        return None
    try:
        return cls(**values)
    except ConfigError as error:  # a file that a setting names
        problems += error.problems
    except ValueError as error:
        name, _, said = str(error).partition(": ")
        found_text, _, expected = said.removeprefix("found ").partition(", expected ")
        problems.append(problem(f"{section}.{name}", found_text, expected or str(error)))
    return None


def _type_problems(cls: type, values: Mapping[str, object], section: str) -> list[Problem]:
    from pydantic import ConfigDict, ValidationError, create_model  # noqa: PLC0415

    if not is_dataclass(cls):
        message = f"{cls.__name__} is not a dataclass of settings"
        raise TypeError(message)
    hints = get_type_hints(cls)
    spec: dict[str, Any] = {
        field.name: (
            hints[field.name],
            ... if field.default is MISSING and field.default_factory is MISSING else None,
        )
        for field in fields(cls)
    }
    model = create_model(
        "Settings", __config__=ConfigDict(extra="forbid", strict=True, protected_namespaces=()), **spec
    )
    missing = [key for key, value in values.items() if value == "???"]
    try:
        model.model_validate({key: value for key, value in values.items() if key not in missing})
    except ValidationError as error:
        return [_from_pydantic(detail, section, list(spec), missing) for detail in error.errors()]
    return []


def _from_pydantic(detail: Mapping[str, Any], section: str, known: list[str], missing: list[str]) -> Problem:
    """One validation error in our own words."""
    place = [str(part) for part in detail["loc"]]
    name = place[0]
    field = f"{section}.{name}"
    if detail["type"] == "extra_forbidden":
        return problem(field, "a key that does not exist", f"one of {', '.join(known)}")
    if detail["type"] == "missing":
        return problem(field, "nothing", f"a value: {field}=…" if name in missing else "a value")
    message = str(detail["msg"]).removeprefix("Input should be ")
    return problem(field, shown(name, detail["input"]), message)


def shown(name: str, value: object) -> str:
    """A value as it may be shown: secrets masked."""
    return repr(masked(value, name))


def problem(field: str, found: str, expected: str) -> Problem:
    """A problem with a setting."""
    return Problem(field=field, found=found, expected=expected)
