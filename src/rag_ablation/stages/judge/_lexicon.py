"""Words that turn a sentence round, that set a bound, or that say nothing by themselves."""

import re
from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """What a word does for those behind it."""

    NOT = "not"
    MAY = "may"
    NEED = "need"
    HAVE = "have"
    WILL = "will"
    YES = "yes"
    LEAST = "least"
    MOST = "most"
    ABOVE = "above"
    BELOW = "below"
    PLAIN = "plain"
    EQUALS = "equals"
    NOR = "nor"


MODAL = frozenset({Role.MAY, Role.NEED, Role.HAVE, Role.WILL, Role.YES})

_HAN: tuple[tuple[tuple[Role, ...], str], ...] = (
    (
        (Role.PLAIN,),
        "不但|不仅|不同|不论|无论|不管|不断|不良|不含|不计|不久|不到位|不得不|不动产|未来|无线|无人|除非|非常",
    ),
    (
        (Role.MOST,),
        "不(?:得|可|能|应)?(?:超过|高于|多于|大于|超|晚于|迟于)|未超过|至多|最多|最长|最高|最迟|最晚|"
        "及以下|或以下|以下|以内|之内",
    ),
    ((Role.BELOW,), "低于|少于|小于|不满|不足|未满|不到"),
    (
        (Role.LEAST,),
        r"不(?:得|可|能|应)?(?:少于|低于|小于|短于)|至少|最少|最低|满(?=\d)|及以上|或以上|以上",
    ),
    ((Role.ABOVE,), "超过|高于|大于|多于|超出|逾"),
    (
        (Role.NOT, Role.MAY),
        "不(?:允许|可以|能够|能|得|可|准|许|行|要|应当|应该|应|予)|禁止|严禁|切勿|请勿|勿",
    ),
    ((Role.NOT, Role.NEED), "(?:不|无)(?:需要|用|必|需|须)|毋须|用不着"),
    ((Role.NOT, Role.WILL), "不会"),
    ((Role.NOT, Role.HAVE), "没有|并无|不存在|无权"),
    ((Role.NOT, Role.YES), "不是|并非|而非|不再是|不对"),
    (
        (Role.MAY,),
        "可以|允许|准许|能够|(?<![许即])可(?!能|靠|见|疑|视)|(?<![智功性可才产效职技节只])能(?!力|源|量|耗|效|否)",
    ),
    (
        (Role.NEED,),
        "需要|必须|应当|应该|须(?!知)|需(?!求)|(?<![对供反响相])应(?!用|急|聘|收|付|届|对|酬|答)|"
        "(?<![重主纪])要(?!求|点|素|件|么)",
    ),
    ((Role.NOT,), "不|没|未|无|非"),
    ((Role.EQUALS,), "等于"),
)
_ENGLISH: tuple[tuple[tuple[Role, ...], str], ...] = (
    ((Role.PLAIN,), "not only|no matter|no one else"),
    (
        (Role.MOST,),
        "(?:no|not) (?:more|later|longer|greater|higher) than|(?:must |may |should )?not (?:to )?exceed(?:ing)?|"
        "not (?:over|above|beyond)|at most|at the (?:most|latest)|up to|within|"
        "maximum(?: of)?|or (?:less|fewer)|limited to",
    ),
    ((Role.BELOW,), "less than|fewer than|shorter than|below|under"),
    (
        (Role.LEAST,),
        "(?:no|not) (?:less|fewer|earlier|shorter|lower) than|not (?:under|below)|at least|"
        "or more|minimum(?: of)?|and above",
    ),
    (
        (Role.ABOVE,),
        "more than|longer than|greater than|higher than|over|(?<!the )above|exceed(?:s|ing)?|in excess of|beyond|"
        "upwards of",
    ),
    (
        (Role.NOT, Role.MAY),
        "(?:must|may|can|could|should|shall) not|(?:must|can|could|should|may|sha)n't|cannot|can't|"
        "not (?:be )?(?:allowed|permitted)|(?:is|are|be) (?:prohibited|forbidden)|prohibited|forbidden",
    ),
    (
        (Role.NOT, Role.NEED),
        "(?:do|does|did)(?: not|n't) (?:have|need) to|need(?: not|n't)|"
        "not (?:be )?(?:required|necessary|needed|obliged)|no need|unnecessary",
    ),
    (
        (Role.NOT,),
        "(?:isn|aren|wasn|weren|doesn|don|didn|won|wouldn|hasn|haven)'t|not|never|no longer|instead of|"
        "rather than|without|neither|none|no",
    ),
    ((Role.MAY,), "may|can|could|allowed|permitted"),
    (
        (Role.NEED,),
        "must|have to|has to|need to|needs to|need|needs|required|requires|require|necessary|mandatory|"
        "obligatory|obliged",
    ),
    ((Role.NOR,), "nor"),
    ((Role.YES,), "yes"),
    ((Role.EQUALS,), "equals"),
)
_ROLES = tuple((re.compile(pattern), roles) for roles, pattern in _HAN) + tuple(
    (re.compile(rf"(?<![a-z0-9'])(?:{pattern})(?![a-z0-9'])"), roles) for roles, pattern in _ENGLISH
)
_STOP_HAN = "的了吗呢吧啊和与及并且至到"
_STOP_ENGLISH = """
a an the of to in on at by for per is are was were be been it its and that this from will your our their you we they
do does did has had between
"""
STOP = frozenset((*_STOP_HAN, *_STOP_ENGLISH.split()))
OTHER_OFFICE_BEFORE = frozenset({"副", "前", "vice", "deputi", "assist", "act", "former"})
OTHER_OFFICE_BEHIND = ("助理", "秘书", "办公会")


class Lexeme(NamedTuple):
    """A word with a role, and where it ends."""

    roles: tuple[Role, ...]
    end: int


def lexeme_at(text: str, start: int) -> Lexeme | None:
    """The longest word with a role that begins here; the first of the list where two are as long."""
    best: Lexeme | None = None
    for pattern, roles in _ROLES:
        found = pattern.match(text, start)
        if found and (best is None or found.end() > best.end):
            best = Lexeme(roles, found.end())
    return best
