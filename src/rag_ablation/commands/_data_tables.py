"""The counts of a dataset as tables; undefined is –."""

from collections.abc import Mapping
from typing import cast

from rag_ablation.commands._data_power import percent
from rag_ablation.commands._data_stats import CUTOFFS, Values, side_words
from rag_ablation.core.wording import counted
from rag_ablation.measures.planning import Ends
from rag_ablation.report.leaderboard import ABSENT, Leaderboard, Table

MOST_LISTED = 20


def drawn(stats: Values) -> Leaderboard:
    """Tables and remarks of what `stats` counted."""
    can_show = _inner(stats, "can_show")
    everything, assumed = _inner(can_show, "all"), _inner(can_show, "assumptions")
    by_type = cast("Mapping[str, Values]", can_show["by_type"])
    deviations = _inner(assumed, "standard_deviation_of_differences")
    nothing = [name for name, found in by_type.items() if found["questions"] and found["shows"] == "nothing"]
    remarks = [str(everything["says"])]
    if nothing:
        remarks.append(f"by type, these can show nothing by themselves: {', '.join(nothing)}")
    remarks += [
        str(assumed["advice"]),
        f"assumed: differences with standard deviation {deviations['hit']} (hit) and {deviations['recall']} (recall), "
        f"one comparison at {1 - cast('float', assumed['confidence']):.2f}, found with chance {assumed['power']}, "
        f"questions of a group all alike. Planning: to find no difference proves no equality",
    ]
    tables = (_counts(stats), _ceilings(_inner(stats, "questions")), _power(everything, by_type))
    return Leaderboard(tables=tables, remarks=tuple(remarks))


def _counts(stats: Values) -> Table:
    corpus, questions = _inner(stats, "corpus"), _inner(stats, "questions")
    gold, groups = _inner(questions, "gold_per_question"), _inner(questions, "groups")
    mean = "" if gold["mean"] is None else f"; mean {gold['mean']:.2f}"
    side = "dev" if questions["side"] == "dev" else "all questions"
    documents = counted(cast("int", corpus["documents"]), "document")
    rows = [
        ("corpus", f"{counted(cast('int', corpus['passages']), 'passage')} in {documents}"),
        ("corpus texts", _repeated(_inner(corpus, "repeated_texts"))),
    ]
    for split in cast("list[Values]", stats["splits"]):
        stale = "" if split["fits"] else "; made for other questions or labels (see data check)"
        rows.append((f"split {split['name']}", side_words(cast("Mapping[str, Mapping[str, int]]", split)) + stale))
    rows += [
        (f"questions ({side})", str(questions["n"])),
        ("question texts", _repeated(_inner(questions, "repeated_texts"))),
        ("types", _named(_inner(questions, "types"))),
        ("statuses", _named(_inner(questions, "statuses"))),
        ("gold per question", _times(_inner(gold, "questions_by_count")) + mean),
    ]
    if questions["reviewed_without_gold"]:
        without = f"{questions['reviewed_without_gold']} (excluded from ranking measures: no_relevant)"
        rows.append(("reviewed, no grade above 0", without))
    rows.append(("groups", f"{groups['n']}; questions in a group: {_times(_inner(groups, 'groups_by_size'))}"))
    title = f"{stats['dataset']} ({stats['language']}, labels at unit {stats['label_unit']})"
    return Table(title=title, headings=("what", "count"), rows=tuple(rows), numeric_from=2)


def _ceilings(questions: Values) -> Table:
    found = _inner(_inner(questions, "recall_ceiling"), "at")
    cells = tuple(ABSENT if found[str(cutoff)] is None else f"{found[str(cutoff)]:.4f}" for cutoff in CUTOFFS)
    return Table(
        title="the most that recall can reach, by the number of gold passages",
        headings=("at", *map(str, CUTOFFS)),
        rows=(("recall ceiling", *cells),),
        numeric_from=1,
    )


def _power(everything: Values, by_type: Mapping[str, Values]) -> Table:
    rows = [_power_row(name, found) for name, found in [("all", everything), *by_type.items()]]
    headings = ("scored questions", "n", "groups", "effective", "80 % right means", "Δ hit", "Δ recall", "show")
    title = "what they can show: interval at 80 % right, smallest difference between two arms"
    return Table(title=title, headings=headings, rows=tuple(rows), numeric_from=1)


def _power_row(name: str, found: Values) -> tuple[str, ...]:
    interval, smallest = _inner(found, "interval_at_80_percent"), _inner(found, "smallest_difference")
    ends = ABSENT
    if interval["low"] is not None:
        ends = percent(Ends(cast("float", interval["low"]), cast("float", interval["high"])))
    differences = [ABSENT if smallest[key] is None else f"{smallest[key]:.2f}" for key in ("hit", "recall")]
    effective = f"{found['effective_groups']:.1f}"
    return (name, str(found["questions"]), str(found["groups"]), effective, ends, *differences, str(found["shows"]))


def _inner(values: Values, key: str) -> Values:
    return cast("Values", values[key])


def _repeated(found: Values) -> str:
    if not found["texts"]:
        return "no text twice"
    return f"{counted(cast('int', found['texts']), 'text')} occurring more than once ({found['occurrences']} in all)"


def _named(counts: Values) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.items()) or "none"


def _times(counts: Values) -> str:
    """How many there are of each number."""
    listed = [f"{number} ({n}×)" for number, n in counts.items()]
    return (", ".join(listed[:MOST_LISTED]) or "none") + (", …" if len(listed) > MOST_LISTED else "")
