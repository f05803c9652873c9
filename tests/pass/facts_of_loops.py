# SPDX-License-Identifier: Apache-2.0
"""Facts of loops and branches against what was counted, for the tests of the compiler pass: where everything
that a number of rounds rests on was seen with one single value in a run, the way back to the loop's head was
taken that often. Evaluates nodes by the words of docs/formats/facts.md; shares no code with what Parcast
reads them by."""
import dataclasses
import math

from counted import counters_of, facts_of, flows_of

NOTHING = (1 << 63) + 1  # first word of a probe that recorded no value
MOST_ROUNDS = 100_000    # of nests that are evaluated round by round
ELSEWHERE = ("argument", "load", "call", "untold")


class Unknown(Exception):
    """This run does not decide it."""


class Broken(Exception):
    """A fact does not hold."""


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


COMPARE = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}


def holds(predicate, a, b, bits):
    if predicate[0] == "s":
        a, b = signed(a, bits), signed(b, bits)
    return COMPARE[predicate if predicate in ("eq", "ne") else predicate[1:]](a, b)


SIMPLE = {
    "add": sum,
    "mul": math.prod,
    "sub": lambda v: v[0] - v[1],
    "and": lambda v: v[0] & v[1],
    "or": lambda v: v[0] | v[1],
    "xor": lambda v: v[0] ^ v[1],
    "umax": max,
    "umin": min,
    "freeze": lambda v: v[0],
    "trunc": lambda v: v[0],
    "zext": lambda v: v[0],
    "select": lambda v: v[1] if v[0] else v[2],
}


class Nodes:
    def __init__(self, table, seen):
        self.table, self.seen, self.below = table, seen, {}

    def bits(self, node):
        return 1 if self.table[node][0].startswith("icmp") else self.table[node][1]

    def loops_below(self, node):
        """Returns the loops whose rounds affect the node."""
        if node not in self.below:
            row, recurs = self.table[node], self.table[node][0] == "recurrence"
            ends = row[0] in ("int", "float", *ELSEWHERE)
            self.below[node] = (
                set()
                if ends
                else ({row[2]} if recurs else set()).union(*map(self.loops_below, row[3 if recurs else 2 :]))
            )
        return self.below[node]

    def value(self, node, rounds):
        """Returns the value modulo 2^bits, in the given round of each loop."""
        return self.value_with(node, rounds, {})

    def value_with(self, node, rounds, known):
        if node not in known:
            known[node] = self.value_of(self.table[node], node, rounds, known)
        return known[node]

    def value_of(self, row, node, rounds, known):
        if row[0] == "int":
            return int(row[2]) % (1 << row[1])
        if node in self.seen:
            value = self.seen[node]
            if value is None:
                raise Unknown("several values")
            if value == NOTHING:
                raise Broken("rests on what was never looked at")
            return value % (1 << row[1])
        if row[0] in ELSEWHERE:
            raise Unknown("not looked at")
        if row[0] == "recurrence":
            if row[2] not in rounds:
                raise Unknown("a loop that is not around")
            return sum(
                self.value_with(k, rounds, known) * math.comb(rounds[row[2]], i)
                for i, k in enumerate(row[3:])
            ) % (1 << row[1])
        values = [self.value_with(k, rounds, known) for k in row[2:]]
        return self.operation(row[0], row[1], values, self.bits(row[2])) % (1 << self.bits(node))

    @staticmethod
    def operation(name, bits, v, bits_below):
        if name in SIMPLE:
            return SIMPLE[name](v)
        if name.startswith("icmp "):
            return int(holds(name[5:], *v, bits))
        if name == "sext":
            return signed(v[0], bits_below)
        whole = [signed(x, bits) for x in v]
        if name in ("smax", "smin"):
            return (max if name == "smax" else min)(whole)
        if name == "abs":
            return abs(whole[0])
        if (
            name in ("udiv", "urem", "sdiv", "srem")
            and v[1] == 0
            or name in ("shl", "lshr", "ashr")
            and v[1] >= bits
        ):
            raise Unknown("not defined")
        table = {
            "udiv": lambda: v[0] // v[1], "urem": lambda: v[0] % v[1], "sdiv": lambda: quotient(*whole),
            "srem": lambda: whole[0] - quotient(*whole) * whole[1], "shl": lambda: v[0] << v[1],
            "lshr": lambda: v[0] >> v[1], "ashr": lambda: whole[0] >> v[1],
        }
        if name not in table:
            raise Unknown(name)
        return table[name]()


