"""From numbers to places along an axis."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag_ablation.core.record import RecordedMean
from rag_ablation.report import leaderboard

Number = float | None
NO_RANGE = 1e-9


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis; one that would end where it starts gets room for 1 after its start.

    Args:
        low: value at its start.
        high: value at its end.
        ticks: values that are marked.
        log: whether equal ratios take equal room.
    """

    low: float
    high: float
    ticks: tuple[float, ...] = ()
    log: bool = False

    def __post_init__(self) -> None:
        """No axis is without length."""
        if self.low == self.high:
            object.__setattr__(self, "high", self.low + 1)

    def place(self, value: float) -> float:
        """0 at the start, 1 at the end."""
        low, high, value = (math.log(number) if self.log else number for number in (self.low, self.high, value))
        return (value - low) / (high - low)

    def label(self, value: float, *, signed: bool = False) -> str:
        """A tick with as many decimals as the ticks need."""
        gaps = [after - before for before, after in zip(self.ticks, self.ticks[1:], strict=False)]
        decimals = 0 if self.log or not gaps else max(0, -math.floor(math.log10(min(gaps)) + 1e-9))
        if self.log:
            return f"{value:g}"
        return (leaderboard.signed if signed else leaderboard.number)(value, decimals)


def known(values: Iterable[Number]) -> list[float]:
    """Those that are defined."""
    return [value for value in values if value is not None and math.isfinite(value)]


def inside(value: Number) -> Number:
    """An end of an interval as far as a measure goes: a t interval may pass 0 or 1, a drawing does not."""
    return None if value is None else min(max(value, 0.0), 1.0)


def ends_inside(mean: RecordedMean) -> tuple[Number, Number, Number]:
    """A mean and both ends of its interval, as far as a measure goes."""
    return mean.value, inside(mean.low), inside(mean.high)


def linear(values: Iterable[Number], *, about: int = 5, pad: float = 0.04) -> Scale:
    """A scale over all values, with ticks at round numbers inside it.

    Args:
        values: to hold; undefined ones are passed over.
        about: most ticks wanted.
        pad: share left free at both ends.
    """
    there = known(values) or [0.0, 1.0]
    low, high = min(there), max(there)
    if high - low < NO_RANGE:
        low, high = low - 0.05, high + 0.05
    room = pad * (high - low)
    low, high = low - room, high + room
    return Scale(low, high, _round_numbers(low, high, about))


def logarithmic(values: Sequence[float], *, room: float = 1.15) -> Scale:
    """A scale over positive values, with ticks at 1, 2, 5 of each power of ten, or closer where those are few.

    Args:
        values: to hold, at least one.
        room: factor left free at both ends.
    """
    low, high = min(values) / room, max(values) * room
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if high / low < 2000 else (1,)
    ticks = tuple(step * 10.0**power for power in powers for step in steps)
    inside = tuple(tick for tick in ticks if low <= tick <= high)
    return Scale(low, high, inside if len(inside) > 2 else _round_numbers(low, high, 5), log=True)


def spans_a_decade(values: Sequence[float]) -> bool:
    """Whether equal ratios should take equal room."""
    return min(values) > 0 and max(values) / min(values) >= 10


def _round_numbers(low: float, high: float, most: int) -> tuple[float, ...]:
    """Multiples of the smallest 1, 2 or 5 of a power of ten that gives no more than so many."""
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    for step in (power, 2 * power, 5 * power, 10 * power, 20 * power):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            return tuple(round(place * step, 12) for place in range(first, last + 1))
    return (low, high)
