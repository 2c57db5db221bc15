"""What can fill the slot `judge`: what is made of an answer."""

from rag_ablation.stages.judge.rules import VERSION, RulesJudge

__all__ = ["VERSION", "RulesJudge"]
