"""Question text as the split compares it: what does not change the question is taken away.

NFKC, case, traditional to simplified characters (OpenCC t2s), punctuation and white space, and phrases
of courtesy at either end.
"""

import re
import unicodedata

from rag_ablation.stages._analysers import simplifier

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
SPACES = re.compile(r"\s+")


def normal_text(text: str) -> str:
    """Words of a text in order, joined by single spaces, without courtesies.

    A text that is nothing but courtesy, or that has no letter and no digit, stays as it is.

    Args:
        text: as asked.
    """
    folded = simplifier()(unicodedata.normalize("NFKC", text).casefold())
    plain = "".join(char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in folded)
    plain = SPACES.sub(" ", plain).strip()
    return _without_courtesy(plain) or plain or SPACES.sub(" ", folded).strip()


def _without_courtesy(text: str) -> str:
    while True:
        shorter = _END.sub("", _START.sub("", text)).strip()
        if shorter == text:
            return text
        text = shorter


def _either(phrases: tuple[str, ...]) -> str:
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))


# A Chinese phrase stands directly before the next word; an English one ends where a word ends.
_START = re.compile(rf"^(?:{_either(CHINESE_COURTESIES)}|(?:{_either(ENGLISH_COURTESIES)})(?=\s|$))")
_END = re.compile(rf"(?:{_either(CHINESE_COURTESIES)}|(?:^|(?<=\s))(?:{_either(ENGLISH_COURTESIES)}))$")
