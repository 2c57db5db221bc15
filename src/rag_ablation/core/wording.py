"""Numbers in sentences."""


def counted(number: int, noun: str) -> str:
    """`1 group`, `2 groups`; of a noun in the singular, whose plural ends in s."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
