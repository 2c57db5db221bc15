"""One reversible way from a measure's name to a name that MLflow takes.

`@` becomes `_at_`. Any other character that MLflow refuses, or that would make two names equal or a
path ambiguous, becomes `_xHH_` with the character's code point in hexadecimal.
"""

import posixpath
import re

MAX_LENGTH = 250
SAFE = re.compile(r"[A-Za-z0-9_\-. :/]")
ESCAPE = re.compile(r"_at_|_x([0-9a-f]+)_")


def tracker_name(name: str) -> str:
    """A valid MLflow name, different for every different name.

    Raises:
        ValueError: the name is empty or too long once escaped.
    """
    if not name:
        message = "a metric needs a name"
        raise ValueError(message)
    escaped = _escape(name, always=frozenset())
    if original_name(escaped) != name:
        escaped = _escape(name, always=frozenset("_"))
    if posixpath.normpath(escaped) != escaped or escaped.startswith(("/", "..")) or escaped == ".":
        escaped = _escape(name, always=frozenset("_./"))
    if len(escaped) > MAX_LENGTH:
        message = f"metric name of {len(escaped)} characters, at most {MAX_LENGTH}: {name!r}"
        raise ValueError(message)
    return escaped


def original_name(escaped: str) -> str:
    """The inverse of `tracker_name`."""
    return ESCAPE.sub(lambda found: "@" if found[1] is None else chr(int(found[1], 16)), escaped)


def _escape(name: str, *, always: frozenset[str]) -> str:
    return "".join(
        "_at_" if char == "@" else char if SAFE.match(char) and char not in always else f"_x{ord(char):x}_"
        for char in name
    )