@dataclasses.dataclass
class Tally:
    """Of one run or many."""
    loops: int = 0     # entered
    checked: int = 0   # of these
    known: int = 0     # of these, rounds are known
    back: int = 0      # ways back to heads that were taken
    back_checked: int = 0
    branches: int = 0
    branches_checked: int = 0
    broken: list = dataclasses.field(default_factory=list)

    def add(self, other):
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


class Ran:
    """A function in one run."""

    def __init__(self, function, counters, probes):
        self.function, self.loops = function, function["loops"]
        self.flows = flows_of(function, counters)
        self.counts = self.flows[:len(function["blocks"])]
        seen = {}
        for node, probe in function["probes"]:
            first, others, *_ = probes[probe]
            seen[node] = first if others == 1 or (first, others) == (NOTHING, 0) else None
        self.nodes = Nodes(function["nodes"], seen)
        self.branch_of = {row[0]: row for row in function["branches"]}
        self.into = {}
        for (start, end, *_), flow in zip(function["arcs"], self.flows, strict=True):
            if end % 2 == 1 and end > 0:
                self.into.setdefault((end - 1) // 2, []).append((start, flow))
        self.known_rounds, self.circles = {}, self.has_circles()

    def has_circles(self):
        """Returns whether a path leads back to a block that is no head of an enclosing loop: then a block may
        be executed twice in a round."""
        heads = {row["head"]: loop for loop, row in enumerate(self.loops)}
        after = {}
        for start, end, *_ in self.function["arcs"]:
            if end % 2 == 1 and end > 0:
                after.setdefault((start - 2) // 2, []).append((end - 1) // 2)
        state, open_ways = {}, [(block, iter(after.get(block, []))) for block in reversed(after[-1])]
        while open_ways:
            block, ways = open_ways[-1]
            state[block] = "open"
            for to in ways:
                if state.get(to) == "open" and not (to in heads and self.inside(block, heads[to])):
                    return True
                if to not in state:
                    open_ways.append((to, iter(after.get(to, []))))
                    break
            else:
                state[block] = "done"
                open_ways.pop()
        return False

    def inside(self, block, loop):
        at = self.function["blocks"][block].get("loop")
        while at is not None and at != loop:
            at = self.loops[at].get("in")
        return at == loop

    def from_outside(self, start, loop):
        return start > 0 and not self.inside((start - 2) // 2, loop)

    def entries_and_back(self, loop):
        """Returns the entries of a loop, and the executions of its back edge (an arc from 0 to a head comes
        from a call in the loop)."""
        total = [0, 0]
        for start, flow in self.into[self.loops[loop]["head"]]:
            if flow is None:
                raise Unknown("an arc that is not counted")
            total[not self.from_outside(start, loop)] += flow
        return total

    def reached(self, block, loop, rounds):
        """Returns whether a block directly in a loop is executed in a given round."""
        if self.circles:
            raise Unknown("executed twice in a round")
        if self.counts[block] == self.counts[self.loops[loop]["head"]]:
            return True
        ways = self.into[block]
        before = (ways[0][0] - 2) // 2
        if (
            len(ways) != 1
            or ways[0][0] == 0
            or self.function["blocks"][before].get("loop") != loop
            or before not in self.branch_of
        ):
            raise Unknown("a condition that is unknown")
        return self.taken(self.branch_of[before], rounds) == (
            self.branch_of[before][4] == block
        ) and self.reached(before, loop, rounds)

    def taken(self, branch, rounds):
        _, predicate, left, right, yes, no = branch
        if yes == no:
            raise Unknown("no choice")
        return holds(
            predicate, self.nodes.value(left, rounds), self.nodes.value(right, rounds), self.nodes.bits(left)
        )

    def entered_in(self, loop, needed):
        """Returns the rounds of the enclosing loops in which a loop is entered, and how often each of these
        occurred."""
        entries, back = self.entries_and_back(loop)
        if not needed:
            return [{}], entries
        parent = self.loops[loop].get("in")
        if parent is None or self.loops[parent].get("rounds") is None:
            raise Unknown("a loop around without rounds")
        around, times = self.rounds_of(parent, needed - {parent})
        starts = [start for start, _ in self.into[self.loops[loop]["head"]] if self.from_outside(start, loop)]
        if len(starts) != 1 or self.function["blocks"][(starts[0] - 2) // 2].get("loop") != parent:
            raise Unknown("several entries")
        entered = [rounds for rounds in around if self.reached((starts[0] - 2) // 2, parent, rounds)]
        if len(entered) * times != entries:
            raise Broken(f"entered {entries} times instead of {len(entered)} x {times}")
        return entered, times

    def rounds_of(self, loop, needed):
        """Returns all rounds of a loop, in all rounds of the enclosing loops."""
        if (loop, *sorted(needed)) in self.known_rounds:
            return self.known_rounds[loop, *sorted(needed)]
        rounds_node = self.loops[loop]["rounds"]
        entered, times = self.entered_in(loop, needed | self.nodes.loops_below(rounds_node))
        made, total = [], 0
        for rounds in entered:
            count = self.nodes.value(rounds_node, rounds)
            total += count
            if total > MOST_ROUNDS:
                raise Unknown("too many rounds")
            made += [{**rounds, loop: i} for i in range(count + 1)]
        if total * times != self.entries_and_back(loop)[1]:
            raise Unknown("left early")  # or it is wrong, as is reported for that loop
        self.known_rounds[loop, *sorted(needed)] = made, times
        return made, times

    def check_loop(self, loop):
        row = self.loops[loop]
        if row.get("rounds") is None:
            raise Unknown("no rounds")
        entered, times = self.entered_in(loop, self.nodes.loops_below(row["rounds"]))
        expected = times * sum(self.nodes.value(row["rounds"], rounds) for rounds in entered)
        back = self.entries_and_back(loop)[1]
        if back > expected or back < expected and row["whole"]:
            raise Broken(f"{back} rounds instead of {expected}")
        if back < expected:
            raise Unknown("left early")

    def check_branch(self, branch):
        block, predicate, left, right, yes, no = branch
        loop, needed = self.function["blocks"][block].get("loop"), self.nodes.loops_below(
            left
        ) | self.nodes.loops_below(right)
        flow = [sum(f or 0 for start, f in self.into[to] if start == 2 + 2 * block) for to in (yes, no)]
        if not sum(flow):
            raise Unknown("left before its end")
        if not needed:
            if flow[not self.taken(branch, {})] != sum(flow):
                raise Broken(f"goes {flow} ways")
            return
        around, times = (
            self.rounds_of(loop, needed - {loop})
            if loop is not None and "rounds" in self.loops[loop]
            else ([], 0)
        )
        ways = [self.taken(branch, rounds) for rounds in around if self.reached(block, loop, rounds)]
        if not around or times * len(ways) != sum(flow):
            raise Unknown("not in every round")
        if flow != [times * ways.count(True), times * ways.count(False)]:
            raise Broken(f"goes {flow} ways instead of {times} x {[ways.count(True), ways.count(False)]}")

    def tally(self):
        made = Tally()
        for loop, row in enumerate(self.loops):
            entries, back = 0, 0
            try:
                entries, back = self.entries_and_back(loop)
                if not entries:
                    continue
                made.known += row.get("rounds") is not None
                self.check_loop(loop)
                made.checked += 1
                made.back_checked += back
            except Unknown:
                pass
            except Broken as error:
                made.broken.append(f"{self.function['name']} loop {loop} at {row['at'][:1]}: {error}")
            made.loops += 1
            made.back += back
        for branch in self.function["branches"]:
            if self.counts[branch[0]]:
                made.branches += 1
                try:
                    self.check_branch(branch)
                    made.branches_checked += 1
                except Unknown:
                    pass
                except Broken as error:
                    made.broken.append(
                        f"{self.function['name']} branch of block {branch[0]} at"
                        f" {self.function['blocks'][branch[0]]['at'][:1]}: {error}"
                    )
        return made


def tally_of(binary, counter_file):
    """Returns the checked facts of one run, and the wrong ones."""
    facts, made = facts_of(binary), Tally()
    for identity, (counters, probes) in counters_of(counter_file).items():
        for function in facts[identity]["functions"]:
            made.add(Ran(function, counters, probes).tally())
    return made
