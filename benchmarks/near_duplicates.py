"""How many planted near-duplicates the split catches, how many questions it joins by text alone, and how fast.

RAG_ABLATION_COLLECTIONS=FOLDER python -m benchmarks.near_duplicates [QUESTIONS]

Every kind of edit is planted into the same sampled questions, so that the kinds have equal shares. A planted
question is caught if it lands in the group of its original. The speed is that of texts made of the
collection's own words in random order and number, beside comparing all pairs of a sample.
"""

import os
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import jieba
import numpy as np
import opencc
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from benchmarks.clock import timed
from rag_ablation.core.evalset import Benchmark
from rag_ablation.data.load import load
from rag_ablation.holdout.components import graph
from rag_ablation.holdout.likeness import QUESTIONS, alike

PLANTED_OF_A_KIND = 100
SAMPLED_FOR_ALL_PAIRS = 400
Edit = Callable[[str, random.Random], str]


def typing_error(text: str, rng: random.Random) -> str:
    """One letter replaced, left out, doubled, or changed places with the next."""
    places = [n for n, char in enumerate(text[:-1]) if char.isalpha() and text[n + 1].isalpha()]
    at = rng.choice(places)
    other = rng.choice([char for char in text if char.isalpha()])
    return rng.choice(
        [
            text[:at] + other + text[at + 1 :],
            text[:at] + text[at + 1 :],
            text[:at] + text[at] + text[at:],
            text[:at] + text[at + 1] + text[at] + text[at + 2 :],
        ]
    )


def other_order(text: str, rng: random.Random) -> str:
    """The end first, or all words in random order."""
    body = text.strip().rstrip("?？。")
    words = body.split() if " " in body else jieba.lcut(body)
    cut = rng.randrange(1, max(2, len(words)))
    words = rng.choice([words[cut:] + words[:cut], rng.sample(words, len(words))])
    return (" " if " " in body else "").join(words) + "?"


def full_width(text: str, rng: random.Random) -> str:
    """Every ASCII character in its full-width form."""
    del rng
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text.replace(" ", "\u3000"))


def traditional(text: str, rng: random.Random) -> str:
    """Traditional characters."""
    del rng
    return str(opencc.OpenCC("s2t").convert(text))


def chinese_politeness(text: str, rng: random.Random) -> str:
    """A courtesy before, or before and after."""
    before = ["请问，", "请问一下", "您好，", "麻烦问一下，", "想请教一下：", "不好意思，", "你好，请问"]
    return rng.choice(before) + text + rng.choice(["", "谢谢！", "，谢谢您", "麻烦了"])


def chinese_politeness_of_other_words(text: str, rng: random.Random) -> str:
    """Courtesies that the list of the split does not hold."""
    before = ["各位前辈，", "小弟有一事不明，", "冒昧问一句，", "烦请指点，", "新人报到，想弄明白"]
    return rng.choice(before) + text + rng.choice(["", "感恩！", "，不胜感激", "，望告知"])


def english_politeness(text: str, rng: random.Random) -> str:
    """The same in English."""
    before = ["Please, ", "Hello, ", "Could you please tell me ", "Excuse me, ", "Hi there, ", "I would like to know "]
    return rng.choice(before) + text.strip() + rng.choice(["", " Thanks!", " Thank you very much."])


def english_politeness_of_other_words(text: str, rng: random.Random) -> str:
    """The same in English."""
    before = ["Forgive my ignorance, but ", "Good people, ", "Newbie here: ", "For my own understanding, ", "Friends, "]
    return rng.choice(before) + text.strip() + rng.choice(["", " Grateful for any hint.", " Bless you."])


KINDS: Mapping[str, Mapping[str, Edit]] = {
    "xquad_zh": {
        "typing error": typing_error,
        "other order": other_order,
        "full-width": full_width,
        "traditional": traditional,
        "politeness": chinese_politeness,
        "other courtesy": chinese_politeness_of_other_words,
    },
    "squad2_en": {
        "typing error": typing_error,
        "other order": other_order,
        "full-width": full_width,
        "politeness": english_politeness,
        "other courtesy": english_politeness_of_other_words,
    },
}


def main() -> None:
    """Print the figures of both collections, then the speed."""
    collections = os.environ.get("RAG_ABLATION_COLLECTIONS")
    if collections is None:
        raise SystemExit("RAG_ABLATION_COLLECTIONS names no folder of real collections")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    for name, kinds in KINDS.items():
        benchmark = load(Path(collections) / name)
        texts = benchmark.queries.texts
        print(f"{name}: {len(texts)} questions")
        total = 0
        for kind, edit in kinds.items():
            caught = planted_and_caught(texts, edit)
            total += caught
            print(f"  {kind:<14} {caught:3d} of {PLANTED_OF_A_KIND} planted are caught")
        share = total / (PLANTED_OF_A_KIND * len(kinds))
        print(f"  all kinds      {100 * share:.1f} of 100")
        print(f"  joined by text alone to another answer location: {joined_wrongly(benchmark)}")
        speed(texts, count)


def planted_and_caught(texts: Sequence[str], edit: Edit) -> int:
    """How many of the planted questions are in the group of their original, by text alone."""
    rng = random.Random(0)
    chosen = rng.sample(range(len(texts)), PLANTED_OF_A_KIND)
    everything = [*texts, *(edit(texts[row], rng) for row in chosen)]
    pairs = alike(everything, QUESTIONS)
    size = len(everything)
    joined = coo_matrix((np.ones(pairs.left.size), (pairs.left, pairs.right)), shape=(size, size))
    _, group = connected_components(joined, directed=False)
    return sum(int(group[row] == group[len(texts) + place]) for place, row in enumerate(chosen))


def joined_wrongly(benchmark: Benchmark) -> str:
    """Questions that only their wording joins to one with another answer location."""
    alone = graph(benchmark).by_text_alone
    return f"{int(alone.sum())} of {alone.size} questions ({alone.mean():.2%})"


def speed(texts: Sequence[str], count: int) -> None:
    """Join `count` texts of the collection's own words, beside all pairs of a sample."""
    rng = random.Random(0)
    spaced = " " in texts[0].strip()
    words = [word for text in texts for word in (text.split() if spaced else jieba.lcut(text))]
    made = [(" " if spaced else "").join(rng.choices(words, k=rng.randint(6, 14))) for _ in range(count)]
    joined = timed(lambda: alike(made, QUESTIONS))
    sample = made[:SAMPLED_FOR_ALL_PAIRS]
    all_pairs = timed(lambda: [_jaccard(one, other) for one in sample for other in sample if one < other])
    n_pairs = SAMPLED_FOR_ALL_PAIRS * (SAMPLED_FOR_ALL_PAIRS - 1) / 2
    estimate = all_pairs.cpu_s * (count * (count - 1) / 2) / n_pairs
    pairs = f"all pairs of one measure, from {SAMPLED_FOR_ALL_PAIRS}: about {estimate:.0f} s CPU"
    print(f"  {count} questions: {joined}; {pairs}")
    print(f"  ratio: {estimate / joined.cpu_s:.0f}")


def _jaccard(one: str, other: str) -> float:
    left, right = ({text[at : at + 2] for at in range(len(text) - 1)} for text in (one, other))
    return len(left & right) / max(len(left | right), 1)


if __name__ == "__main__":
    main()
