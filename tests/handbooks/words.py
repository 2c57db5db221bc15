"""Which words of a question and of a clause carry content: the rule behind `paraphrase`.

A paraphrase shares no content word with the clauses that answer it. Chinese: every token that jieba's
search mode gives, of two characters or more. English: Snowball stems of words. Both: every run of letters
or digits, except amounts written with other digits around them. Function words, and words that every
question uses (公司, 多少, company …), are listed below and do not count.
"""

import logging
import re
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache

CHINESE_FUNCTION_WORDS = """
什么 怎么 怎样 怎么办 怎么样 如何 多少 多久 多长 多大 多高 几天 几个 几次 哪个 哪些 哪里 哪儿 哪种 谁来 是否 能否 可否 有没有 是不是
能不能 可不可以 要不要 会不会 行不行 可以 不可以 能够 应该 应当 需要 不用 不能 不会 不是 不要 必须 可能 或者 以及 并且 而且 但是
不过 如果 要是 假如 因为 所以 由于 为了 关于 对于 按照 根据 还是 还有 就是 只是 只有 已经 正在 曾经 将要 之后 之前 以后 以前 以上
以下 以内 以外 之内 之外 期间 时候 的话 一下 一个 一次 一些 一种 一样 一直 一定 其他 其它 另外 这个 那个 这些 那些 这样 那样 这种
那种 这里 那里 我们 你们 他们 她们 自己 本人 大家 别人 人家 公司 员工 现在 今年 今天 是的 没有 不得 所有 全部 任何 各自 每个 每次
进行 有关 相关 以及 不同 情况 问题 事情 东西 才能 还要 也要 只能 还能 一共 总共 至少 最多 最少 最高 最低 大概 左右 超过 不足 不到
以后 然后 最后 首先 其中 同时 同样 直接 单独 实际 两个 三个 两次 第一 第二 几年 一年 一月 每月 每年 每天 每人 每日 当月 当天 当年
"""
ENGLISH_FUNCTION_WORDS = """
a about after again all also am an and any anyone anything are as at be because been before being between both but by can cannot
company could do does doing done during each either else employee ever every for from get gets give given go going got had has
have having he her here him his how i if in into is it its itself just least less like long many may me might more most much must
my need needs no nor not now of off on one only or other our out over own per please same shall she should since so some someone
something still such take than that the their them then there these they thing things this those through to too two under until
up upon us use used very want was we were what when where whether which while who whom whose why will with within without would
yes yet you your
"""
CHINESE = frozenset(CHINESE_FUNCTION_WORDS.split())
ENGLISH = frozenset(ENGLISH_FUNCTION_WORDS.split())
WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
HAN = re.compile(r"[\u4e00-\u9fff]")


def content_words(text: str, language: str) -> frozenset[str]:
    """Content words of a text, folded, without function words."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    plain = {
        word for word in WORD.findall(folded) if language == "zh" or word.split("'")[0] not in ENGLISH_FUNCTION_WORDS
    }
    if language == "zh":
        tokens = {token for token in _segmenter()(folded) if len(token) > 1 and HAN.search(token)}
        return frozenset((plain | tokens) - CHINESE)
    return frozenset(_stemmer()(word.split("'")[0]) for word in plain if len(word) > 1 or word.isdigit())


@lru_cache(maxsize=1)
def _segmenter() -> Callable[[str], Sequence[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel(logging.ERROR)
    tokenizer = jieba.Tokenizer()
    tokenizer.initialize()
    cut: Callable[[str], Sequence[str]] = tokenizer.lcut_for_search
    return cut


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    import snowballstemmer

    stem: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord
    return stem
