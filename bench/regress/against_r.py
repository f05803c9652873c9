#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our regression against R's lm on the same numbers: NIST's reference sets, these weighted, random designs of
conditions up to 1e6 with and without weights, and designs of which columns follow from others
(parcast_regress_solve makes them and prints our results). Compared are coefficients, their standard errors
and correlations, sigma, fitted values, leverage, standardised residuals, Cook's distance, and the intervals
of the mean and of an observation; where columns depend on others the rank, and everything that does not
depend on which of them is left out. `parcast regress --plain --json` is held against R as well, on Longley's
data.

    bench/regress/against_r.py [--build build/release]

A difference is relative to the largest number of its kind in a case. If one exceeds 1e-10, everything but the
intervals is solved again in fractions, without any rounding, and the side with the larger error is named.
Both omit fewer columns than R's default of 1e-7 would (R is given 1e-15). R gives no intervals for conditions
beyond 1e7. The exit code is 0 if we are within 1e-10 of R, or within that or the rounding of the data times
the condition of the fractions, or nearer to these than R is. Needs R (Debian: r-base-core)."""
import argparse
import csv
import fractions
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT = 1e-10
QUANTITIES = [
    "coefficients", "standard_errors", "sigma", "fitted", "leverage", "standardized", "cooks_distance",
    "correlation", "mean", "observation",
]
# independent of which of the dependent columns is omitted
FREE_OF_CHOICE = ["sigma", "fitted", "leverage", "standardized", "cooks_distance", "mean", "observation"]

# Each case is three lines: rows, columns, weighted, level; the numbers; the requested row. The answer is a
# line per quantity: its name and numbers.
R = r"""
file <- file(commandArgs(TRUE)[1], "r")
say <- function(name, x) cat(name, ifelse(is.finite(x), sprintf("%.17g", x), "null"), "\n")
repeat {
  head <- scan(file, nlines = 1, quiet = TRUE)
  if (length(head) == 0) break
  n <- head[1]; k <- head[2]; level <- head[4]
  X <- matrix(scan(file, nlines = 1, quiet = TRUE), n, k, byrow = TRUE)
  y <- scan(file, nlines = 1, quiet = TRUE)
  w <- scan(file, nlines = 1, quiet = TRUE)
  asked <- scan(file, nlines = 1, quiet = TRUE)
  colnames(X) <- paste0("x", 1:k)
  d <- data.frame(y = y, X, w = w)
  f <- as.formula(paste("y ~ 0 +", paste(colnames(X), collapse = " + ")))
  fit <- lm(f, d, weights = w, tol = 1e-15)
  s <- summary(fit, correlation = TRUE)
  at <- as.data.frame(as.list(setNames(asked, colnames(X))))
  say("rank", fit$rank)
  say("coefficients", coef(fit))
  say("standard_errors", s$coefficients[, 2])
  say("sigma", s$sigma)
  say("fitted", fitted(fit))
  say("leverage", hatvalues(fit))
  say("standardized", rstandard(fit))
  say("cooks_distance", cooks.distance(fit))
  say("correlation", s$correlation)
  # R's predict solves triangles by a method of its own that refuses conditions beyond 1e7.
  try(say("mean", suppressWarnings(predict(fit, at, interval = "confidence", level = level))), silent = TRUE)
  try(say("observation", suppressWarnings(predict(fit, at, interval = "prediction", level = level,
      weights = 1))[2:3]), silent = TRUE)
  cat("end\n")
}
"""


def solved_by_r(cases, folder):
    lines = []
    for case in cases:
        rows, words = len(case["response"]), lambda values: " ".join(f"{value!r}" for value in values)
        weights = case["weights"] or [1.0] * rows
        lines += [
            f"{rows} {case['columns']} {int(bool(case['weights']))} {case['level']}", words(case["design"]),
            words(case["response"]), words(weights), words(case["asked"]),
        ]
    (folder / "cases.txt").write_text("\n".join(lines) + "\n")
    (folder / "solve.R").write_text(R)
    done = subprocess.run(
        ["Rscript", "--vanilla", folder / "solve.R", folder / "cases.txt"], capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"against_r.py: R failed: {done.stderr}")
    out, now = [], {}
    for line in done.stdout.splitlines():
        name, *values = line.split()
        if name == "end":
            out.append(now)
            now = {}
        else:
            now[name] = [math.nan if value == "null" else float(value) for value in values]
    return out


def number(value):
    return math.nan if value is None else value


def difference(ours, theirs):
    """Returns the largest difference, in units of the largest number. Values that are infinite on both sides
    are equal."""
    pairs = [(number(a), b) for a, b in zip(ours, theirs, strict=True)]
    finite = [(a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
    if len(finite) < sum(math.isfinite(a) or math.isfinite(b) for a, b in pairs):
        return math.inf
    size = max((abs(b) for _, b in finite), default=0)
    return max((abs(a - b) for a, b in finite), default=0) / size if size else 0


def inverse(matrix):
    """Inverts a matrix of fractions, by Gauss and Jordan."""
    n = len(matrix)
    rows = [list(row) + [fractions.Fraction(int(i == j)) for j in range(n)] for i, row in enumerate(matrix)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k])]
    return [row[n:] for row in rows]


def exact(case):
    """Returns the results for the given doubles, with rounding only in roots; for an exact fit nothing about
    its residuals. Intervals, which need a quantile, are not included."""
    of, k, rows = fractions.Fraction, case["columns"], len(case["response"])
    design = [[of(value) for value in case["design"][i * k:(i + 1) * k]] for i in range(rows)]
    response, weights = [of(value) for value in case["response"]], [
        of(value) for value in case["weights"] or [1.0] * rows
    ]
    normal = [
        [sum(w * row[i] * row[j] for w, row in zip(weights, design)) for j in range(k)] for i in range(k)
    ]
    right = [sum(w * row[i] * y for w, row, y in zip(weights, design, response)) for i in range(k)]
    back = inverse(normal)
    b = [sum(back[i][j] * right[j] for j in range(k)) for i in range(k)]
    squares = sum(
        w * (y - sum(x * c for x, c in zip(row, b))) ** 2 for w, row, y in zip(weights, design, response)
    )
    variance = squares / (rows - k)
    fitted = [sum(x * c for x, c in zip(row, b)) for row in design]
    leverage = [
        w * sum(row[i] * back[i][j] * row[j] for i in range(k) for j in range(k))
        for w, row in zip(weights, design)
    ]
    out = {"coefficients": b, "fitted": fitted, "leverage": leverage}
    out = {name: [float(value) for value in values] for name, values in out.items()}
    out["correlation"] = [
        float(back[i][j]) / math.sqrt(back[i][i]) / math.sqrt(back[j][j]) for i in range(k) for j in range(k)
    ]
    # else the fit is exact, and the results of both programs are rounding errors
    if variance > of(1e-24) * max(map(abs, response)) ** 2:
        parts = [
            w * (y - f) ** 2 / (variance * (1 - h)) for w, y, f, h in zip(weights, response, fitted, leverage)
        ]
        out["standardized"] = [
            math.copysign(math.sqrt(square), y - f) for square, y, f in zip(parts, response, fitted)
        ]
        out["cooks_distance"] = [float(square * h / (1 - h) / k) for square, h in zip(parts, leverage)]
        out["standard_errors"] = [math.sqrt(variance * back[i][i]) for i in range(k)]
        out["sigma"] = [math.sqrt(variance)]
    return out


def aliases_hold(case):
    """Every column reported to follow from others does, to the digits of its length."""
    k, rows = case["columns"], len(case["response"])
    for alias in case["aliases"]:
        for i in range(rows):
            row = case["design"][i * k:(i + 1) * k]
            if abs(
                row[alias["column"]]
                - sum(f * row[int(j)] for f, j in zip(alias["factors"], alias["columns"]))
            ) > 1e-9 * max(map(abs, row)):
                return False
    return len(case["aliases"]) == k - case["rank"]


def judge(case, theirs, worst, rows):
    """Returns false if our error is larger than R's."""
    if case["rank"] != theirs["rank"][0] or not aliases_hold(case):
        print(
            f"{case['name']}: rank {case['rank']}, R says {theirs['rank'][0]:g},"
            f" {len(case['aliases'])} aliases"
        )
        return False
    kind, right, truth = case["kind"], True, None
    for quantity in QUANTITIES if not case["aliases"] else FREE_OF_CHOICE:
        if quantity not in theirs:
            rows.append([case["name"], f"{case['condition']:.1e}", quantity, "R gives none", "", "", ""])
            continue
        off = difference(case[quantity], theirs[quantity])
        if off <= LIMIT:
            worst[kind, quantity] = max(worst.get((kind, quantity), 0), off)
            continue
        truth = truth or exact(case)
        if quantity not in truth:
            rows.append(
                [
                    case["name"], f"{case['condition']:.1e}", quantity, f"{off:.1e}", "", "",
                    "rounding" if "sigma" not in truth else "",
                ]
            )
            continue
        ours, by_r = difference(case[quantity], truth[quantity]), difference(
            theirs[quantity], truth[quantity]
        )
        rows.append(
            [
                case["name"], f"{case['condition']:.1e}", quantity, f"{off:.1e}", f"{ours:.1e}",
                f"{by_r:.1e}", "R" if ours < by_r else "parcast",
            ]
        )
        right &= ours <= max(LIMIT, case["condition"] * sys.float_info.epsilon, by_r)
    return right


