"""Phrases of courtesy around a question, and a question without them.

The phrases are folded (NFKC, case, simplified characters) and have a space where an English one has an apostrophe.
"""

import re
from collections.abc import Iterable

CHINESE_COURTESIES = (
    "请问一下", "请问下", "请问", "问一下", "问下", "想问一下", "想问问", "想问下", "我想问", "想请教一下",
    "想请教", "请教一下", "请教", "咨询一下", "想咨询一下", "咨询下", "麻烦问一下", "麻烦问下", "麻烦您",
    "麻烦你", "麻烦了", "麻烦", "劳驾", "打扰一下", "打扰了", "打扰", "不好意思", "抱歉", "您好", "你好",
    "大家好", "各位好", "帮忙看看", "帮忙看一下", "帮我看看", "帮忙", "能否告诉我", "能不能告诉我",
    "可以告诉我", "请告诉我", "告诉我", "请", "谢谢您", "谢谢你", "谢谢大家", "谢谢", "多谢", "感谢", "辛苦了",
    "十分感谢", "非常感谢", "万分感谢", "感激不尽", "先谢谢了", "先谢了", "谢啦", "敢问", "问个问题",
    "有个问题", "想了解一下", "想了解下", "了解一下", "想知道", "请帮忙", "求解", "求解答", "求教", "盼复",
    "急", "拜托了", "拜托", "求助", "在线等",
)  # fmt: skip
ENGLISH_COURTESIES = (
    "please", "kindly", "pls", "hello", "hi", "hey", "hi there", "hello there", "good morning",
    "good afternoon", "dear all", "excuse me", "sorry", "sorry to bother you", "pardon me", "thanks",
    "thank you", "thanks a lot", "many thanks", "thank you very much", "thanks in advance",
    "thank you in advance", "cheers", "can you tell me", "could you tell me", "can you please tell me",
    "could you please tell me", "would you tell me", "would you please tell me", "please tell me", "tell me",
    "can you", "could you", "would you", "can someone tell me", "could someone tell me", "may i ask",
    "may i know", "i would like to know", "i d like to know", "i want to know", "i was wondering",
    "i am wondering", "i wonder", "do you know", "does anyone know", "would you happen to know",
    "just wondering", "quick question", "a question", "i have a question", "might i ask", "may i please ask",
    "could i ask", "can i ask", "i d be grateful to know", "i would be grateful to know",
    "i d appreciate knowing", "i d love to know", "i m curious", "any idea", "any chance you know",
    "would anyone know", "does anybody know", "if you don t mind", "if i may ask", "much appreciated",
    "appreciate it", "appreciated", "thx", "ty", "tia", "thank you so much", "thanks so much", "with thanks",
    "kind regards", "best regards", "regards",
)  # fmt: skip
LEAST = 3
"""Characters from which on a Chinese phrase is a courtesy even where the next word follows directly."""
OPENERS = ("请问", "问下", "敢问", "您好", "你好")
"""Shorter ones that are too; others begin words: 请假, 急救, 感谢信, 求助热线."""
CONNECTING = re.compile(r"[\s,;:~、…—–]+$")


def without_courtesy(text: str) -> str:
    """A question without courtesies at either end; whatever else it holds stays as it is.

    A phrase goes where punctuation or white space parts it from the rest. Directly beside a Chinese word go only longer
    phrases and "请问" at the start, and thanks at the end, so that 请假流程 keeps its 请; at the end of English words
    without punctuation, thanks and "please" only.

    Args:
        text: after NFKC. Of one that is nothing but courtesy nothing is left.
    """
    while True:
        shorter = CONNECTING.sub("", _TAIL.sub(r"\1", _HEAD.sub("", text)))
        if shorter == text:
            return text
        text = shorter


def either(phrases: Iterable[str]) -> str:
    """A pattern of alternatives, the longest first."""
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))


def _english(phrases: Iterable[str]) -> str:
    """Any apostrophe or white space between the words."""
    return either(phrases).replace(r"\ ", r"[\s'’]+")


_MARK = "[,.;:!?~。、…—–]"
_BREAK = rf"(?:\s|{_MARK})"
_ANY = f"{either(CHINESE_COURTESIES)}|{_english(ENGLISH_COURTESIES)}"
_OPENING = either(phrase for phrase in CHINESE_COURTESIES if len(phrase) >= LEAST or phrase in OPENERS)
_CLOSING = either(phrase for phrase in CHINESE_COURTESIES if "谢" in phrase and phrase != "感谢")
_CLOSING_ENGLISH = _english(phrase for phrase in ENGLISH_COURTESIES if re.search(r"thank|thx|please|pls", phrase))
_HEAD = re.compile(rf"^{_BREAK}*(?:(?:{_ANY})(?:{_BREAK}+|$)|(?:{_OPENING}))", re.IGNORECASE)
_TAIL = re.compile(rf"(?:({_MARK})\s*(?:{_ANY})|(?:{_CLOSING})|\s(?:{_CLOSING_ENGLISH})){_BREAK}*$", re.IGNORECASE)
