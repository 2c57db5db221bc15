"""Numbers in digits, in Chinese numerals and in English words, as exact fractions."""

import re
from fractions import Fraction
from typing import NamedTuple

HAN_DIGITS = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
HAN_TENS = {"十": 10, "百": 100, "千": 1000}
HAN_SCALES = {"万": 10**4, "亿": 10**8}
HAN_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
MOST_DIGITS = 100
MOST_HAN = 40
"""Longest numerals that are read as numbers."""
SCALES = {"thousand": 10**3, "k": 10**3, "million": 10**6, "mn": 10**6, "billion": 10**9, "bn": 10**9}

_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
WORDS = {
    "a": 1,
    "zero": 0,
    **{word: value for value, word in enumerate((*_ONES, *_TEENS), start=1)},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
}
_ORDINAL_ONES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
ORDINALS = {
    **{word: value for value, word in enumerate(_ORDINAL_ONES, start=1) if value > 3},
    **{f"{word}th": value for value, word in enumerate(_TEENS, start=10) if word != "twelve"},
    "twelfth": 12,
    "twentieth": 20,
    "thirtieth": 30,
    **{f"twenty-{word}": 20 + value for value, word in enumerate(_ORDINAL_ONES, start=1)},
    "thirty-first": 31,
}

_ONE = "|".join(_ONES)
_TEEN = "|".join(sorted(_TEENS, key=len, reverse=True))
_BELOW_100 = rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{_ONE})(?![a-z]))?|{_TEEN}|{_ONE}|zero)"
_BELOW_1000 = rf"(?:(?:{_BELOW_100}|a)[ -]hundred(?:(?: and)? {_BELOW_100})?|{_BELOW_100})"
_SCALED = rf"(?:{_BELOW_1000}|a)[ -](?:thousand|million|billion)"
_SPELLED = re.compile(rf"(?<![a-z0-9])(?:{_SCALED}(?:,? (?:and )?{_BELOW_1000}(?: thousand)?)*|{_BELOW_1000})(?![a-z])")
_DIGITS = re.compile(r"(?:\d{1,3}(?:,\d{3})+(?![\d,]*\d)|\d+)(?:\.\d+)?")
_HAN_RUN = rf"(?<![{HAN_NUMERAL}]{{{MOST_HAN}}})[{HAN_NUMERAL}]{{1,{MOST_HAN}}}+(?![{HAN_NUMERAL}])"
_HAN = re.compile(rf"{_HAN_RUN}(?:点[零〇一二三四五六七八九]{{1,{MOST_HAN}}}+)?")
_HAN_SCALE = re.compile("[十百千]?[万亿]|[百千]")
_WORD_SCALE = re.compile(r" ?(thousand|million|billion|(?:k|bn|mn)(?![a-z]))")


class Numeral(NamedTuple):
    """A number and where it ends.

    Args:
        value: exact.
        end: first character behind it.
        in_words: whether it is written in words of either language.
        single: whether it is one Chinese numeral, a word such as 千万, or `one`: often no number at all.
        plain_digits: whether it is digits and nothing else.
    """

    value: Fraction
    end: int
    in_words: bool = False
    single: bool = False
    plain_digits: bool = False


def numeral_at(text: str, start: int) -> Numeral | None:
    """The number that begins here, None where none does."""
    return _digits_at(text, start) or _han_at(text, start) or _spelled_at(text, start)


def _digits_at(text: str, start: int) -> Numeral | None:
    found = _DIGITS.match(text, start)
    if not found or len(found[0]) > MOST_DIGITS:
        return None
    value, end = Fraction(found[0].replace(",", "")), found.end()
    plain_digits = found[0].isdigit()
    total, scaled = Fraction(0), False
    while scale := _HAN_SCALE.match(text, end):
        total, end, scaled = total + value * _scale(scale[0]), scale.end(), True
        more = _DIGITS.match(text, end)
        if not more or len(more[0]) > MOST_DIGITS or not _HAN_SCALE.match(text, more.end()):
            return Numeral(total, end)
        value, end = Fraction(more[0].replace(",", "")), more.end()
    word = _WORD_SCALE.match(text, end)
    if word and not scaled:
        return Numeral(value * SCALES[word[1]], word.end())
    return Numeral(value, end, plain_digits=plain_digits)


def _scale(characters: str) -> int:
    product = 1
    for character in characters:
        product *= HAN_TENS.get(character) or HAN_SCALES[character]
    return product


def _han_at(text: str, start: int) -> Numeral | None:
    found = _HAN.match(text, start)
    if not found:
        return None
    whole, _, decimals = found[0].partition("点")
    value = han_value(whole)
    if value is None:
        return None
    if decimals:
        value += Fraction(int("".join(str(HAN_DIGITS[digit]) for digit in decimals)), 10 ** len(decimals))
    return Numeral(value, found.end(), in_words=True, single=_is_single(found[0]))


def _is_single(numeral: str) -> bool:
    """One character, or a word such as 千万 that holds no digit."""
    return len(numeral) == 1 or not any(character in HAN_DIGITS or character == "十" for character in numeral)


def han_value(numeral: str) -> Fraction | None:
    """Value of Chinese numerals, by place (十二万) or digit by digit (二〇二六); None where they make no number.

    A last digit behind 百, 千, 万 or 亿 counts tenths of it: 一千五 is 1500, 一千零五 is 1005.
    """
    if all(character in HAN_DIGITS for character in numeral):
        digits = "".join(str(HAN_DIGITS[character]) for character in numeral)
        return Fraction(int(digits)) if len(digits) == 1 or len(digits) >= 4 else None
    digit: int | None = None
    total, section, last, size = 0, 0, 10**9, 1
    for character in numeral:
        if character in HAN_DIGITS:
            if digit:
                return None
            size = 1 if digit == 0 else size
            digit = HAN_DIGITS[character]
        elif character in HAN_TENS:
            size = HAN_TENS[character]
            if size >= last or (digit is None and size > 10):
                return None
            section, digit, last = section + (1 if digit is None else digit) * size, None, size
        else:
            section += digit or 0
            if not (section or total):
                return None
            scale = HAN_SCALES[character]
            total = total + section * scale if total >= scale else (total + section) * scale
            section, digit, last, size = 0, None, 10**9, scale
    return Fraction(total + section + (digit or 0) * (size // 10 if size > 10 else 1))


def _spelled_at(text: str, start: int) -> Numeral | None:
    found = _SPELLED.match(text, start)
    if not found:
        return None
    total, section = 0, 0
    for word in re.findall(r"[a-z]+", found[0]):
        if word in WORDS:
            section += WORDS[word]
        elif word == "hundred":
            section *= 100
        elif word in SCALES:
            total, section = total + section * SCALES[word], 0
    return Numeral(Fraction(total + section), found.end(), in_words=True, single=found[0] == "one")
