"""What passes for a number where a person hands one over: a boolean or a text never does."""

import math

import numpy as np

from rag_ablation.core.errors import InputRefused


def is_number(value: object) -> bool:
    """Whether it is a finite number and no boolean."""
    return isinstance(value, int | float | np.integer | np.floating) and not is_boolean(value) and math.isfinite(value)


def is_integer(value: object) -> bool:
    """Whether it is a plain integer and no boolean."""
    return isinstance(value, int) and not is_boolean(value)


def is_boolean(value: object) -> bool:
    """Whether it is a boolean, which Python takes for an integer."""
    return isinstance(value, bool | np.bool_)


def check_integer(reason: str, name: str, value: int, least: int) -> None:
    """Refuse what is no plain integer from some number up.

    Raises:
        InputRefused: with the reason given.
    """
    if not is_integer(value) or value < least:
        raise InputRefused(reason, f"{name}: found {value!r}, expected an integer from {least} up")


def check_between(reason: str, name: str, value: float) -> None:
    """Refuse what does not lie between 0 and 1.

    Raises:
        InputRefused: with the reason given.
    """
    if not is_number(value) or not 0 < value < 1:
        raise InputRefused(reason, f"{name}: found {value!r}, expected a number between 0 and 1")
