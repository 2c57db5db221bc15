"""Dates and times of day, in the ways they are written in Chinese and English."""

import re
from fractions import Fraction
from typing import NamedTuple

from rag_ablation.stages.judge._figures import Figure, Kind
from rag_ablation.stages.judge._numerals import HAN_NUMERAL, ORDINALS, han_value

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH_OF = {name[:size]: month for month, name in enumerate(_MONTHS, start=1) for size in (3, len(name))} | {"sept": 9}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTH_OF, key=len, reverse=True))})\.?"
_DAY = rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:.]|,\d)|(?P<nth>{'|'.join(sorted(ORDINALS, key=len, reverse=True))})"
_YEAR = r"(?:,? ?(?P<year>(?:19|20)\d\d)(?!\d))?"
_HAN_NUMBER = rf"(?:\d{{1,2}}|[{HAN_NUMERAL}]{{1,3}})"
_HAN_YEAR = r"(?:(?:19|20)\d\d|[一二][零〇一二三四五六七八九]{3})"

_NO_AMOUNT = r"(?:199\d|20[0-4][1-9]|20[1-4]0)"
_BEFORE_A_YEAR = "|".join(rf"(?<=\b{word} )" for word in ("in", "the", "since", "under", "of"))

_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<![\d./-])(?P<year>(?:19|20)\d\d)([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?![\d-])",
        rf"(?P<year>{_HAN_YEAR})年(?:(?P<month>{_HAN_NUMBER})月(?!内)(?:份|(?P<day>{_HAN_NUMBER})[日号])?)?",
        rf"(?P<month>{_HAN_NUMBER})月(?P<day>{_HAN_NUMBER})[日号]",
        rf"(?<![a-z]){_MONTH} (?:the )?(?:{_DAY}){_YEAR}(?![a-z])",
        rf"(?:{_DAY})(?: of)? {_MONTH}{_YEAR}(?![a-z])",
        rf"(?<![a-z]){_MONTH},? (?P<year>(?:19|20)\d\d)(?!\d)",
        rf"(?P<year>{_NO_AMOUNT})(?=版)",
        rf"(?:{_BEFORE_A_YEAR})(?P<year>{_NO_AMOUNT})(?![\d,.]*\d)",
    )
)
_SLASHED = re.compile(r"(?<![\d./])(\d{1,2})/(\d{1,2})(?:/((?:19|20)\d\d))?(?![\d/]|\.\d)")
_CLOCK = re.compile(
    r"(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?!\d)(?: ?(?P<half>[ap])\.?m\.?(?![a-z]))?"
)
_ENGLISH_HOUR = re.compile(r"(?P<hour>1[0-2]|[1-9]) ?(?P<half>[ap])\.?m\.?(?![a-z])")
_HAN_HOUR = re.compile(
    rf"(?P<part>凌晨|早上|上午|中午|下午|傍晚|晚上)?(?P<hour>{_HAN_NUMBER})[点时](?!间|[零〇一二三四五六七八九\d]+(?!分)|长|效|段)"
    rf"(?:整|(?P<half>半)|(?P<minute>{_HAN_NUMBER})分)?"
)
_HAN_CLOCK = re.compile(r"(?P<part>凌晨|早上|上午|中午|下午|傍晚|晚上)(?=\d{1,2}:)")
AFTERNOON = frozenset({"下午", "傍晚", "晚上", "p"})


class Found(NamedTuple):
    """A figure and where it ends."""

    figure: Figure
    end: int


def date_at(text: str, start: int) -> Found | None:
    """The date, or the year, that begins here."""
    for pattern in _PATTERNS:
        found = pattern.match(text, start)
        if found:
            parts = found.groupdict()
            month, day = _number(parts.get("month")), _number(parts.get("day") or parts.get("nth"))
            if (month is None or 1 <= month <= 12) and (day is None or 1 <= day <= 31):
                values = (_number(parts.get("year")), month, day)
                return Found(Figure(kind=Kind.DATE, values=values, shown=found[0]), found.end())
    return _slashed_at(text, start)


def _slashed_at(text: str, start: int) -> Found | None:
    """3/10, which may be a day, or a share."""
    found = _SLASHED.match(text, start)
    if not found or not all(1 <= int(part) <= 31 for part in found.groups()[:2]):
        return None
    values = tuple(_number(part) for part in found.groups())
    return Found(Figure(kind=Kind.SLASHED, values=values, shown=found[0]), found.end())


def time_at(text: str, start: int) -> Found | None:
    """The time of day that begins here."""
    part = _HAN_CLOCK.match(text, start)
    found = _CLOCK.match(text, part.end() if part else start) or _ENGLISH_HOUR.match(text, start)
    if found:
        return _time(found, part["part"] if part else found["half"])
    found = _HAN_HOUR.match(text, start)
    return _time(found, found["part"]) if found else None


def _time(found: re.Match[str], part: str | None) -> Found | None:
    parts = found.groupdict()
    hour, minute = _number(parts["hour"]), _number(parts.get("minute")) or Fraction(0)
    if hour is None or hour > 24:
        return None
    if parts.get("half") == "半":
        minute = Fraction(30)
    if part in AFTERNOON and hour < 12:
        hour += 12
    if part == "a" and hour == 12:
        hour = Fraction(0)
    return Found(Figure(kind=Kind.TIME, values=(60 * hour + minute,), shown=found[0]), found.end())


def _number(text: str | None) -> Fraction | None:
    if not text:
        return None
    if text in _MONTH_OF:
        return Fraction(_MONTH_OF[text])
    if text in ORDINALS:
        return Fraction(ORDINALS[text])
    return Fraction(text) if text.isdigit() else han_value(text)
