"""Amounts with their units, shares, ranges and places in an order."""

import re
from dataclasses import replace
from fractions import Fraction

from rag_ablation.stages.judge._calendar import Found
from rag_ablation.stages.judge._figures import Figure, Kind
from rag_ablation.stages.judge._numerals import HAN_DIGITS, HAN_NUMERAL, MOST_HAN, ORDINALS, Numeral, numeral_at
from rag_ablation.stages.judge._units import CURRENCIES, DAY, MINUTE, MONTH, NTH, SHARE, WORKDAY, Unit, sign_at, unit_at

_PER_HUNDRED = re.compile("百分之")
_PARTS = re.compile(rf"(?P<lower>[{HAN_NUMERAL}]{{1,{MOST_HAN}}}+)分之(?=[{HAN_NUMERAL}\d])")
_MARKED_SHARE = re.compile(r"(?:比例|占比|比率|share of|proportion of|ratio of|rate of)(?:为|是|:)? ?$")
_HALF_UNIT = re.compile(r"半个?(?=天|日|年|小时|月|工作日)|half (?:a |an )?(?=day|hour|month|year|working)")
_HALF = re.compile(r"一半|半数|(?<![a-z])half(?: of)?(?![a-z])")
_HAN_DIGIT = "一二两三四五六七八九"
_TENTHS = re.compile(rf"(?P<tenths>[{_HAN_DIGIT}])成(?P<more>半|[{_HAN_DIGIT}](?![{HAN_NUMERAL}个]))")
_DISCOUNT = re.compile(rf"(?P<paid>[{_HAN_DIGIT}]{{1,2}}|\d\d?(?:\.\d)?)折(?![叠旧算合价射])")
_COINS = re.compile(rf"(?P<tens>[{_HAN_DIGIT}\d])[角毛](?:(?P<ones>[{_HAN_DIGIT}\d])分(?!钟))?")
_COIN_LEFT_OUT = re.compile(rf"(?P<tens>[{_HAN_DIGIT}])(?![^\W\d_]|\d)")
_MILLIONS = re.compile(" ?m(?![a-z0-9])")
_AND_A_HALF = re.compile("半")
_MORE_HALF = re.compile(r"个半(?=小时|钟头|月|工作日)| and a half")
_NTH_DIGITS = re.compile(r"(\d{1,9})(?:st|nd|rd|th)(?![a-z])")
_NTH_WORD = re.compile(rf"(?<![a-z])({'|'.join(sorted(ORDINALS, key=len, reverse=True))})(?![a-z])")
_DAY_OF_MONTH = re.compile("[日号](?!内|以内|之内|元|期限)")
_DAYS = re.compile("日(?=内|以内|之内)")
_TO = re.compile(r" ?(?:-|~|至|到|to|and(?= )) ?")
_BETWEEN = re.compile(r"(?:between|from|介于|在|从) ?$")
_EQUALS = re.compile(" ?=")
_DURATIONS = frozenset({DAY, WORKDAY, MONTH, MINUTE})
_ENDS = frozenset("前后")
_OPENS = frozenset(" (=:为是")
_CLOSES_FIGURE = frozenset("0123456789%元天")
_TOLD_BY_DIGITS = frozenset(HAN_NUMERAL)
_ABOUT = re.compile("[多来余几]")


def amount_at(text: str, start: int) -> Found | None:
    """The amount, share, range or place in an order that begins here."""
    if text[start] == "-":
        return _below_zero_at(text, start)
    return _nth_at(text, start) or _share_at(text, start) or _half_at(text, start) or _range_at(text, start)


def _below_zero_at(text: str, start: int) -> Found | None:
    """A negative amount; a dash behind a figure or a word is a dash."""
    before = text[:start]
    if (before and before[-1] not in _OPENS) or before.rstrip()[-1:] in _CLOSES_FIGURE:
        return None
    found = _one_at(text, start + 1) if start + 1 < len(text) else None
    if not found or found.figure.values[0] is None:
        return None
    figure = replace(found.figure, values=(-found.figure.values[0],), shown=text[start : found.end])
    return Found(figure, found.end)


def _nth_at(text: str, start: int) -> Found | None:
    if text[start] == "第":
        numeral = numeral_at(text, start + 1)
        return _nth(text, start, numeral.end, numeral.value) if numeral else None
    if found := _NTH_DIGITS.match(text, start):
        return _nth(text, start, found.end(), Fraction(found[1]))
    if found := _NTH_WORD.match(text, start):
        return _nth(text, start, found.end(), Fraction(ORDINALS[found[1]]))
    numeral = numeral_at(text, start)
    day = _DAY_OF_MONTH.match(text, numeral.end) if numeral else None
    if numeral and day and 1 <= numeral.value <= 31:
        return _nth(text, start, day.end(), numeral.value)
    return None


def _nth(text: str, start: int, end: int, value: Fraction) -> Found:
    return Found(Figure(kind=Kind.NTH, values=(value,), unit=NTH, shown=text[start:end]), end)


def _share_at(text: str, start: int) -> Found | None:
    per_hundred = _PER_HUNDRED.match(text, start)
    parts = None if per_hundred else _PARTS.match(text, start)
    marker = per_hundred or parts
    if not marker:
        return _tenths_at(text, start)
    numeral = numeral_at(text, marker.end())
    lower = numeral_at(parts["lower"], 0) if parts else None
    below = lower.value if lower else Fraction(100)
    if not numeral or not below:
        return None
    return _amount(text, start, numeral.end, numeral.value / below, SHARE)


