"""Units in Chinese and English: what they are called, what they measure, and how much of it.

Calendar days, working days and hours are kinds of their own: none is turned into another.
"""

import re
from fractions import Fraction
from typing import NamedTuple

SHARE, DAY, WORKDAY, MINUTE, MONTH, TIMES, NTH = "share", "day", "working day", "minute", "month", "times", "nth"
POINT, METRE, AREA, DISTANCE = "percentage point", "metre", "m2", "mile"


class Unit(NamedTuple):
    """What a number counts.

    Args:
        kind: numbers compare within one kind.
        factor: of this unit in the measure of its kind.
        end: first character behind it.
    """

    kind: str
    factor: Fraction
    end: int


_CURRENCIES = {
    "CNY": "人民币元 人民币 元钱 块钱 元整 元 块 rmb cny yuan renminbi ¥",
    "USD": "美元 美金 us$ usd dollars dollar $",
    "EUR": "欧元 eur euros euro €",
    "HKD": "港币 港元 hk$ hkd",
    "GBP": "英镑 gbp pounds pound £",
    "JPY": "日元 jpy yen",
    "AUD": "澳元 aud",
    "CAD": "加元 cad",
    "SGD": "新加坡元 新元 sgd",
    "TWD": "新台币 台币 twd",
    "KRW": "韩元 krw",
    "MOP": "澳门元 澳门币 mop",
}
_MEASURES: dict[tuple[str, Fraction], str] = {
    (SHARE, Fraction(1, 100)): "% percent per_cent pct",
    (SHARE, Fraction(1, 10)): "成",
    (SHARE, Fraction(1, 1000)): "‰",
    (POINT, Fraction(1)): "个百分点 百分点 percentage_points percentage_point",
    (WORKDAY, Fraction(1)): "工作日 工作天 working_days working_day business_days business_day workdays workday",
    (DAY, Fraction(1)): "天 自然日 日历日 days day calendar_days calendar_day",
    (DAY, Fraction(7)): "周 星期 礼拜 weeks week",
    (MINUTE, Fraction(1)): "分钟 minutes minute mins min",
    (MINUTE, Fraction(15)): "刻钟",
    (MINUTE, Fraction(60)): "小时 钟头 hours hour hrs hr h",
    (MINUTE, Fraction(1, 60)): "秒钟 秒 seconds second",
    (MONTH, Fraction(1)): "个月 months month",
    (MONTH, Fraction(12)): "年 周年 years year",
    (MONTH, Fraction(3)): "季度 quarters quarter",
    (TIMES, Fraction(1)): "倍",
    ("person", Fraction(1)): "人 名 位 people persons person",
    ("time", Fraction(1)): "次 times",
    ("kg", Fraction(1)): "公斤 千克 kg kilograms kilogram",
    (DISTANCE, Fraction(1)): "英里 miles mile",
    (METRE, Fraction(1000)): "公里 千米 km kilometres kilometre kilometers kilometer",
    (METRE, Fraction(1)): "米 metres metre meters meter m",
    (AREA, Fraction(1)): "平方米 平米 m2 square_metres square_metre square_meters square_meter",
    ("byte", Fraction(1)): "gb g",
    ("byte", Fraction(1024)): "tb t",
    ("byte", Fraction(1, 1024)): "mb",
    ("item", Fraction(1)): "个",
    ("record", Fraction(1)): "条 records record",
    ("copy", Fraction(1)): "份 copies copy",
    ("sheet", Fraction(1)): "张",
    ("firm", Fraction(1)): "家",
    ("piece", Fraction(1)): "件 pieces piece",
    ("set", Fraction(1)): "套 sets set",
}
_OWN_KIND = "台 部 辆 间 项 种 级 岁 课时 学时 页 门 期 轮"
CURRENCIES = frozenset(_CURRENCIES)
ITEMS = frozenset({"item", "record", "copy", "sheet", "firm", "piece", "person", "set", *_OWN_KIND.split()})
"""Kinds of things counted: of the same number, two of them may mean the same."""

_ALL: dict[str, tuple[str, Fraction]] = {
    name.replace("_", " "): key
    for key, names in [
        *(((kind, Fraction(1)), names) for kind, names in _CURRENCIES.items()),
        *_MEASURES.items(),
        *(((name, Fraction(1)), name) for name in _OWN_KIND.split()),
    ]
    for name in names.split()
}


def _pattern(name: str) -> str:
    return re.escape(name) + ("(?![a-z0-9])" if name[-1].isascii() and name[-1].isalnum() else "")


_BY_LENGTH = sorted(_ALL, key=len, reverse=True)
_UNIT = re.compile(rf"[ -]?(?:full |whole )?(?P<name>{'|'.join(map(_pattern, _BY_LENGTH))})")
_COUNTED = re.compile("个(?=工作日|工作天|自然日|小时|钟头|星期|礼拜|季度|人)")
_NAMES = {
    name: kind for kind, names in _CURRENCIES.items() for name in names.split() if not name.endswith(tuple("¥$€£"))
}
_OTHERS = {name: kind for name, kind in _NAMES.items() if kind != "CNY" and not name.startswith(("dollar", "pound"))}
_OTHER = "|".join(sorted(_OTHERS, key=len, reverse=True))
_SIGN = re.compile(rf"(人民币|rmb|cny|{_OTHER}|[a-z]{{0,3}}[¥$€£])(?: ?[¥$€£])? ?(?=\d)")
_NAMED_BEHIND = re.compile(rf" ?\(?({_OTHER})(?![a-z0-9])")
_SIGNS = {
    **_OTHERS,
    **dict.fromkeys(("人民币", "rmb", "cny", "¥", "rmb¥", "cny¥", "cn¥"), "CNY"),
    **dict.fromkeys(("usd", "us$", "$", "usd$"), "USD"),
    **dict.fromkeys(("eur", "€"), "EUR"),
    **dict.fromkeys(("hkd", "hk$", "hkd$"), "HKD"),
    **dict.fromkeys(("gbp", "£"), "GBP"),
    **dict.fromkeys(("jpy", "jp¥", "jpy¥"), "JPY"),
}
_NOT_A_UNIT = re.compile(
    "成(?:本|交|员|为|立|功|绩|果)|年(?:假|终|审|休)|天津|人(?:力|均|员)|元旦|家属|名[单称]|次[月日年]|级别|部门|项目|门店|期[间限权]|"
    "条[款件]|份额|台[账湾]|间隔|种类|位[置于]|件数"
)


def unit_at(text: str, start: int) -> Unit | None:
    """The unit that stands here, None where none does."""
    if _NOT_A_UNIT.match(text, start):
        return None
    counted = _COUNTED.match(text, start)
    found = _UNIT.match(text, counted.end() if counted else start)
    if not found or (found["name"] in _SIGNS and _SIGN.match(text, found.start("name"))):
        return None
    kind, factor = _ALL[found["name"]]
    if kind in CURRENCIES and (other := _NAMED_BEHIND.match(text, found.end())):
        return Unit(_OTHERS[other[1]], factor, other.end())
    return Unit(kind, factor, found.end())


def sign_at(text: str, start: int) -> Unit | None:
    """The currency that stands before a number here, None where none does; letters nobody knows make it another."""
    found = _SIGN.match(text, start)
    if not found or (text[start].isascii() and start and text[start - 1].isascii() and text[start - 1].isalnum()):
        return None
    return Unit(_SIGNS.get(found[1], found[1]), Fraction(1), found.end())
