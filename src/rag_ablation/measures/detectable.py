"""The textbook's smallest detectable difference, from a number of questions and a deviation.

`planning` has what the project plans with, by group and by Student's t.
"""

import math

from rag_ablation.core.errors import InputRefused
from rag_ablation.measures.plain import check_between, check_integer, is_number

HALVINGS = 55
FARTHEST = 9.0
"""Beyond this many deviations the normal density is under 1e-18."""


def detectable(n: int, deviation: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Smallest true mean difference that a test of n paired questions finds with the power asked for.

        (z(1 − α/2) + z(power)) · deviation / √n

    Args:
        n: number of independent questions, from 2.
        deviation: standard deviation of the differences, from 0.
        alpha: two-sided level, between 0 and 1.
        power: between 0 and 1.

    Raises:
        InputRefused: `bad_n`, `bad_sd` or `bad_level`.

    References:
        Cohen (1988), Statistical power analysis for the behavioral sciences, chapter 2.
    """
    _check(n, deviation, alpha, power)
    return _quantiles(alpha, power) * deviation / math.sqrt(n)


def detectable_by_t(n: int, deviation: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """The same for the paired t test: both tails of the noncentral t; larger, the more so the fewer questions.

    Args:
        n: number of independent questions, from 2.
        deviation: standard deviation of the differences, from 0.
        alpha: two-sided level, between 0 and 1.
        power: between 0 and 1.

    Raises:
        InputRefused: `bad_n`, `bad_sd` or `bad_level`.

    References:
        Cohen (1988), chapter 2.
    """
    _check(n, deviation, alpha, power)
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy is slow to import and wanted only here

    critical = float(stdtrit(n - 1, 1 - alpha / 2))
    low, high = 0.0, 2 * (critical + _quantiles(alpha, power))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _found(middle, critical, n - 1) < power else (low, middle)
    return high * deviation / math.sqrt(n)


def questions_needed(effect: float, deviation: float, *, alpha: float = 0.05, power: float = 0.8) -> int:
    """Smallest number of independent questions whose `detectable` is at most an effect; at least 2.

    Args:
        effect: mean difference that matters, above 0.
        deviation: standard deviation of the differences, from 0.
        alpha: two-sided level, between 0 and 1.
        power: between 0 and 1.

    Raises:
        InputRefused: `bad_effect`, `bad_sd` or `bad_level`.
    """
    _check(2, deviation, alpha, power)
    if not is_number(effect) or effect <= 0:
        raise InputRefused("bad_effect", f"effect: found {effect!r}, expected a number above 0")
    return max(2, math.ceil((_quantiles(alpha, power) * deviation / effect) ** 2))


def design_effect(mean_group_size: float, correlation: float) -> float:
    """How many times larger the variance of a mean is for groups than for as many independent questions.

        1 + (mean group size − 1) · correlation

    Args:
        mean_group_size: questions for each group, from 1; the formula is exact for groups of one size.
        correlation: of two questions of a group, between −1 and 1.

    Raises:
        InputRefused: `bad_group_size` or `bad_correlation`.

    References:
        Kish (1965), Survey sampling, section 5.4.
    """
    if not is_number(mean_group_size) or mean_group_size < 1:
        raise InputRefused("bad_group_size", f"mean group size: found {mean_group_size!r}, expected 1 or more")
    if not is_number(correlation) or not -1 <= correlation <= 1:
        raise InputRefused("bad_correlation", f"correlation: found {correlation!r}, expected −1 to 1")
    return 1 + (mean_group_size - 1) * correlation


def _found(shift: float, critical: float, freedom: int) -> float:
    """Chance that a noncentral t exceeds a critical value in absolute terms.

    It is that of |z + shift| > critical · √(χ² / freedom), one integral over z; scipy's `nctdtr` is NaN for few
    degrees of freedom and a large shift.
    """
    from scipy.integrate import quad  # noqa: PLC0415
    from scipy.special import gammainc  # noqa: PLC0415

    def chance(z: float) -> float:
        within = float(gammainc(freedom / 2, freedom / 2 * ((z + shift) / critical) ** 2))
        return math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * within

    bends = [bend for bend in (-critical - shift, -shift, critical - shift) if abs(bend) < FARTHEST]
    return float(quad(chance, -FARTHEST, FARTHEST, points=bends or None, epsabs=1e-13, epsrel=1e-13, limit=200)[0])


def _quantiles(alpha: float, power: float) -> float:
    from scipy.special import ndtri  # noqa: PLC0415

    return float(ndtri(1 - alpha / 2) + ndtri(power))


def _check(n: int, deviation: float, alpha: float, power: float) -> None:
    check_integer("bad_n", "n", n, 2)
    if not is_number(deviation) or deviation < 0:
        raise InputRefused("bad_sd", f"deviation: found {deviation!r}, expected a number from 0 up")
    check_between("bad_level", "alpha", alpha)
    check_between("bad_level", "power", power)
