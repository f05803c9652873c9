# SPDX-License-Identifier: Apache-2.0
"""Predicts each program of the suite from costs of the other four: the main table of the paper. Used by
table1.py."""
import errors
from common import table
from costs import write_table

HEADER = [*errors.HEADER[:-1], "in 90 %, new", "in 90 %, known", "in +-2 SE"]


class FromOthers:
    def __init__(self, bench, regression, asked):
        """Predicts the runs `asked`, (program, values, p), with a Regression of measured runs. The
        predictions are written before any of these runs is measured."""
        self.bench, self.asked = bench, asked
        programs = list(dict.fromkeys(program for program, *_ in regression.runs))
        self.answers = [None] * len(asked)
        together = regression.predicted("all", programs, asked)["predictions"]
        for left_out in programs:
            places = [i for i, question in enumerate(asked) if question[0] == left_out]
            answer = regression.predicted(
                left_out, [program for program in programs if program != left_out], [asked[i] for i in places]
            )
            print(
                f"costs without {left_out}: "
                + ", ".join(
                    f"{cost['name']} {cost['value']:.3g} s"
                    + ("" if cost["identified"] else " (not identified)")
                    for cost in answer["costs"]
                ),
                flush=True,
            )
            for i, each in zip(places, answer["predictions"], strict=True):
                self.answers[i] = {
                    "refused": each.get("refused"), "new": each.get("new_program"),
                    "classic": each.get("two_standard_errors"), "known": together[i].get("known_program"),
                }
        write_table(
            bench.work / "from_others_predicted.csv",
            [
                "program", "N", "p", "predicted", "low", "high", "known_low", "known_high", "classic_low",
                "classic_high", "refused",
            ],
            [
                [program, values["N"], p, *self.bounds(answer)]
                for (program, values, p), answer in zip(asked, self.answers)
            ],
        )

    @staticmethod
    def bounds(answer):
        if answer["refused"]:
            return [""] * 7 + [answer["refused"]]
        return [
            repr(answer["new"]["value"]),
            *(repr(answer[kind][end]) for kind in ("new", "known", "classic") for end in ("low", "high")), "",
        ]

    def print(self, programs, seconds):
        """Prints the table. `seconds`: all measurements of each requested run."""
        pairs = [
            (question[0], answer, run)
            for question, answer, runs in zip(self.asked, self.answers, seconds)
            for run in runs
            if not answer["refused"]
        ]
        refused = sum(len(runs) for answer, runs in zip(self.answers, seconds) if answer["refused"])

        def row(name, own):
            held = [
                sum(answer[kind]["low"] <= run <= answer[kind]["high"] for _, answer, run in own) / len(own)
                for kind in ("new", "known", "classic")
            ]
            return (
                errors.row(name, [answer["new"]["value"] for _, answer, _ in own], [run for *_, run in own]),
                held,
            )

        rows = [
            row(program, own)
            for program in programs
            if (own := [each for each in pairs if each[0] == program])
        ]
        together = [*rows, row("all runs", pairs)]
        print("\neach program by costs of the other four; known: by costs of all five programs' small runs")
        weighted = errors.weighted("weighted by runs", [each for each, _ in rows])
        table(
            HEADER,
            [
                *(
                    [*errors.cells(each)[:-1], *(f"{100 * share:.0f} %" for share in held)]
                    for each, held in together
                ),
                [*errors.cells(weighted)[:-1], "", "", ""],
            ],
        )
        if refused:
            print(f"{refused} runs were not predicted: what they do is not among what the others do")
        write_table(
            self.bench.work / "from_others.csv",
            [
                "program", "runs", "sigma", "mean", "variation", "average_error", "below_40", "worst",
                "in_new", "in_known", "in_two_standard_errors",
            ],
            [
                [
                    each.name, each.runs, each.sigma, each.mean, each.variation, each.average_error,
                    each.below_40, each.worst, *held,
                ]
                for each, held in together
            ],
        )
