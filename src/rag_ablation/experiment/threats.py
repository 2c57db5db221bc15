"""What may be wrong with a conclusion drawn from a run, detected from what was recorded."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.record import RecordedStage
from rag_ablation.core.results import StageOutput
from rag_ablation.core.wording import counted
from rag_ablation.experiment.chunking import chunking_notices, chunking_threats

COLLAPSED_SHARE = 0.2
FEW_GROUPS = 20
WENT_WRONG: Mapping[str, Mapping[str, str]] = {
    "rewrite": {},
    "generate": {"n_failed": "of {asked} asked failed and count as incorrect"},
    "judge": {
        "n_failed": "of the answers could not be judged and wait for review",
        "n_unparsed": "of the judge's replies had another form than asked for; those answers wait for review",
    },
}
"""By slot, what a fact that is not 0 says of it."""


def threats(evalset: EvalSet, outputs: Sequence[StageOutput], scored: Sequence[bool]) -> tuple[str, ...]:
    """One sentence for each threat.

    Args:
        evalset: what was run on.
        outputs: the stages.
        scored: (Q,) whether each question is in the means.
    """
    found: list[str] = []
    for output in outputs:
        found += _warned(output.slot, output.result.facts)
        found += _truncations(output)
    found += _groups(evalset, np.asarray(scored, dtype=bool))
    found += chunking_threats(evalset, np.asarray(scored, dtype=bool))
    return tuple(dict.fromkeys(found))


def stage_threats(stages: Iterable[RecordedStage], asked: int) -> tuple[str, ...]:
    """One sentence for each thing that went wrong in a stage that ranks nothing.

    Args:
        stages: the rewriter, the generator and the judge, those that the arm has.
        asked: questions that the generator was asked, those that no measure counts too.
    """
    found: list[str] = []
    for stage in stages:
        found += _warned(stage.slot, stage.facts)
        found += [
            f"{stage.slot}: {n} {what.format(asked=asked)}"
            for key, what in WENT_WRONG[stage.slot].items()
            if (n := stage.facts.get(key))
        ]
    return tuple(found)


def notices(evalset: EvalSet, outputs: Iterable[StageOutput]) -> tuple[str, ...]:
    """What a reader should know, one sentence each."""
    found = [*evalset.notices, *chunking_notices(evalset)]
    asked = {int(o.result.facts["depth_asked"]) for o in outputs if _short(o)}  # type: ignore[call-overload]
    found += [f"asked for {depth}, the corpus has {len(evalset.passages)}" for depth in sorted(asked)]
    unrestricted = evalset.visibility.n_unrestricted
    if unrestricted == len(evalset.queries):
        found.append("access: unrestricted, since no identity is set")
    elif unrestricted:
        found.append(
            f"access: {len(evalset.queries) - unrestricted} questions are filtered by identity, "
            f"{unrestricted} name none and are unrestricted"
        )
    if not evalset.visibility.everything:
        found.append("term statistics and models are those of the whole corpus; the filter masks passages")
    return tuple(found)


def _short(output: StageOutput) -> bool:
    facts = output.result.facts
    return "depth_asked" in facts and facts["depth_asked"] != facts.get("depth_served")


def _warned(slot: str, facts: Mapping[str, object]) -> list[str]:
    warnings = facts.get("warnings", [])
    return [f"{slot}: {warning}" for warning in warnings] if isinstance(warnings, list) else []


def _truncations(output: StageOutput) -> list[str]:
    facts = output.result.facts
    limit = facts.get("limit_tokens")
    named = {
        "n_truncated": f"of {facts.get('n_pairs')} pairs",
        "n_passages_truncated": "passages",
        "n_queries_truncated": "questions",
    }
    return [
        f"{output.slot}: {facts[key]} {what} were cut at the model's limit of {limit} tokens"
        for key, what in named.items()
        if facts.get(key)
    ]


def _groups(evalset: EvalSet, scored: NDArray[np.bool_]) -> list[str]:
    sizes = np.bincount(evalset.groups[scored]) if scored.any() else np.empty(0, dtype=np.int64)
    n_groups = int(np.count_nonzero(sizes))
    found: list[str] = []
    if n_groups and sizes.max() / scored.sum() > COLLAPSED_SHARE and sizes.max() > 1:
        found.append(
            f"collapsed split: one group holds {sizes.max()} of {scored.sum()} scored questions "
            "(questions that share an answer location cannot be told apart as evidence)"
        )
    if 0 < n_groups < FEW_GROUPS:
        found.append(f"few groups: the {scored.sum()} scored questions form only {counted(n_groups, 'group')}")
    return found
