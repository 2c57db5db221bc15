"""A small study with a holdout, for runs through the command line."""

from pathlib import Path
from random import Random

from tests.e2e.program import write_dataset
from tests.e2e.studies import write_definition

N = 40
BURIED = 5
"""Of so many questions one has no short passage that takes the first place from the long one."""


def write_split_study(root: Path) -> Path:
    """Long passages hold the evidence, short ones distract: without length normalisation BM25 finds it (arm A2).

    Gives the dataset's folder; it has no split yet.
    """
    corpus, queries, gold, drawn = {}, {}, {}, Random(0)
    for place in range(N):
        word, filler = f"topic{place}", " ".join(_word(drawn) for _ in range(60))
        corpus[f"long{place:02}"] = f"{word} and {word} again {filler}"
        corpus[f"short{place:02}"] = f"a note on {word if place % BURIED else 'nothing'}"
        queries[f"q{place:02}"] = f"what is said of {word} number{place}"
        gold[f"q{place:02}"] = {f"long{place:02}": 1}
    data = write_dataset(root / "data", corpus, queries, gold)
    write_definition(root, data, tracking="mlflow")
    return data


def _word(drawn: Random) -> str:
    """Of its own for each place, so that no two passages read alike."""
    return "".join(drawn.choices("abcdefghijklmnopqrstuvwxyz", k=7))
