"""How a check answers."""

from rag_ablation.report.study.content import Severity, Threat
from rag_ablation.report.study.words import Text


def clear(name: Text, measured: Text) -> Threat:
    """Checked, and nothing found."""
    return Threat(severity=Severity.CLEAR, name=name, measured=measured, act=None)


def raised(severity: Severity, name: Text, measured: Text, act: Text | None) -> Threat:
    """Something was found."""
    return Threat(severity=severity, name=name, measured=measured, act=act)
