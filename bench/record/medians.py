# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals of a median."""
import math


def interval(values):
    """Returns the order statistics that contain the median with at least 95 %; for fewer than six values the
    least and the largest."""
    ordered, n = sorted(values), len(values)
    beyond, k = 0.0, 0
    while beyond + math.comb(n, k) / 2**n <= 0.025:
        beyond += math.comb(n, k) / 2**n
        k += 1
    k = max(k, 1)
    return ordered[k - 1], ordered[n - k]
