"""Orders that people expect."""

import re


def natural(text: str) -> list[tuple[int, int, str]]:
    """A key by which digits compare as numbers, so that clause 2.10 follows clause 2.9 and version 10 version 9."""
    parts = re.findall(r"\d+|\D+", text)
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]