def _tenths_at(text: str, start: int) -> Found | None:
    """一成五 is 15 %; 八折, 85 折 and 八五折 are what is left to pay."""
    if found := _TENTHS.match(text, start):
        more = 5 if found["more"] == "半" else HAN_DIGITS[found["more"]]
        return _amount(text, start, found.end(), Fraction(10 * HAN_DIGITS[found["tenths"]] + more, 100), SHARE)
    found = _DISCOUNT.match(text, start)
    if not found or text[max(0, start - 1) : start] in _TOLD_BY_DIGITS:
        return None
    paid = Fraction("".join(str(HAN_DIGITS.get(character, character)) for character in found["paid"]))
    return _amount(text, start, found.end(), paid / (100 if paid >= 10 else 10), SHARE)


def _half_at(text: str, start: int) -> Found | None:
    if start and text[start - 1].isascii() and text[start - 1].isalnum():
        return None
    if found := _HALF_UNIT.match(text, start):
        unit = unit_at(text, found.end())
        if text.startswith("月", found.end()):
            return _amount(text, start, found.end() + 1, Fraction(1, 2), MONTH)
        if unit:
            return _amount(text, start, unit.end, unit.factor / 2, unit.kind)
    found = _HALF.match(text, start)
    return _amount(text, start, found.end(), Fraction(1, 2), SHARE) if found else None


def _range_at(text: str, start: int) -> Found | None:
    """A range, with its unit behind one end or both; else the first amount."""
    alone = _one_at(text, start)
    low = _one_at(text, start, in_range=True)
    to = _TO.match(text, low.end) if low else None
    high = _one_at(text, to.end(), in_range=True) if to else None
    if not low or not to or not high or (to[0].strip() == "and" and not _BETWEEN.search(text[:start])):
        return alone
    (least,), (most,) = low.figure.values, high.figure.values
    if least is None or most is None or _EQUALS.match(text, high.end):
        return alone
    if low.figure.unit is None:
        least *= _factor(text, to.end())
    elif low.figure.unit != high.figure.unit:
        return alone
    if least >= most:
        return alone
    unit = high.figure.unit
    return Found(Figure(kind=Kind.RANGE, values=(least, most), unit=unit, shown=text[start : high.end]), high.end)


def _factor(text: str, start: int) -> Fraction:
    """What the unit of the number here makes of it, so that both ends of 3-5 小时 are minutes."""
    numeral = numeral_at(text, start)
    unit = unit_at(text, numeral.end) if numeral else None
    return unit.factor if unit else Fraction(1)


def _one_at(text: str, start: int, *, in_range: bool = False) -> Found | None:
    """An amount with the unit before or behind it."""
    sign = sign_at(text, start)
    numeral = numeral_at(text, sign.end if sign else start)
    if not numeral or (numeral.in_words and _ABOUT.match(text, numeral.end)):
        return None
    value, end, unit = _measured(text, numeral)
    if sign and (unit is None or unit.kind not in CURRENCIES - {"CNY"}) and (unit is None or unit.kind != sign.kind):
        millions = _MILLIONS.match(text, end)
        value, end = (value * 10**6, millions.end()) if millions else (value, end)
        return _amount(text, start, end, value, sign.kind)
    if unit is None:
        return _without_unit(text, start, end, numeral, in_range=in_range)
    return _with_unit(text, start, value, unit, numeral)


def _with_unit(text: str, start: int, value: Fraction, unit: Unit, numeral: Numeral) -> Found | None:
    if unit.kind == "person" and numeral.single and start and text[start - 1] in _ENDS:
        return None
    if unit.kind in _DURATIONS and (half := _AND_A_HALF.match(text, unit.end)):
        return _amount(text, start, half.end(), (value + Fraction(1, 2)) * unit.factor, unit.kind)
    coins, end = _coins(text, unit)
    found = _amount(text, start, end, value * unit.factor + coins, unit.kind)
    return Found(replace(found.figure, passing=numeral.single and value == 1), found.end)


def _coins(text: str, unit: Unit) -> tuple[Fraction, int]:
    """What 角 and 分 add behind an amount of yuan, also where 角 is left out (三十八块五), and where that ends."""
    yuan = unit.kind == "CNY" and text[unit.end - 1] in "元块"
    found = _COINS.match(text, unit.end) if yuan else None
    if yuan and not found and text[unit.end - 1] == "块":
        found = _COIN_LEFT_OUT.match(text, unit.end)
    if not found:
        return Fraction(0), unit.end
    tens, ones = (found.groupdict().get(name) or "零" for name in ("tens", "ones"))
    return Fraction(10 * _digit(tens) + _digit(ones), 100), found.end()


def _digit(character: str) -> int:
    return HAN_DIGITS[character] if character in HAN_DIGITS else int(character)


def _measured(text: str, numeral: Numeral) -> tuple[Fraction, int, Unit | None]:
    """The number with a half said behind it, where it ends, and its unit."""
    value, end = numeral.value, numeral.end
    if half := _MORE_HALF.match(text, end):
        value, end = value + Fraction(1, 2), half.end()
        if text.startswith("月", end):
            return value, end, Unit(MONTH, Fraction(1), end + 1)
    if days := _DAYS.match(text, end):
        return value, end, Unit(DAY, Fraction(1), days.end())
    return value, end, unit_at(text, end)


def _without_unit(text: str, start: int, end: int, numeral: Numeral, *, in_range: bool) -> Found | None:
    """Digits are a number by themselves; a single Chinese numeral or `one` is none, except in a range."""
    if numeral.single and not in_range:
        return None
    share = numeral.value < 1 and _MARKED_SHARE.search(text[:start])
    return _amount(text, start, end, numeral.value, SHARE if share else None)


def _amount(text: str, start: int, end: int, value: Fraction, unit: str | None) -> Found:
    return Found(Figure(kind=Kind.AMOUNT, values=(value,), unit=unit, shown=text[start:end]), end)
