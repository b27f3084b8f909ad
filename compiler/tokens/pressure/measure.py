"""What a bias takes from a model at one step.

Let p be the softmax of the logits and q that of the logits plus the bias. The *mass* taken is the total variation
distance between the two, sum of max(p - q, 0): the least probability that has to move to make q out of p. Under a hard
mask it is the probability of the masked tokens: every other token only gains, since q = p / (1 - masked) there.

Invariant: figures are right to nine digits at least, tiny masses and masses close to 1 alike, as long as the logits
are. No sum of nearly equal terms is subtracted. A constant in the bias changes nothing, so the bias is taken relative
to that of the most probable token; with Z the sum of p exp(bias), a token loses p (1 - exp(bias) / Z), which is
-p expm1(bias - log Z).
"""

from __future__ import annotations

from math import log1p

import numpy as np
import numpy.typing as npt

from langc.compiler.tokens.pressure.step import Candidate, Step

Floats = npt.NDArray[np.float64]
_LITTLE = 0.5
"""Up to this far from 1 the logarithm of Z is found by the difference; past it, Z is summed by itself."""


def measure(logits: npt.ArrayLike, bias: npt.ArrayLike, chosen: int | None = None) -> Step:
    """What `bias` [V] takes from `logits` [V], both of any float dtype.

    Of several most probable tokens under the bias that with the highest logit counts, then that with the lowest id.

    Raises:
        ValueError: the shapes differ; a logit is NaN or plus infinity; a bias is NaN or above 0; the bias leaves no
            token that has any probability.
    """
    z, b = _checked(logits, bias)
    after = z + b
    if after.max() == -np.inf:
        raise ValueError("the bias leaves no token that has any probability")
    weights = np.exp(z - z.max())
    p = weights / weights.sum()
    lowered = np.flatnonzero(b < 0)
    best = np.flatnonzero(after == after.max())
    allowed = _candidate(z, p, int(best[np.argmax(z[best])]))
    refused = int(lowered[np.argmax(z[lowered])]) if lowered.size else None
    known = refused is not None and z[refused] > -np.inf
    return Step(
        _moved(z, p, b),
        _candidate(z, p, refused) if refused is not None and known else None,
        allowed,
        chosen,
    )


def _checked(logits: npt.ArrayLike, bias: npt.ArrayLike) -> tuple[Floats, Floats]:
    z, b = np.asarray(logits, dtype=np.float64), np.asarray(bias, dtype=np.float64)
    if z.ndim != 1 or z.shape != b.shape or not z.size:
        raise ValueError(f"logits {z.shape} and bias {b.shape} are no two rows of one length")
    if np.isnan(z).any() or z.max() == np.inf:
        raise ValueError("a logit is NaN or plus infinity")
    if np.isnan(b).any() or b.max() > 0:
        raise ValueError("a bias is NaN or above 0")
    return z, b


def _candidate(z: Floats, p: Floats, token: int) -> Candidate:
    return Candidate(token, float(p[token]), 1 + int(np.count_nonzero(z > z[token])))


def _moved(z: Floats, p: Floats, bias: Floats) -> float:
    """The mass; all [V]."""
    top = bias[np.argmax(z)]
    relative = bias if top == -np.inf else bias - top
    touched = np.flatnonzero((relative != 0) & (p > 0))
    with np.errstate(over="ignore"):  # the sum is then not used
        change = float((p[touched] * np.expm1(relative[touched])).sum())
    log_z = log1p(change) if abs(change) <= _LITTLE else _log_sum(z + relative) - _log_sum(z)
    losing = np.flatnonzero(relative < log_z)
    moved = -(p[losing] * np.expm1(relative[losing] - log_z)).sum()
    return min(max(float(moved), 0.0), 1.0)


def _log_sum(values: Floats) -> float:
    """The logarithm of the sum of exponentials."""
    most = values.max()
    return float(most + np.log(np.exp(values - most).sum()))
