"""Texts that read as if they declined to answer."""

import re

from rag_ablation.stages.judge._plain import plain

LONGEST = 120
_SIGNS = re.compile(
    "(?:无法|不能)(?:回答|确定)|(?:没有|未)(?:找到|提到|提及|说明|规定)|找不到|未作规定|(?:没有|无)相关|不知道|不清楚|"
    "(?:do not|don't|cannot|can't|could not) (?:know|answer|find|say|tell|determine)|no information|"
    "not (?:mentioned|stated|covered|found|specified)|unable to (?:answer|find|say)|"
    "(?:does not|doesn't|do not|don't) (?:say|mention|state|cover|contain|answer)"
)


def reads_like_refusal(text: str) -> bool:
    """Whether a short text says in usual words that it has no answer; longer ones may say so of a part only."""
    folded = plain(text)
    return len(folded) <= LONGEST and bool(_SIGNS.search(folded))
