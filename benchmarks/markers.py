"""Tables in a page of the docs, between two markers, so that a command can write them again."""


def written(text: str, block: str, *, begin: str, end: str) -> str:
    """A page with what stands between its markers replaced, markers included.

    Raises:
        ValueError: the page lacks a marker, or has one twice.
    """
    before, found_begin, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end or begin in rest or end in after:
        message = f"expected the lines {begin!r} and {end!r}, once each"
        raise ValueError(message)
    return before + block + after