def by_the_command(build, case, theirs, folder):
    """Runs `parcast regress` on the same rows: counts are the columns, times the responses."""
    with open(folder / "runs.csv", "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["program", "seconds", *(f"chi_x{j}" for j in range(case["columns"]))])
        k = case["columns"]
        for i, y in enumerate(case["response"]):
            writer.writerow(["a", repr(y), *map(repr, case["design"][i * k:(i + 1) * k])])
    words = [build / "bin/parcast", "regress", folder / "runs.csv", "--plain", "--quick", "--json"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"against_r.py: {done.stderr}")
    answer = json.loads(done.stdout)
    ours = {
        "coefficients": [each["value"] for each in answer["costs"]],
        "standard_errors": [each["standard_error"] for each in answer["costs"]],
        "leverage": [each["leverage"] for each in answer["residuals"]],
        "standardized": [each["standardized"] for each in answer["residuals"]],
        "cooks_distance": [each["cooks_distance"] for each in answer["residuals"]],
    }
    return {name: difference(values, theirs[name]) for name, values in ours.items()}


def table(header, rows):
    cells = [list(map(str, row)) for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for row in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    build = pathlib.Path(parser.parse_args().build).resolve()
    if not shutil.which("Rscript"):
        sys.exit("against_r.py: there is no Rscript here; install R (Debian: apt-get install r-base-core)")
    cases = json.loads(
        subprocess.run(
            [build / "bench/regress/parcast_regress_solve"], capture_output=True, text=True, check=True
        ).stdout
    )
    with tempfile.TemporaryDirectory(prefix="parcast-r-") as name:
        folder = pathlib.Path(name)
        answers = solved_by_r(cases, folder)
        worst, rows = {}, []
        right = all([judge(case, theirs, worst, rows) for case, theirs in zip(cases, answers, strict=True)])
        longley = next(i for i, case in enumerate(cases) if case["name"] == "Longley")
        command = (
            by_the_command(build, cases[longley], answers[longley], folder)
            if os.access(build / "bin/parcast", os.X_OK)
            else None
        )
    kinds = list(dict.fromkeys(case["kind"] for case in cases))
    print(f"{len(cases)} regressions; largest difference from R per quantity, of those below {LIMIT:g}")
    table(
        ["", *kinds],
        [
            [
                quantity,
                *(f"{worst[kind, quantity]:.1e}" if (kind, quantity) in worst else "-" for kind in kinds),
            ]
            for quantity in QUANTITIES
        ],
    )
    print(
        f"\nabove {LIMIT:g}: {len(rows)}"
        + (", and who is off by more from the solution in fractions" if rows else "")
    )
    if rows:
        table(["", "condition", "", "apart", "we are off", "R is off", "worse"], rows)
    if command:
        print(
            "\nparcast regress --plain on Longley: "
            + ", ".join(f"{name} {off:.1e}" for name, off in command.items())
        )
        right &= all(off <= LIMIT for off in command.values())
    print(
        "\nwithin 1e-10 of R or of the fractions, but for rounding times condition"
        if right
        else "\nNOT within 1e-10 of R, nor of the fractions"
    )
    sys.exit(0 if right else 1)


main()
