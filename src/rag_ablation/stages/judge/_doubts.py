"""What a text says of its own words: that they are doubted, denied, excepted or asked; and how often an amount is due.

Texts are as `plain` leaves them.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple


class Doubt(StrEnum):
    """Why words that are there may not be meant."""

    UNSURE = "it is said with doubt"
    DENIED = "it is denied, or no longer so"
    FORMER = "it is said of earlier, or of a case"
    EXCEPTED = "it is named as an exception or a condition"
    ASKED = "it is asked, not said"


class Scope(NamedTuple):
    """Where a doubt holds, from `start` up to `end`."""

    start: int
    end: int
    doubt: Doubt


_SENTENCE = r"。;!?"
_WHOLE_SENTENCE = (
    (
        Doubt.UNSURE,
        "不(?:确定|太?清楚|知道)(?!时|的|是否|能否)|不敢肯定|拿不准|也许|或许|大概|似乎|好像|"
        r"恐怕|可能(?=[是为\d¥]|rmb)|有人说|据说|听说|应该是|估计是|(?:我|很)怀疑|猜|"
        r"\b(?:maybe|perhaps|possibly|probably|presumably|apparently|supposedly|allegedly|reportedly|"
        r"some (?:people )?say|(?<!if )unsure|uncertain|unclear|"
        r"i (?:think|guess|believe|suppose|assume)|(?:not|never|hardly) (?:quite )?(?:sure|certain)|"
        r"might (?:well )?be|(?:do not|don't|cannot|can't) (?:really )?(?:know|say|tell)|"
        r"(?:i|we|to|they) doubt|doubtful|seems|rumou?r(?:ed|s)?|hardly|barely|scarcely|rarely|seldom)\b",
    ),
    (
        Doubt.DENIED,
        "(?:是|为|属|都|均|全|纯属)(?:错误?|假|误|谣|不实)的?(?!误?[报账时填])|并非如此|不是这样|不是真的|不属实|不成立|不正确|说法有误|"
        "(?<![^。;!?])(?:错误?|不对|否|假)[:,]|否认|否定|谎称|误传|误以为|(?:已|已经|被|全部|正式)(?:被)?(?:取消|废止|废除|作废|停止|停发|撤销)|不再|"
        r"\b(?:false|untrue|incorrect|wrong|mistaken|myth|lie|den(?:y|ies|ied)|disputed?|disputes|abolished|repealed|"
        r"revoked|withdrawn|discontinued|rescinded|scrapped|superseded|"
        r"(?:is|was|are|were|been) cancell?ed|no longer|(?:not|isn't|wasn't) (?:true|the case|so|correct|right))\b",
    ),
)
_LEADS = re.compile(
    r"(?:并非|不是)(?:如此|这样)|(?:这|那|此)(?:是|就)?(?:错|假)|不确定|不清楚|不知道|"
    r"\bi (?:do not|don't|am not|'m not)\b|\bnot sure\b"
)
_EXCEPT = re.compile(
    r"除非|\b(?:except(?: for)?|excepting|excluding|other than|apart from|aside from|unless|"
    r"with the exception of|(?:everyone|everybody|anyone|all) but)\b"
)
_EXCEPT_HAN = re.compile(
    r"除(?!非|去|外)(?:了)?(?P<inside>[^,。;!?]{1,40}?)(?:之外|以外|外)(?!国|地|籍|部|出|勤|包|币|汇)"
)
_EXCEPT_BEHIND = re.compile(r"除外|不在此列|不包括在内|\b(?:is|are|being)? ?(?:excluded|not included)\b")
_CASE = re.compile(
    r"(?<![^,。:;!?])(?:在?以前|从前(?!台)|原来|原先|过去|如果是|要是|假如是|倘若是)|曾经?(?!用名)|"
    r"\b(?:formerly|previously|used to be|once was|was once|until (?:19|20)\d\d|if (?:it|this|that) (?:is|was|were))\b"
)
_MARKS = re.compile(rf"[{_SENTENCE}]|\.(?!\w)")
_CLAUSE = re.compile(rf"[,、:(){_SENTENCE}]|\.(?!\w)")
_WORDS = tuple((doubt, re.compile(pattern)) for doubt, pattern in _WHOLE_SENTENCE)

_PERIODS = {
    "day": "天 日 day",
    "night": "晚 夜 night",
    "week": "周 星期 week",
    "month": "月 month",
    "quarter": "季度 季 quarter",
    "year": "年 year",
    "hour": "小时 hour",
    "trip": "次 趟 trip time",
}
_PERIOD_OF = {name: period for period, names in _PERIODS.items() for name in names.split()} | {
    "daily": "day",
    "nightly": "night",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
    "annual": "year",
    "hourly": "hour",
}
_HAN_PERIOD = "小时|星期|季度|天|日|晚|夜|周|月|季|年|次|趟"
_LATIN_PERIOD = "day|night|week|month|quarter|year|hour|trip|time"
_DUE = re.compile(
    rf"(?:每一?个?|按|/)(?P<han>{_HAN_PERIOD})|(?:(?<=元)|(?<=块))一个?(?P<of>{_HAN_PERIOD})|一个?(?P<first>{_HAN_PERIOD})(?=[\d¥]|rmb)|"
    rf"(?:\b(?:per|each|every)|/|(?<=\d) an?|(?<=yuan) an?) ?(?:calendar )?(?P<latin>{_LATIN_PERIOD})\b|"
    r"\b(?P<adverb>daily|nightly|weekly|monthly|quarterly|yearly|annually|annual|hourly)\b"
)
_ASKED = re.compile(rf"{_DUE.pattern}|一个?(?P<one>{_HAN_PERIOD})|\ban? (?P<a>{_LATIN_PERIOD})\b")


def scopes(text: str) -> frozenset[Scope]:
    """Where a text takes its words back, or says that it does not know."""
    return frozenset(_scopes(text))


def due(text: str, at: int) -> frozenset[str]:
    """Periods that the clause of a figure names: how often an amount is due."""
    start, end = _bounds(_CLAUSE, text, at)
    return _periods(_DUE, text, start, end)


def asked(text: str) -> frozenset[str]:
    """Periods that a question or a reference speaks of."""
    return _periods(_ASKED, text, 0, len(text))


def _scopes(text: str) -> Iterator[Scope]:
    for doubt, words in _WORDS:
        for found in words.finditer(text):
            start, end = _bounds(_MARKS, text, found.start())
            yield Scope(start, end, doubt)
            if _LEADS.search(text, start, end):
                yield Scope(*_bounds(_MARKS, text, max(0, start - 2)), doubt)
                yield Scope(*_bounds(_MARKS, text, min(len(text), end + 1)), doubt)
    for found in _EXCEPT.finditer(text):
        yield Scope(found.end(), _bounds(_CLAUSE, text, found.end())[1], Doubt.EXCEPTED)
    for found in _EXCEPT_HAN.finditer(text):
        yield Scope(found.start("inside"), found.end("inside"), Doubt.EXCEPTED)
    for found in _EXCEPT_BEHIND.finditer(text):
        yield Scope(_bounds(_CLAUSE, text, found.start())[0], found.start(), Doubt.EXCEPTED)
    for found in _CASE.finditer(text):
        yield Scope(*_bounds(_CLAUSE, text, found.start()), Doubt.FORMER)
    for found in re.finditer(r"\?", text):
        yield Scope(_bounds(_MARKS, text, found.start())[0], found.start(), Doubt.ASKED)


def _bounds(marks: re.Pattern[str], text: str, at: int) -> tuple[int, int]:
    """Ends of the sentence or clause around a place."""
    marked = _marked(marks, text)
    place = bisect_left(marked, at)
    start = marked[place - 1] + 1 if place else 0
    return start, marked[place] if place < len(marked) else len(text)


@lru_cache(maxsize=64)
def _marked(marks: re.Pattern[str], text: str) -> tuple[int, ...]:
    return tuple(found.start() for found in marks.finditer(text))


@lru_cache(maxsize=4096)
def _periods(pattern: re.Pattern[str], text: str, start: int, end: int) -> frozenset[str]:
    found = (match for match in pattern.finditer(text, start, end))
    return frozenset(_PERIOD_OF[name] for match in found for name in match.groupdict().values() if name)
