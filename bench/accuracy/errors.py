# SPDX-License-Identifier: Apache-2.0
"""Errors of predicted times as Clement and Quinn tabulate them (Automated performance prediction for scalable
parallel computing, Parallel Computing 23, 1997, section 5 and table 1). For n runs with predicted and actual
seconds:

    error_i        = (predicted_i - actual_i) / actual_i
    sigma          = sqrt(SSE / (n - 3)), SSE the sum of (predicted_i - actual_i)^2, in seconds
    mean           = the mean of actual_i
    C.O.V.         = sigma / mean
    average error  = the mean of |error_i|

Over several groups sigma and the mean are weighted by runs. The paper's rows (115, 63 and 46 runs) weighted
so give 5.8 s and 58.3 s; its text has 5.4 s and 53.7 s and 246 runs: the rows' sums over 246 instead of their
224 are 5.3 s and 53.1 s."""
import dataclasses
import math


@dataclasses.dataclass
class Row:
    name: str
    runs: int
    sigma: float  # NaN below 4 runs
    mean: float
    average_error: float
    below_40: float  # share of runs
    worst: float     # the largest |error|

    @property
    def variation(self):
        return self.sigma / self.mean


def row(name, predicted, actual):
    if len(predicted) != len(actual) or not actual:
        raise ValueError(f"{name}: {len(predicted)} predictions of {len(actual)} runs")
    errors = [abs(p - a) / a for p, a in zip(predicted, actual)]
    n = len(actual)
    sse = sum((p - a) ** 2 for p, a in zip(predicted, actual))
    return Row(
        name, n, math.sqrt(sse / (n - 3)) if n > 3 else math.nan, sum(actual) / n, sum(errors) / n,
        sum(e < 0.4 for e in errors) / n, max(errors),
    )


def weighted(name, rows):
    """Returns the averages of `rows`, weighted by runs as in the paper."""
    runs = sum(each.runs for each in rows)
    mean_of = lambda field: sum(each.runs * getattr(each, field) for each in rows) / runs
    return Row(
        name, runs, mean_of("sigma"), mean_of("mean"), mean_of("average_error"), mean_of("below_40"),
        max(each.worst for each in rows),
    )


HEADER = ["", "runs", "sigma", "mean", "C.O.V.", "average error", "below 40 %", "worst"]


def cells(each):
    seconds = lambda value: "-" if math.isnan(value) else f"{value:.4g} s"
    share = lambda value: "-" if math.isnan(value) else f"{value:.3f}"
    percents = [f"{100 * value:.1f} %" for value in (each.average_error, each.below_40, each.worst)]
    return [each.name, each.runs, seconds(each.sigma), seconds(each.mean), share(each.variation), *percents]
