#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generated programs (docs/formats/program.md) on generated machines, predicted by each engine and compared
with a plain reference. The reference executes every operation of every rank in order of time, with the costs
of docs/models/message_passing.md, interpretation.md, communication.md and system_graph.md. It shares no code
with the engines. It has two sets of rules: those of the interpreter, for auto and interpret, and those of the
simulator. Prints by family how many programs the equation answered, the largest relative difference of each
engine, and every seed that differs by more than 1e-9 and 1 ps an operation. The exit code is 1 if no warning
of the answer names the reason.

    bench/predict/generated_programs.py [--build build/ci] [--first 1] [--programs 3000] [--only chain,tree]
    bench/predict/generated_programs.py --one SEED      # program, machine, every rank by the reference, every
                                                        engine's answer
    bench/predict/generated_programs.py --self-check    # the reference against values known by hand; needs no
                                                        build"""
import argparse
import fractions
import functools
import heapq
import itertools
import json
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PS = 10**12
RELATIVE = 1e-9
# Assumptions under which an answer may differ from the reference, with words of the warning that names them.
NAMED = {
    "units written by hand": "takes the longest way",
}

# Expressions and partners
# ------------------------------------------------------------------------------------------------


FUNCTIONS = {
    "floor": math.floor, "ceil": math.ceil, "mod": lambda a, b: a - b * math.floor(a / b), "min": min,
    "max": max, "log2": math.log2, "sqrt": math.sqrt, "when": lambda condition, a, b: a if condition else b,
}


@functools.lru_cache(maxsize=None)
def compiled(text):
    return compile(text.replace("^", "**").replace("if(", "when("), text, "eval")


def value(text, env):
    return eval(compiled(str(text)), FUNCTIONS, env)  # noqa: S307: our own texts


def holds(condition, env):
    """A condition in the format's syntax; comparisons and "and" have the same meaning in Python."""
    parts = []
    for part in condition.split(" and "):
        words = part.split()
        if words[-1] in ("even", "odd"):
            parts.append(f"({' '.join(words[:-1])}) % 2 == {int(words[-1] == 'odd')}")
        elif words[0] == "node" and len(words) == 2:
            parts.append(f"r == {int(words[1]) + 1}")
        else:
            parts.append({"host": "r == 0", "nodes": "r > 0"}.get(part, part))
    return all(bool(value(part, env)) for part in parts)


def signed(amount):
    return f"+ {amount}" if amount >= 0 else f"- {-amount}"


class Whom:
    """A partner: its text, and its rank for env; None if no such rank exists, "any" for a receive."""

    def __init__(self, text, rank):
        self.text, self.of = text, rank

    def rank(self, env):
        found = self.of(env)
        return found if found is None or found == "any" or 0 <= found < env["p"] else None


def fixed(a):
    return Whom(str(a), lambda env: a)


def offset(a):
    return Whom(f"r {signed(a)}", lambda env: env["r"] + a)


def ring(a):
    return Whom(f"(r {signed(a)}) mod p", lambda env: (env["r"] + a) % env["p"])


def last():
    return Whom("p - 1", lambda env: env["p"] - 1)


def exclusive(a):
    return Whom(f"r xor {a}", lambda env: env["r"] ^ a)


def anybody():
    return Whom("any", lambda env: "any")


def host():
    return Whom("host", lambda env: 0)


def node(k):
    return Whom(f"node {k}", lambda env: k + 1)


def indexed(text, of):
    return Whom(text, of)


def in_grid(*shift):
    def of(env):
        extents, periodic = env["_grid"], env["_periodic"]
        at = list(coordinates(env["r"], extents))
        for k, by in enumerate(shift):
            at[k] += by
            if by and k in periodic:
                at[k] %= extents[k]
            if not 0 <= at[k] < extents[k]:
                return None
        return functools.reduce(lambda rank, k: rank * extents[k] + at[k], range(len(extents)), 0)

    return Whom("(" + ", ".join(f"+{by}" if by > 0 else str(by) for by in shift) + ")", of)


def dims_create(p, dimensions):
    """Returns extents that differ as little as possible, the largest first."""
    if dimensions == 1:
        return (p,)
    found = [
        (a, *rest)
        for a in range(1, p + 1)
        if p % a == 0
        for rest in [dims_create(p // a, dimensions - 1)]
        if a >= rest[0]
    ]
    return min(found, key=lambda each: (each[0] - each[-1], each))


def coordinates(rank, extents):
    out = []
    for extent in reversed(extents):
        out.append(rank % extent)
        rank //= extent
    return tuple(reversed(out))


# Statements: each writes its lines and lists the actions of a rank -----------------------------------------
# The actions of a rank are a list of ("compute", ps), ("post", source, tag, request), ("send", to, bytes,
# tag, request), ("wait", requests), ("stay", requests) after a blocking send, and ("collective", members,
# key, pattern, bytes, root).


def lines_of(block, indent):
    return [line for each in block for line in each.lines(indent)]


def communicates(block):
    return any(each.communicates() for each in block)


class Compute:
    def __init__(self, amount, unit="ns", tail=""):
        self.amount, self.unit, self.tail = amount, unit, tail

    def lines(self, indent):
        return [f"{indent}compute {self.amount} {self.unit}{self.tail}"]

    def communicates(self):
        return False

    def seconds(self, env):
        scale = {
            "ns": fractions.Fraction(1, 10**9), "us": fractions.Fraction(1, 10**6),
            "ms": fractions.Fraction(1, 1000), "operations": 1 / fractions.Fraction(env["_speed"]),
        }
        return fractions.Fraction(value(self.amount, env)) * scale[self.unit]

    def do(self, env, out):
        # In a loop that also communicates, computing that differs from round to round is spread evenly over
        # the rounds.
        spread = [(name, rounds) for name, rounds in env["_spread"].items() if name in self.amount]
        if spread:
            each = [self.seconds({**env, **dict(zip([name for name, _ in spread], at))})
                    for at in itertools.product(*[rounds for _, rounds in spread])]
            seconds = sum(each) / len(each)
        else:
            seconds = self.seconds(env)
        out.append(("compute", round(seconds * PS)))


class Message:
    """send, receive, start send, start receive, exchange, shift."""

    def __init__(self, verb, size, to=None, source=None, tag=None):
        self.verb, self.size, self.to, self.source, self.tag = verb, size, to, source, tag

    def lines(self, indent):
        tail = "" if self.tag is None else f" tag {self.tag}"
        if self.verb == "exchange":
            return [f"{indent}exchange {self.size} B with {self.to.text}{tail}"]
        to = f" to {self.to.text}" if self.to else ""
        source = f" from {self.source.text}" if self.source else ""
        return [f"{indent}{self.verb} {self.size} B{to}{source}{tail}"]

    def communicates(self):
        return True

    def do(self, env, out):
        to = self.to.rank(env) if self.to else None
        source = self.source.rank(env) if self.source else to if self.verb == "exchange" else None
        size = int(value(self.size, env))
        tag = "any" if self.tag == "any" else int(value(self.tag or 0, env))
        begun = []
        if source is not None:
            env["_requests"][0] += 1
            begun.append(env["_requests"][0])
            out.append(("post", source, tag, begun[-1]))
        if to is not None:
            env["_requests"][0] += 1
            begun.append(env["_requests"][0])
            out.append(("send", to, size, tag, begun[-1]))
        if self.verb.startswith("start"):
            env["_open"].extend(begun)
        elif begun:
            out.append(("stay" if self.verb == "send" else "wait", begun))


class WaitAll:
    def lines(self, indent):
        return [f"{indent}wait all"]

    def communicates(self):
        return True

    def do(self, env, out):
        if env["_open"]:
            out.append(("wait", list(env["_open"])))
            env["_open"].clear()


class Collective:
    PREPOSITIONS = {"broadcast": "from", "scatter": "from", "reduce": "to", "gather": "to"}

    def __init__(self, pattern, size="0", root=0, among=None):
        self.pattern, self.size, self.root, self.among = pattern, size, root, among

    def lines(self, indent):
        size = "" if self.pattern == "barrier" else f" {self.size} B"
        root = f" {self.PREPOSITIONS[self.pattern]} {self.root}" if self.pattern in self.PREPOSITIONS else ""
        return [f"{indent}{self.pattern}{size}{root}{' among ' + self.among if self.among else ''}"]

    def communicates(self):
        return True

    def members(self, env):
        p, r = env["p"], env["r"]
        if self.among is None:
            return tuple(range(p))
        if self.among == "nodes":
            return tuple(range(1, p)) if r > 0 else ()
        varying = {"rows": 1, "columns": 0}.get(self.among)
        varying = int(self.among.split()[1]) if varying is None else varying
        mine = coordinates(r, env["_grid"])
        return tuple(
            each
            for each in range(p)
            if all(
                a == b for k, (a, b) in enumerate(zip(coordinates(each, env["_grid"]), mine)) if k != varying
            )
        )

    def do(self, env, out):
        members = self.members(env)
        if len(members) < 2:
            return  # one process: a machine without tables charges nothing
        size = 0 if self.pattern == "barrier" else int(value(self.size, env))
        if self.pattern in ("alltoall", "reduce_scatter"):
            size *= len(members)  # a process contributes its complete send buffer
        root = 0
        if self.pattern in self.PREPOSITIONS:
            words = str(self.root).split()
            root = 0 if words[0] == "host" else int(words[-1]) + (words[0] == "node" and self.among is None)
        out.append(("collective", members, (self.among, members), self.pattern, size, root))


class Repeat:
    """repeat N, or for NAME = a..b, or rounds NAME = a..b"""

    def __init__(self, rounds, body, index=None, first=None, end=None, verb="for"):
        self.rounds, self.body, self.index, self.first, self.end, self.verb = (
            rounds, body, index, first, end, verb,
        )

    def lines(self, indent):
        head = (
            f"repeat {self.rounds}"
            if self.index is None
            else f"{self.verb} {self.index} = {self.first}..{self.end}"
        )
        return [indent + head, *lines_of(self.body, indent + "  ")]

    def communicates(self):
        return communicates(self.body)

    def do(self, env, out):
        if self.index is None:
            rounds = range(max(0, math.floor(value(self.rounds, env))))
        else:
            rounds = range(int(value(self.first, env)), math.floor(value(self.end, env)) + 1)
        spread = dict(env["_spread"])
        if self.index is not None and self.communicates():
            spread[self.index] = rounds
        for k in rounds:
            inner = {**env, "_spread": spread, "_round": k, "_rounds": len(rounds)}
            if self.index is not None:
                inner[self.index] = k
            for each in self.body:
                each.do(inner, out)


class ParallelDo:
    def __init__(self, index, first, end, how, body, over=None):
        self.index, self.first, self.end, self.how, self.body, self.over = index, first, end, how, body, over

    def lines(self, indent):
        return [
            (
                f"{indent}parallel do {self.index} ="
                f" {self.first}..{self.end} {self.how}{' over ' + self.over if self.over else ''}"
            ),
            *lines_of(self.body, indent + "  "),
        ]

    def communicates(self):
        return False

    def do(self, env, out):
        p, r = env["p"], env["r"]
        places, mine = (p - 1, r - 1) if env["_host"] and self.over != "all" else (p, r)
        if mine < 0:
            return
        a, b = int(value(self.first, env)), int(value(self.end, env))
        rounds = list(range(a, b + 1))
        if self.how == "cyclic":
            own = rounds[mine::places]
        else:
            each, more = divmod(len(rounds), places)
            begin = mine * each + min(mine, more)
            own = rounds[begin:begin + each + (mine < more)]
        for i in own:
            for statement in self.body:
                statement.do({**env, self.index: i}, out)


class If:
    def __init__(self, condition, then, otherwise=()):
        self.condition, self.then, self.otherwise = condition, then, otherwise

    def lines(self, indent):
        head = self.condition if self.condition in ("host", "nodes") else f"if {self.condition}"
        out = [indent + head, *lines_of(self.then, indent + "  ")]
        return out + [indent + "else", *lines_of(self.otherwise, indent + "  ")] if self.otherwise else out

    def communicates(self):
        return communicates(self.then) or communicates(self.otherwise)

    def do(self, env, out):
        for each in self.then if holds(self.condition, env) else self.otherwise:
            each.do(env, out)


class Probability:
    """Communication happens in the first round(q R) rounds of the enclosing loop; computing counts q
    times."""

    def __init__(self, q, body):
        self.q, self.body = q, body

    def lines(self, indent):
        return [f"{indent}if probability {self.q}", *lines_of(self.body, indent + "  ")]

    def communicates(self):
        return communicates(self.body)

    def do(self, env, out):
        if self.communicates():
            if env["_round"] < math.floor(self.q * env["_rounds"] + 0.5):
                for each in self.body:
                    each.do(env, out)
            return
        inside = []
        for each in self.body:
            each.do(env, inside)
        out.append(("compute", round(sum(c for _, c in inside) * self.q)))


class Named:
    """region NAME, or define NAME above the program and call NAME here."""

    def __init__(self, name, body, defined=False):
        self.name, self.body, self.defined = name, body, defined

    def lines(self, indent):
        return (
            [f"{indent}call {self.name}"]
            if self.defined
            else [f"{indent}region {self.name}", *lines_of(self.body, indent + "  ")]
        )

    def communicates(self):
        return communicates(self.body)

    def do(self, env, out):
        for each in self.body:
            each.do(env, out)


class Program:
    def __init__(
        self, body, p, parameters=None, head=(), dimensions=0, periodic=(), is_host=False, data=None,
        defined=(),
    ):
        self.body, self.p, self.parameters, self.head = body, p, parameters or {}, list(head)
        self.dimensions, self.periodic, self.is_host = dimensions, tuple(periodic), is_host
        self.data, self.defined = data or {}, list(defined)
        self.asked = False  # the text gives its parameters other values than the requested ones

    def text(self, name):
        head = [f"program {name}"]
        if self.is_host:
            head.append("host program")
        head += [
            f"parameter {key} = {each + 3 if self.asked else each}" for key, each in self.parameters.items()
        ]
        if self.dimensions:
            some = " " + ", ".join(map(str, self.periodic)) if len(self.periodic) < self.dimensions else ""
            head.append(f"grid {self.dimensions}" + (f" periodic{some}" if self.periodic else ""))
        head += self.head
        for each in self.defined:
            head += [f"define {each.name}", *lines_of(each.body, "  ")]
        return "\n".join([*head, *lines_of(self.body, "")]) + "\n"

    def ranks(self, speed):
        out = []
        for r in range(self.p):
            env = {
                "p": self.p, "r": r, **self.parameters, "_open": [], "_requests": [0], "_spread": {},
                "_speed": speed, "_host": self.is_host, "_periodic": self.periodic,
            }
            if self.is_host:
                env["P"] = self.p - 1
            if self.dimensions:
                extents = dims_create(self.p, self.dimensions)
                env["_grid"] = extents
                for k, (extent, c) in enumerate(zip(extents, coordinates(r, extents))):
                    env[f"g{k}"], env[f"c{k}"] = extent, c
            for name, of in self.data.items():
                env[name] = of(env)
            words = []
            for each in self.body:
                each.do(env, words)
            out.append(words)
        return out


# Machines
# ----------------------------------------------------------------------------------------------------


class Link:
    """Parameters in picoseconds and bytes."""

    FIELDS = {
        "latency": "L", "send_overhead": "o_s", "receive_overhead": "o_r", "gap": "g",
        "rendezvous_latency": "H",
    }
    RATES = {
        "gap_per_byte": "G", "send_overhead_per_byte": "O_s", "receive_overhead_per_byte": "O_r",
        "rendezvous_gap_per_byte": "G2",
    }

    def __init__(
        self, L=0, o_s=0, o_r=0, g=0, G=0, O_s=0, O_r=0, S=None, H=None, G2=None, corrections=(), overlap=None
    ):
        self.L, self.o_s, self.o_r, self.g, self.H = L, o_s, o_r, g, H
        self.G, self.O_s, self.O_r, self.G2 = (
            None if each is None else fractions.Fraction(each) for each in (G, O_s, O_r, G2)
        )
        self.S, self.corrections, self.overlap = S, corrections, overlap

    def table(self):
        out = []
        for key, field in self.FIELDS.items():
            each = getattr(self, field)
            if each or (key == "latency"):
                out.append(f'{key} = "{each / 1000!r}ns"')
        for key, field in self.RATES.items():
            each = getattr(self, field)
            if each or key == "gap_per_byte":
                out.append(f'{key} = "{float(each / 1000)!r}ns/B"')
        if self.S is not None:
            out.append(f'eager_limit = "{self.S}B"')
        if self.overlap is not None:
            out.append(f"rendezvous_overlap = {self.overlap}")
        return out

    def rows(self, name):
        out = []
        for start, startup, per_byte in self.corrections:
            out += [
                f"[[links.{name}.corrections]]", f'from_bytes = "{start}B"',
                f'startup = "{startup / 1000!r}ns"', f'per_byte = "{float(per_byte) / 1000!r}ns/B"',
            ]
        return out

    def eager(self, m):
        return self.S is None or m <= self.S

    def correction(self, m):
        found = (0, 0)
        for start, startup, per_byte in self.corrections:
            if m >= start:
                found = (startup, per_byte)
        return found

    def cost(self, m, least, half_up):
        """Returns s, f without the gap, l, b, q, H1 and H2 of a message in integer picoseconds. The simulator
        rounds each product, halves up (message_passing.md, Units). The interpreter rounds each answer once,
        half to even (interpretation.md, Costs)."""
        eager = self.eager(m)
        c, d = self.correction(m)
        rates = [
            self.O_s if eager else 0, self.O_r if eager else 0,
            self.G if eager or self.G2 is None else self.G2, d,
        ]
        products = [m * fractions.Fraction(rate) for rate in rates]
        if half_up:
            products = [math.floor(each + fractions.Fraction(1, 2)) for each in products]
        to_send, to_receive, stream, corrected = products
        w = self.L + c + corrected
        # system_graph.md, A message: if unknown, the handshake takes a latency each way
        h = 2 * self.L if self.H is None else self.H
        out = {
            "eager": eager, "s": round(self.o_s + to_send), "f": round(stream),
            "l": max(least, round(max(0, w))), "b": round(max(0, stream - to_receive + min(0, w))),
            "q": round(self.o_r + to_receive),
        }
        return {**out, "o_s": self.o_s, "H1": max(least, h // 2), "H2": h - h // 2}

    def messages(self, k, b):
        """Returns the time of k concurrent messages of b bytes, in picoseconds (communication.md, 1, 2,
        5)."""
        if k == 0:
            return 0
        m = fractions.Fraction(b) / k
        c, d = self.correction(m)
        eager = self.eager(m)
        rate = self.G if eager or self.G2 is None else self.G2
        handshake = 0 if eager else 2 * self.L if self.H is None else self.H
        return k * (self.L + self.o_s + self.o_r + handshake) + b * rate + k * c + b * fractions.Fraction(d)


def algorithms(pattern, p, m):
    """Returns the chains of messages of communication.md: (messages, bytes)."""
    r, low, ends = math.ceil(math.log2(p)), math.floor(math.log2(p)), fractions.Fraction(2 * (p - 1) * m, p)
    return {"barrier": [(r, 0)],
            "broadcast": [(r, r * m), (r + p - 1, ends)],
            "reduce": [(r, r * m), (2 * r, ends)],
            "allreduce": [(2 * r - low, (2 * r - low) * m), (2 * r, ends)],
            "gather": [(r, (p - 1) * m)], "scatter": [(r, (p - 1) * m)], "allgather": [(r, (p - 1) * m)],
            "alltoall": [(r, fractions.Fraction(r * m, 2)), (p - 1, ends / 2)],
            "reduce_scatter": [(r, ends / 2)],
            "scan": [(r, r * m)]}[pattern]


class Table:
    """Returns t(m, p) = a + b f(p) + m (c + d f(p)), by pieces of m, in picoseconds."""

    GROWTHS = {
        "1": lambda p: 1, "log2": math.log2, "ceil_log2": lambda p: math.ceil(math.log2(p)),
        "linear": lambda p: p, "peers": lambda p: p - 1, "sqrt": math.sqrt,
    }

    def __init__(self, pattern, pieces):
        self.pattern, self.pieces = pattern, pieces

    def time(self, m, p):
        start, growth, a, b, c, d = [each for each in self.pieces if m >= each[0]][-1]
        f = self.GROWTHS[growth](p)
        return a + b * f + m * (c + d * f)

    def rows(self):
        out = ["[[patterns]]", f'name = "{self.pattern}"']
        for start, growth, a, b, c, d in self.pieces:
            out += [
                "[[patterns.pieces]]", f'from_bytes = "{start}B"', f'growth = "{growth}"',
                f'startup = "{a / 1000!r}ns"', f'startup_growth = "{b / 1000!r}ns"',
                f'per_byte = "{c / 1000!r}ns/B"', f'per_byte_growth = "{d / 1000!r}ns/B"',
            ]
        return out


class Machine:
    interpreted = ()  # rules of SIMULATED that the interpreter also applies on it

    def __init__(self, outside, inside=None, cores=1, tables=(), speed=10**9, system=None):
        self.outside, self.inside, self.cores, self.speed, self.system = (
            outside, inside or outside, cores, speed, system,
        )
        self.tables = {each.pattern: each for each in tables}

    def text(self, name):
        out = [
            'schema = "parcast.machine/1"', f'name = "{name}"', "nodes = 64",
            f"cores_per_node = {self.cores}", f"core_speed = {self.speed:.1f}",
        ]
        levels = [("network", self.outside)] + (
            [(level, self.inside) for level in ("core", "socket", "node")] if self.cores > 1 else []
        )
        for level, link in levels:
            out += [f"[links.{level}]", *link.table(), *link.rows(level)]
        for each in self.tables.values():
            out += each.rows()
        return "\n".join(out) + "\n"

    def link(self, a, b):
        return self.inside if a // self.cores == b // self.cores else self.outside

    def links(self):
        return [self.outside, self.inside]

    def attends_always(self, p):
        """Returns whether messages progress while ranks compute: from the measured overlap of the farthest
        link in use."""
        link = self.inside if p <= self.cores else self.outside
        return link.overlap is not None and link.overlap >= 0.5

    def farthest(self, members):
        """Returns the link of a collective: between its first and last member, which have the largest
        distance in block placement."""
        return self.link(members[0], members[-1])

    def collective(self, members, pattern, m):
        """Returns the time of a collective after the required members have arrived, in integer
        picoseconds."""
        if pattern in self.tables:
            return round(self.tables[pattern].time(m, len(members)))
        link = self.farthest(members)
        return round(min(link.messages(k, b) for k, b in algorithms(pattern, len(members), m)))


class SystemMachine(Machine):
    """Units written by hand (docs/models/system_graph.md): nodes with an interface or none in a topology; one
    link for each route."""

    interpreted = ("schedules",)

    def __init__(self, hop, interface, topology, extents, stored, count, tables=()):
        super().__init__(hop, tables=tables)
        self.hop, self.interface, self.topology, self.extents, self.stored, self.count = (
            hop, interface, topology, extents, stored, count,
        )
        self.routes = {}

    def text(self, name):
        out = ['schema = "parcast.machine/1"', f'name = "{name}"']
        for each in self.tables.values():
            out += each.rows()
        out += [
            "[system.units.machine]", "[system.units.machine.communication]",
            *([f'topology = "{self.topology}"'] if self.interface else []),
            *([f"extents = {list(self.extents)}"] if self.extents and self.interface else []),
            *(['forwarding = "store_and_forward"'] if self.stored and self.interface else []),
            *self.hop.table(), "[system.units.node]", 'parent = "machine"', f"count = {self.count}",
            f"processing = {{ speed = {self.speed:.1f} }}",
        ]
        if self.interface:
            out.append("communication = { " + ", ".join(self.interface.table()) + " }")
        return "\n".join(out) + "\n"

    def hops(self, a, b):
        # parts that no message can occupy have a distance of one hop
        if self.topology in ("bus", "crossbar") or not self.interface:
            return 1
        if self.topology == "hypercube":
            return (a ^ b).bit_count()
        if self.topology == "ring":
            return min((a - b) % self.count, (b - a) % self.count)
        ways = [abs(x - y) for x, y in zip(coordinates(a, self.extents), coordinates(b, self.extents))]
        return (
            sum(min(way, extent - way) for way, extent in zip(ways, self.extents))
            if self.topology == "torus"
            else sum(ways)
        )

    def link(self, a, b):
        if a == b:
            return self.routes.setdefault("own", Link())
        distance = self.hops(a, b)
        if distance not in self.routes:
            way = [
                *([self.interface] if self.interface else []), *[self.hop] * distance,
                *([self.interface] if self.interface else []),
            ]
            together = sum if self.stored else max

            def known(of, field):
                found = [each for each in (getattr(link, field) for link in way) if each is not None]
                return of(found) if found else None

            g2 = (
                together([link.G if link.G2 is None else link.G2 for link in way])
                if any(link.G2 is not None for link in way)
                else None
            )
            self.routes[distance] = (
                way[0]
                if len(way) == 1
                else Link(
                    L=sum(link.L for link in way), o_s=way[0].o_s, o_r=way[-1].o_r,
                    g=max(link.g for link in way), G=together(link.G for link in way), O_s=way[0].O_s,
                    O_r=way[-1].O_r, S=known(min, "S"), H=known(sum, "H"), G2=g2,
                )
            )
        return self.routes[distance]

    def links(self):
        return [self.hop, *([self.interface] if self.interface else [])]

    def attends_always(self, p):
        return False

    def farthest(self, members):
        return self.link(members[0], max(members[1:], key=lambda each: self.hops(members[0], each)))


# The reference
# ----------------------------------------------------------------------------------------------------


# What the simulator does otherwise than the interpreter (message_passing.md and interpretation.md).
SIMULATED = {
    "interfaces": (
        "a rank's interfaces serve messages in order of time, those of a rendezvous included (g, G, G')"
    ),
    "attention": "a rendezvous goes on while a rank is in a call only",
    "schedules": "collectives without a table go by their messages",
    "own": "a message to the own rank takes the nearest link, and nothing in the interpreter",
}


class Reference:
    """Executes all ranks in order of time, by the rules of interpretation.md and some or all of SIMULATED."""

    def __init__(self, ranks, machine, rules=()):
        self.words, self.machine = ranks, machine
        p = len(ranks)
        links = machine.links()
        self.interfaces, self.schedules = "interfaces" in rules, "schedules" in rules
        self.always = "attention" not in rules or machine.attends_always(p)
        self.own = None if "own" in rules else Link()
        wild = any(word[0] == "post" and word[1] == "any" for words in ranks for word in words)
        self.least = (
            1 if wild or (self.interfaces and any(link.g or link.G or link.G2 for link in links)) else 0
        )
        self.events, self.counter = [], itertools.count()
        self.posted, self.unexpected = [[] for _ in range(p)], [[] for _ in range(p)]
        self.requests = [{} for _ in range(p)]
        self.waiting = [None] * p
        self.end = [None] * p
        self.pairs, self.calls = {}, itertools.count()
        self.sending_free, self.receiving_since, self.receiving_free = [0] * p, [0] * p, [0] * p
        self.in_call, self.pending = [False] * p, [[] for _ in range(p)]
        self.gatherings, self.joined = {}, {}
        self.costs = {}
        self.at = [None] * p
        self.ranks = [self.rank(r) for r in range(p)]
        for r in range(p):
            self.go_on(0, r)

    def run(self):
        """Returns the end of the last rank in picoseconds, None if ranks deadlock."""
        while self.events:
            now, _, _, _, _, action = heapq.heappop(self.events)
            action(now)
        return None if None in self.end else max(self.end)

    def later(self, time, kind, a, b, action):
        heapq.heappush(self.events, (time, kind, a, b, next(self.counter), action))

    def go_on(self, time, r):
        def step(now):
            stop = next(self.ranks[r], "over")
            if stop is not None and stop != "over":
                self.go_on(stop, r)

        self.later(time, 1, r, 0, step)

    def cost(self, a, b, m):
        link = self.own if a == b and self.own else self.machine.link(a, b)
        key = (id(link), m)
        if key not in self.costs:
            self.costs[key] = link.cost(m, self.least, self.interfaces)
            self.costs[key]["busy"] = max(link.g, self.costs[key]["f"])
        return self.costs[key]

    # The actions of a rank.

    def rank(self, r):
        t = 0
        for place, word in enumerate(self.words[r]):
            if word[0] == "compute":
                t += word[1]
                continue
            if word[0] == "stay" and all("ready" in self.requests[r][each] for each in word[1]):
                for each in word[1]:  # an eager send returns without a wait, in which its rank would attend
                    del self.requests[r][each]
                continue
            self.at[r] = (place, word)
            yield t
            self.attend(r, t)
            if word[0] == "post":
                self.post(r, t, word[1], word[2], word[3])
                self.attend(r, t)  # time at which the call began
            elif word[0] == "send":
                blocks = self.words[r][place + 1 : place + 2] == [("stay", [word[4]])]
                self.in_call[r] = blocks and not self.cost(r, word[1], word[2])["eager"]
                t = self.send(r, t, *word[1:])
            elif word[0] in ("wait", "stay"):
                t = yield from self.wait(r, t, word[1])
            else:
                t = yield from self.collective(r, t, *word[1:])
        self.end[r] = t
        self.at[r] = None

    def wait(self, r, t, requests, stay=False):
        self.in_call[r] = True
        self.attend(r, t)
        known = self.requests[r]
        while not all("ready" in known[each] for each in requests):
            self.waiting[r] = requests
            yield None
        self.waiting[r] = None
        received = [known[request] for request in requests if known[request]["receives"]]
        if not self.interfaces:
            self.serve(r, received)
        for each in sorted(received,
                           key=lambda each: (each["ready"], each["order"])):
            t = max(t, each["ready"]) + each["q"]
        t = max([t, *(known[request]["ready"] for request in requests if not known[request]["receives"])])
        for request in requests:
            del known[request]
        yield t
        self.in_call[r] = stay
        return t

    def serve(self, r, received):
        """The receiving interface by the interpreter's rule: in the order in which the rank waits."""
        for each in sorted(received, key=lambda each: (each["head"], each["order"])):
            start = each["head"]
            if start >= self.receiving_free[r]:
                self.receiving_since[r], self.receiving_free[r] = start, start + each["busy"]
            elif start >= self.receiving_since[r]:
                start = self.receiving_free[r]
                self.receiving_free[r] += each["busy"]
            each["ready"] = max(start + each["b"], each["envelope"])

    def made_known(self, r, now):
        if self.waiting[r] is not None and all("ready" in self.requests[r][each] for each in self.waiting[r]):
            self.waiting[r] = None
            self.go_on(now, r)

    def attend(self, r, now):
        ready, self.pending[r] = self.pending[r], []
        for action in ready:
            action(now)

    def when_attending(self, r, now, action):
        if self.always or self.in_call[r]:
            action(now)
        else:
            self.pending[r].append(action)

    # Messages.

    def send(self, r, t, to, m, tag, request, blocks=True):
        cost = self.cost(r, to, m)
        message = {
            "from": r, "to": to, "tag": tag, "cost": cost, "number": next(self.calls), "request": request,
        }
        if not isinstance(tag, tuple):
            self.pairs.setdefault((r, to), []).append(message)
        if cost["eager"]:
            self.requests[r][request] = {"receives": False, "ready": t}
            self.later(t + cost["o_s"], 0, r, message["number"], lambda now: self.depart(message, now))
            return t + cost["s"]
        self.requests[r][request] = {"receives": False}
        t += cost["s"]
        self.later(t + cost["H1"], 0, r, message["number"], lambda now: self.envelope(message, now))
        return t

    def depart(self, message, now):
        cost, r, to = message["cost"], message["from"], message["to"]
        departure = now
        if self.interfaces or cost["eager"]:
            departure = max(now, self.sending_free[r])
            self.sending_free[r] = departure + cost["busy"]
        if not cost["eager"]:
            self.requests[r][message["request"]]["ready"] = departure + (
                cost["busy"] if self.interfaces else cost["f"]
            )
            self.made_known(r, now)
        self.later(departure + cost["l"], 0, r, message["number"], lambda now: self.head(message, now))

    def head(self, message, now):
        cost, to = message["cost"], message["to"]
        start = now
        if self.interfaces:
            start = max(now, self.receiving_free[to])
            self.receiving_free[to] = start + cost["busy"]
        message["head"], message["data"] = now, start + cost["b"]
        if cost["eager"]:
            self.envelope(message, now)
        self.can_be_received(message, now)

    def envelope(self, message, now):
        """The message itself or its request arrives at the receiver, not before earlier ones of the same
        sender."""
        message["came"] = True
        if isinstance(message["tag"], tuple):
            return self.arrive(message, now)
        queue = self.pairs[message["from"], message["to"]]
        while queue and "came" in queue[0]:
            self.arrive(queue.pop(0), now)

    @staticmethod
    def fits(post, message):
        if isinstance(message["tag"], tuple) or isinstance(post["tag"], tuple):
            return post["tag"] == message["tag"] and post["source"] == message["from"]
        return post["source"] in ("any", message["from"]) and post["tag"] in ("any", message["tag"])

    def arrive(self, message, now):
        message["envelope"] = now
        r = message["to"]
        for post in self.posted[r]:
            if self.fits(post, message):
                self.posted[r].remove(post)
                return self.matched(post, message, now)
        self.unexpected[r].append(message)

    def post(self, r, t, source, tag, request):
        post = {"rank": r, "source": source, "tag": tag, "request": request}
        self.requests[r][request] = {"receives": True, "order": next(self.calls)}
        for message in self.unexpected[r]:
            if self.fits(post, message):
                self.unexpected[r].remove(message)
                return self.matched(post, message, t)
        self.posted[r].append(post)

    def matched(self, post, message, now):
        message["post"] = post
        if message["cost"]["eager"]:
            return self.can_be_received(message, now)

        def answer(now):
            self.later(
                now + message["cost"]["H2"], 0, message["from"], message["number"],
                lambda now: self.when_attending(message["from"], now, lambda now: self.ask(message, now)),
            )

        self.when_attending(post["rank"], now, answer)

    def ask(self, message, now):
        self.later(now, 0, message["from"], message["number"], lambda now: self.depart(message, now))

    def can_be_received(self, message, now):
        if "post" in message and "data" in message and "envelope" in message:
            r, request = message["to"], self.requests[message["to"]][message["post"]["request"]]
            request["ready"], request["q"] = max(message["data"], message["envelope"]), message["cost"]["q"]
            request.update(
                head=message["head"], busy=message["cost"]["busy"], b=message["cost"]["b"],
                envelope=message["envelope"],
            )
            self.made_known(r, now)

    # Collectives.

    def collective(self, r, t, members, key, pattern, m, root):
        number = self.joined[key, r] = self.joined.get((key, r), -1) + 1
        if self.schedules and pattern not in self.machine.tables:
            self.in_call[r] = True
            for step, (to, source) in enumerate(schedule(pattern, len(members), members.index(r), root, m)):
                requests = []
                if source is not None:
                    requests.append(("step", step, "from"))
                    self.post(r, t, members[source], (key, number), requests[-1])
                if to is not None:
                    requests.append(("step", step, "to"))
                    t = self.send(r, t, members[to[0]], to[1], (key, number), requests[-1])
                t = yield from self.wait(r, t, requests, stay=True)
            self.in_call[r] = False
            return t
        self.in_call[r] = True
        self.attend(r, t)
        came = self.gatherings.setdefault((key, number), {})
        came[r] = t
        top = members[root]
        needs = {
            "broadcast": [top], "scatter": [top], "reduce": members if r == top else [],
            "gather": members if r == top else [], "scan": members[: members.index(r)],
        }.get(pattern, members)
        for other in members:
            if self.waiting[other] == (key, number):
                self.go_on(t, other)
        while not all(each in came for each in needs):
            self.waiting[r] = (key, number)
            yield None
            self.waiting[r] = None
        t = max([t, *(came[each] for each in needs)]) + self.machine.collective(members, pattern, m)
        yield t
        self.in_call[r] = False
        return t


def schedule(pattern, p, r, root, m):
    """Returns the steps of message_passing.md's usual algorithms: ((member, bytes) to send to, member to
    receive from)."""
    rounds = math.ceil(math.log2(p))
    v = (r - root) % p

    def member(place):
        return (place + root) % p

    def subtree(place, bit):
        return min(bit, p - place)

    def down(bytes_of):
        steps = []
        low = v & -v if v else 1 << rounds
        if v:
            steps.append((None, member(v - low)))
        bit = low >> 1
        while bit:
            if v + bit < p:
                steps.append(((member(v + bit), bytes_of(v + bit, bit)), None))
            bit >>= 1
        return steps

    def up(bytes_of):
        steps, bit = [], 1
        while bit < p:
            if v & bit:
                return [*steps, ((member(v - bit), bytes_of(v, bit)), None)]
            if v + bit < p:
                steps.append((None, member(v + bit)))
            bit <<= 1
        return steps

    def share(i):
        return m * (i + 1) // p - m * i // p

    large = m >= 65536
    if pattern == "barrier":
        return [(((r + (1 << k)) % p, 0), (r - (1 << k)) % p) for k in range(rounds)]
    if pattern == "broadcast":
        return down(lambda place, bit: m)
    if pattern == "scatter":
        return down(lambda place, bit: m * subtree(place, bit))
    if pattern == "reduce":
        return up(lambda place, bit: m)
    if pattern == "gather":
        return up(lambda place, bit: m * subtree(place, bit))
    if pattern == "allreduce" and large:
        return [(((r + 1) % p, share((r - k) % p)), (r - 1) % p) for k in range(2 * p - 2)]
    if pattern == "allreduce":
        low = 1 << math.floor(math.log2(p))
        extra = p - low
        if r < 2 * extra and r % 2 == 0:
            return [((r + 1, m), None), (None, r + 1)]
        mine = (r - 1) // 2 if r < 2 * extra else r - extra
        steps, bit = [(None, r - 1)] if r < 2 * extra else [], 1
        while bit < low:
            other = mine ^ bit
            place = 2 * other + 1 if other < extra else other + extra
            steps.append(((place, m), place))
            bit <<= 1
        return steps + ([((r - 1, m), None)] if r < 2 * extra else [])
    if pattern == "allgather" and large:
        return [(((r + 1) % p, m), (r - 1) % p)] * (p - 1)
    if pattern == "allgather":
        return [
            (((r - (1 << k)) % p, m * min(1 << k, p - (1 << k))), (r + (1 << k)) % p) for k in range(rounds)
        ]
    if pattern == "alltoall" and not large:
        return [
            (((r + (1 << k)) % p, m // p * sum(1 for i in range(p) if i >> k & 1)), (r - (1 << k)) % p)
            for k in range(rounds)
        ]
    if pattern in ("alltoall", "reduce_scatter"):
        return [(((r + k) % p, m // p), (r - k) % p) for k in range(1, p)]
    # scan
    return [
        (((r + (1 << k), m) if r + (1 << k) < p else None), r - (1 << k) if r >= 1 << k else None)
        for k in range(rounds)
    ]


# Families: each draws a program
# ---------------------------------------------------------------------------------------------


class Draw:
    """Random choices that several families use."""

    def __init__(self, rng, machine):
        self.rng, self.machine, self.most = rng, machine, 24

    def p(self, low=2, high=24):
        high = min(high, self.most)
        return self.rng.choice(
            [
                each
                for each in (1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 8, 9, 11, 12, 13, 15, 16, 16, 17, 20, 23, 24)
                if low <= each <= high
            ]
        )

    def size(self):
        limit = self.machine.outside.S
        near = [] if limit is None else [limit, limit + 1, 2 * limit]
        return self.rng.choice([0, 1, 8, 8, 64, 1000, 1024, 4096, 30000, 100000, *near, *near])

    def eager_size(self):
        return self.rng.choice([each for each in (0, 8, 8, 64, 1000, 4096, 30000, 100000)
                                if all(link.eager(each) for link in self.machine.links())])

    def rounds(self, most=12):
        return 0 if self.rng.random() < 0.02 else self.rng.choice([1, 2, 3, 5, 7, most])

    def work(self, by_rank=True):
        """Returns an expression of computing in ns."""
        c = self.rng.choice([100, 700, 1000, 2500, 5000, 12345, 40000, 250000])
        if not by_rank:
            return str(c)
        return self.rng.choice(
            [
                f"{c}", f"{c}", f"{c}*(r + 1)", f"{c}*(p - r)", f"{c}*(1 + mod(r, 3))",
                f"{c}*if(r >= {self.rng.randint(1, 4)}, 3, 1)",
                f"{c}*if(r == {self.rng.randint(0, 4)}, 5, 1)", f"{c} + 13*r^2", f"{c}*mod(r, 2)",
            ]
        )

    def compute(self, by_rank=True, chance=0.7):
        if self.rng.random() > chance:
            return []
        if self.rng.random() < 0.1 and not isinstance(self.machine, SystemMachine):
            return [Compute(self.work(by_rank), "operations")]
        return [Compute(self.work(by_rank), "ns")]

    def tag(self):
        return self.rng.choice([None, None, None, 3])

    def flip(self, chance=0.5):
        return self.rng.random() < chance


def ping_pong(d):
    p = d.p(2, 8)
    a, b = d.rng.sample(range(p), 2) if d.flip(0.4) else (0, 1)
    m, back = d.size(), d.size()
    first = [
        *d.compute(), Message("send", m, to=fixed(b)), *d.compute(chance=0.3),
        Message("receive", back, source=fixed(b)), *d.compute(chance=0.3),
    ]
    second = [
        *d.compute(chance=0.3), Message("receive", m, source=fixed(a)), *d.compute(),
        Message("send", back, to=fixed(a)),
    ]
    n = d.rounds(40)
    if d.flip(0.3):
        body = [If(f"r == {a}", [Repeat("n", first)]), If(f"r == {b}", [Repeat("n", second)])]
    else:
        body = [Repeat("n", [If(f"r == {a}", first), If(f"r == {b}", second)])]
    if d.flip(0.3):
        body = [*d.compute(), *body, *d.compute()]
    if d.flip(0.2):
        body.append(Collective("barrier"))
    return Program(body, p, {"n": n})


def token_ring(d):
    p, m, step = d.p(1), d.size(), d.rng.choice([1, 1, 1, -1])
    starter = d.rng.choice([0, 0, 0, 1])
    begins = [
        *d.compute(), Message("send", m, to=ring(step)), *d.compute(chance=0.2),
        Message("receive", m, source=ring(-step)), *d.compute(chance=0.2),
    ]
    follows = [
        *d.compute(chance=0.2), Message("receive", m, source=ring(-step)), *d.compute(),
        Message("send", m, to=ring(step)),
    ]
    condition = f"r == {starter}"
    if d.flip(0.3):
        return Program([If(condition, [Repeat("n", begins)], [Repeat("n", follows)])], p, {"n": d.rounds()})
    return Program(
        [*d.compute(chance=0.2), Repeat("n", [If(condition, begins, follows)])], p, {"n": d.rounds()}
    )


def chain(d):
    p, m = d.p(1), d.size()
    up = d.rng.choice([1, 1, 1, 2, -1])
    body = [Message("receive", m, source=offset(-up)), *d.compute(), Message("send", m, to=offset(up))]
    if d.flip(0.3):
        body = [
            Message("send", m, to=offset(up)), *d.compute(), Message("receive", m, source=offset(-up)),
            *d.compute(chance=0.3),
        ]
    if d.flip(0.2):
        body = [
            If("r > 0", [Message("receive", m, source=offset(-1))]), *d.compute(),
            If("r < p - 1", [Message("send", m, to=offset(1))]),
        ]
    return Program(
        [*d.compute(chance=0.2), Repeat("n", body), *d.compute(chance=0.3)], p, {"n": d.rounds(20)}
    )


def ring_at_once(d):
    p, m, step = d.p(1), d.size(), d.rng.choice([1, 1, -1, 2, 3])
    to, source, tag = ring(step), ring(-step), d.tag()
    kind = d.rng.randrange(4)
    if kind == 0:
        exchange = [Message("shift", m, to=to, source=source, tag=tag)]
    elif kind == 1:
        exchange = [
            Message("start receive", m, source=source, tag=tag), Message("start send", m, to=to, tag=tag),
            *d.compute(chance=0.4), WaitAll(),
        ]
    elif kind == 2:
        exchange = [Message("send", m, to=to, tag=tag), *d.compute(chance=0.2),
                    Message("receive", m, source=source, tag=tag)]  # long messages deadlock
    else:
        exchange = [If("r even", [Message("send", m, to=to), Message("receive", m, source=source)],
                       [Message("receive", m, source=source), Message("send", m, to=to)])]
    body = [*d.compute(), *exchange, *d.compute(chance=0.4)]
    if d.flip(0.3):
        body.append(Collective("allreduce", 8))
    return Program([Repeat("n", body)], p, {"n": d.rounds()})


def outside_of_loop(d):
    """The branch is outside of the loop: each rank has its own loop."""
    p, m = d.p(2, 16), d.eager_size()
    kind = d.rng.randrange(3)
    if kind == 0:
        body = [
            If(
                "r == 0",
                [
                    Repeat(
                        "n",
                        [
                            *d.compute(), Message("send", m, to=ring(1)),
                            Message("receive", m, source=ring(-1)),
                        ],
                    )
                ],
                [
                    Repeat(
                        "n",
                        [
                            Message("receive", m, source=ring(-1)), *d.compute(),
                            Message("send", m, to=ring(1)),
                        ],
                    )
                ],
            )
        ]
    elif kind == 1:
        body = [
            If(
                "r even",
                [
                    Repeat(
                        "n",
                        [
                            *d.compute(), Message("send", m, to=exclusive(1)),
                            Message("receive", m, source=exclusive(1)),
                        ],
                    )
                ],
                [
                    Repeat(
                        "n",
                        [
                            Message("receive", m, source=exclusive(1)), *d.compute(),
                            Message("send", m, to=exclusive(1)),
                        ],
                    )
                ],
            )
        ]
    else:
        rounds = d.rounds()
        body = [
            If("r == 0", [Repeat(2 * rounds, [*d.compute(), Message("send", m, to=fixed(1))])]),
            If(
                "r == 1",
                [
                    Repeat(
                        rounds,
                        [
                            Message("receive", m, source=fixed(0)), *d.compute(),
                            Message("receive", m, source=fixed(0)),
                        ],
                    )
                ],
            ),
        ]
    return Program([*body, *d.compute(chance=0.3)], p, {"n": d.rounds()})


def pipeline(d):
    p, m = d.p(), d.size()
    sweep = [Message("receive", m, source=offset(-1)), *d.compute(), Message("send", m, to=offset(1))]
    back = [Message("receive", m, source=offset(1)), *d.compute(), Message("send", m, to=offset(-1))]
    body = [Repeat(d.rounds(8), sweep)]
    if d.flip():
        body.append(Repeat(d.rounds(8), back))
    if d.flip(0.3):
        body += [*d.compute(), Collective("allreduce", 8)]
    return Program([Repeat("n", body)] if d.flip(0.7) else body, p, {"n": d.rounds(6)})


def wavefront(d):
    p, m = d.p(), d.size()
    sweep = [
        Message("receive", m, source=in_grid(-1, 0)), Message("receive", m, source=in_grid(0, -1)),
        *d.compute(), Message("send", m, to=in_grid(1, 0)), Message("send", m, to=in_grid(0, 1)),
    ]
    return Program([Repeat("n", sweep)], p, {"n": d.rounds()}, dimensions=2)


def tree(d):
    p, m = d.p(), d.size()
    up, down, bit = [], [], 1
    while bit < p:
        up += [
            If(f"mod(r, {2 * bit}) == {bit}", [*d.compute(chance=0.3), Message("send", m, to=offset(-bit))]),
            If(
                f"mod(r, {2 * bit}) == 0", [Message("receive", m, source=offset(bit)), *d.compute(chance=0.6)]
            ),
        ]
        down = [
            If(f"mod(r, {2 * bit}) == 0", [Message("send", m, to=offset(bit))]),
            If(
                f"mod(r, {2 * bit}) == {bit}",
                [Message("receive", m, source=offset(-bit)), *d.compute(chance=0.4)],
            ),
            *down,
        ]
        bit *= 2
    body = [*d.compute(), *up, *(down if d.flip(0.6) else [])]
    return Program([Repeat("n", body)] if d.flip(0.7) else body, p, {"n": d.rounds(6)})


def butterfly(d):
    p = d.p(2, 16)
    size = str(d.size())
    if p & (p - 1) == 0 and d.flip(0.7):
        size = d.rng.choice([size, "8*2^k", "1024 + 8*k"])
        rounds = Repeat(
            None, [Message("exchange", size, to=indexed("r xor 2^k", lambda env: env["r"] ^ 2 ** env["k"]))],
            "k", "0", "log2(p)-1", "rounds",
        )
    else:
        rounds = Repeat(
            None,
            [
                *d.compute(chance=0.5),
                Message(
                    "shift", size,
                    to=indexed("(r + 2^k) mod p", lambda env: (env["r"] + 2 ** env["k"]) % env["p"]),
                    source=indexed("(r - 2^k) mod p", lambda env: (env["r"] - 2 ** env["k"]) % env["p"]),
                ),
            ],
            "k", "0", "ceil(log2(p))-1", "rounds",
        )
    return Program([Repeat("n", [*d.compute(), rounds])] if d.flip(0.7) else [rounds], p, {"n": d.rounds(6)})


def gather_by_messages(d):
    p, m = d.p(1), d.size()
    others = indexed("k", lambda env: env["k"])
    receive = Repeat(
        None, [Message("receive", m, source=others)], "k", "1", "p - 1", d.rng.choice(["for", "rounds"])
    )
    body = [*d.compute(), If("r == 0", [receive], [Message("send", m, to=fixed(0))])]
    if d.flip(0.3):
        send = Repeat(None, [Message("send", m, to=others)], "k", "1", "p - 1")
        body += [If("r == 0", [*d.compute(), send], [Message("receive", m, source=fixed(0))])]
    return Program([Repeat("n", body)] if d.flip(0.7) else body, p, {"n": d.rounds(6)})


def scatter_by_messages(d):
    p, m = d.p(), d.size()
    verb = d.rng.choice(["send", "start send"])
    send = Repeat(None, [Message(verb, m, to=indexed("k", lambda env: env["k"]))], "k", "1", "p - 1")
    body = [If("r == 0", [*d.compute(), send, *([WaitAll()] if verb == "start send" else [])],
               [Message("receive", m, source=fixed(0)), *d.compute()])]
    return Program([Repeat("n", body)] if d.flip(0.7) else body, p, {"n": d.rounds(6)})


def host_node(d):
    p, m = d.p(2), d.size()
    work = ParallelDo(
        "i", "1", "N", d.rng.choice(["cyclic", "block"]), [Compute(d.rng.choice(["15", "15*i", "100"]))]
    )
    body = (
        [Collective("broadcast", 24, "host")]
        if d.flip(0.6)
        else [
            If(
                "host",
                [
                    Repeat(
                        None, [Message("send", m, to=indexed("k", lambda env: env["k"]))], "k", "1", "p - 1"
                    )
                ],
            ),
            If("nodes", [Message("receive", m, source=host())]),
        ]
    )
    inner = [work]
    if d.flip(0.6):
        inner.append(
            Collective(d.rng.choice(["allreduce", "barrier", "allgather", "scan"]), 8, among="nodes")
        )
    body.append(If("nodes", inner))
    kind = d.rng.randrange(3)
    if kind == 0:
        body += [
            If("node 0", [Message("send", m, to=host())]),
            If("host", [Message("receive", m, source=node(0)), *d.compute()]),
        ]
    elif kind == 1:
        body += [
            If("nodes", [Message("send", m, to=host())]),
            If(
                "host",
                [
                    Repeat(
                        None, [Message("receive", m, source=indexed("k", lambda env: env["k"]))], "k", "1",
                        "p - 1",
                    )
                ],
            ),
        ]
    else:
        body += [Collective(d.rng.choice(["reduce", "gather"]), m, "host")]
    return Program([Repeat("n", body)], p, {"n": d.rounds(6), "N": d.rng.choice([7, 40, 100])}, is_host=True)


def halo_1d(d):
    p, m = d.p(1), d.size()
    around = d.flip(0.4)
    left, right = (ring(-1), ring(1)) if around else (offset(-1), offset(1))
    kind = d.rng.randrange(4)
    if kind == 0:
        exchange = [
            Message("shift", m, to=right, source=left), Message("shift", m, to=left, source=right, tag=1),
        ]
    elif kind == 1:
        exchange = [
            Message("start receive", m, source=left), Message("start receive", m, source=right, tag=1),
            Message("start send", m, to=right), Message("start send", m, to=left, tag=1),
            *d.compute(chance=0.5), WaitAll(),
        ]
    elif kind == 2:
        exchange = [
            If(
                "r even",
                [
                    Message("send", m, to=right), Message("receive", m, source=right),
                    Message("send", m, to=left), Message("receive", m, source=left),
                ],
                [
                    Message("receive", m, source=left), Message("send", m, to=left),
                    Message("receive", m, source=right), Message("send", m, to=right),
                ],
            )
        ]
    else:
        exchange = [
            Message("send", m, to=right), Message("receive", m, source=left), Message("send", m, to=left),
            Message("receive", m, source=right),
        ]
    body = [*d.compute(), *exchange, *d.compute(chance=0.3)]
    if d.flip(0.3):
        body.append(Collective("allreduce", 8))
    return Program([Repeat("n", body)], p, {"n": d.rounds()})


def halo_2d(d):
    p, m = d.p(), d.size()
    periodic = d.rng.choice([(), (), (0, 1), (1,)])
    sides = [(-1, 0), (1, 0), (0, -1), (0, 1)]
    opposite = {each: tuple(-by for by in each) for each in sides}
    data, head, size, parameters = {}, [], str(m), {"n": d.rounds()}
    work = d.compute()
    if d.flip(0.5):
        parameters["N"] = d.rng.choice([10, 16, 33])
        head = ["data u (N, N) of 8 B distributed (BLOCK, BLOCK)"]

        def part(which):
            def of(env):
                each, more = divmod(env["N"], env[f"g{which}"])
                return each + (env[f"c{which}"] < more)

            return of

        data = {"rows_": part(0), "columns_": part(1)}
        work = [GridCompute(d.rng.choice([10, 40, 300]))]
    if d.flip():
        exchange = [
            Message("shift", size, to=in_grid(*side), source=in_grid(*opposite[side]), tag=k)
            for k, side in enumerate(sides)
        ]
    else:
        exchange = [
            *(
                Message("start receive", size, source=in_grid(*opposite[side]), tag=k)
                for k, side in enumerate(sides)
            ),
            *(Message("start send", size, to=in_grid(*side), tag=k) for k, side in enumerate(sides)),
            *d.compute(chance=0.4), WaitAll(),
        ]
    body = [*exchange, *work] if d.flip() else [*work, *exchange]
    if d.flip(0.3):
        body.append(Collective(d.rng.choice(["allreduce", "barrier", "reduce"]), 8))
    return Program([*d.compute(chance=0.2), Repeat("n", body)], p, parameters, head, 2, periodic, data=data)


def halo_3d(d):
    p, m = d.p(), d.size()
    sides = [tuple(by if k == dimension else 0 for k in range(3)) for dimension in range(3) for by in (-1, 1)]
    exchange = [
        Message("shift", m, to=in_grid(*side), source=in_grid(*(-by for by in side)), tag=k)
        for k, side in enumerate(sides)
    ]
    return Program(
        [*d.compute(chance=0.2), Repeat("n", [*d.compute(), *exchange])], p, {"n": d.rounds(6)}, dimensions=3,
        periodic=d.rng.choice([(), (0, 1, 2), (0, 2)]),
    )


class GridCompute(Compute):
    """Computing on a rank's own part of u."""

    def __init__(self, each):
        super().__init__(f"{each}*rows_*columns_", "ns")
        self.written = f"{each}*u.rows*u.columns"

    def lines(self, indent):
        return [f"{indent}compute {self.written} ns"]


PATTERNS = [
    "barrier", "broadcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall",
    "reduce_scatter", "scan",
]


def collective(d, p, among=None, members=None):
    root = d.rng.randrange(members or p)
    return Collective(d.rng.choice(PATTERNS), d.size(), f"node {root}" if among == "nodes" else root, among)


def collectives(d):
    p = d.p(1)
    body = [each for _ in range(d.rng.randint(1, 4)) for each in (*d.compute(), collective(d, p))]
    return Program(
        [*([Collective("allreduce", 8)] if d.flip(0.2) else []), Repeat("n", body), *d.compute(chance=0.3)],
        p, {"n": d.rounds()},
    )


def sub_communicators(d):
    p = d.p()
    if d.flip(0.3):
        body = [
            *d.compute(), If("nodes", [*d.compute(), collective(d, p, "nodes", p - 1)]),
            *d.compute(chance=0.3), Collective("broadcast", 8, "host"),
        ]
        return Program([Repeat("n", body)], p, {"n": d.rounds()}, is_host=True)
    extents = dims_create(p, 2)
    body = []
    for _ in range(d.rng.randint(1, 3)):
        among = d.rng.choice(["rows", "columns", "dimension 0", "dimension 1"])
        body += [
            *d.compute(),
            collective(
                d, p, among,
                extents[{"rows": 1, "columns": 0}.get(among, int(among[-1]) if among[-1].isdigit() else 0)],
            ),
        ]
    return Program([Repeat("n", body)], p, {"n": d.rounds()}, dimensions=2)


def condition(d, p, grid=False):
    return d.rng.choice(
        [
            "r even", "r odd", "r == 0", "r != 0", "r == p - 1", "0 < r < p - 1",
            f"r >= {d.rng.randrange(p)}", f"r < {d.rng.randrange(1, p + 1)}", "mod(r, 3) == 1", "p > 5",
            "n > 2", f"r > 0 and r < {d.rng.randrange(1, p + 1)}",
            *(["c0 == 0", "c1 odd", "c0 < g0 - 1"] if grid else []),
        ]
    )


def scripted(d, p, count, eager_only=False):
    """Messages between pairs of ranks in one order: a sequence that never deadlocks."""
    body = []
    for _ in range(count):
        a, b = d.rng.sample(range(p), 2)
        m, tag = d.eager_size() if eager_only else d.size(), d.tag()
        body += [
            If(f"r == {a}", [*d.compute(chance=0.5), Message("send", m, to=fixed(b), tag=tag)]),
            If(
                f"r == {b}",
                [
                    Message("receive", m, source=fixed(a), tag="any" if d.flip(0.1) else tag),
                    *d.compute(chance=0.5),
                ],
            ),
        ]
    return body


def pairs(d):
    p = d.p(2, 12)
    body = [*d.compute(chance=0.4), *scripted(d, p, d.rng.randint(1, 6))]
    return Program([Repeat("n", body)], p, {"n": d.rounds()})


def nonblocking(d):
    """Messages between random pairs of ranks, all begun first and then awaited together, with several tags
    and several messages of a pair."""
    p = d.p(2, 12)
    posts, sends = [], []
    for number in range(d.rng.randint(1, 6)):
        a, b = d.rng.sample(range(p), 2)
        m = d.size()
        posts.append(If(f"r == {b}", [Message("start receive", m, source=fixed(a), tag=number)]))
        sends.append(
            If(
                f"r == {a}",
                [
                    *d.compute(chance=0.3),
                    Message(
                        (
                            d.rng.choice(["start send", "start send", "send"])
                            if d.rng.random() < 0.3
                            else "start send"
                        ),
                        m, to=fixed(b), tag=number,
                    ),
                ],
            )
        )
    order = [*posts]
    d.rng.shuffle(order)
    body = [*d.compute(chance=0.4), *order, *sends, *d.compute(chance=0.5), WaitAll(), *d.compute(chance=0.4)]
    return Program([Repeat("n", body)], p, {"n": d.rounds()})


def conditions(d):
    p = d.p(2, 16)
    grid = d.flip(0.4)

    def block(depth):
        out = []
        for _ in range(d.rng.randint(1, 3)):
            kind = d.rng.randrange(6)
            if kind == 0 and depth:
                out.append(
                    If(
                        condition(d, p, grid), d.compute(chance=1)
                        + ([If(condition(d, p, grid), d.compute(chance=1))] if d.flip(0.4) else []),
                        d.compute(chance=1) if d.flip() else (),
                    )
                )
            elif kind == 1 and depth:
                out.append(Repeat(d.rng.choice(["2", "3", "n"]), block(depth - 1)))
            elif kind == 2:
                out.append(Message("shift", d.size(), to=ring(1), source=ring(-1)))
            elif kind == 3:
                out.append(
                    If(
                        d.rng.choice(["mod(r, 4) < 2", "r < 4", "r >= 2"]),
                        [
                            *d.compute(), Message("exchange", d.size(), to=exclusive(1)),
                            *d.compute(chance=0.3),
                        ],
                        d.compute(chance=0.5),
                    )
                )
            elif kind == 4:
                out.append(Collective(d.rng.choice(["allreduce", "barrier", "reduce", "broadcast"]), 8))
            else:
                out += [*scripted(d, p, 1)]
        return out

    body = [Repeat("n", [*block(2), *d.compute(chance=0.3)])]
    if d.flip(0.3):
        # Every block of one condition for all ranks.
        body = [
            If(
                d.rng.choice(["p > 4", "n > 2"]), body,
                [Repeat("n", [*d.compute(chance=1), Collective("barrier")])],
            )
        ]
    return Program(body, p, {"n": d.rounds(6)}, dimensions=2 if grid else 0)


def by_iteration(d):
    """Conditions and costs that depend on the index of a loop, and statements with a probability."""
    p = d.p(2, 12)
    kind = d.rng.randrange(4)
    exchange = d.rng.choice(
        [
            lambda: Message("shift", d.size(), to=ring(1), source=ring(-1)),
            lambda: Collective("allreduce", 8), lambda: Collective("broadcast", d.size(), 0),
        ]
    )
    if kind == 0:
        body = [
            Repeat(
                None,
                [
                    Compute(
                        f"{d.rng.choice([100, 1000])}*{d.rng.choice(['i', '(n - i)', 'i*(r + 1)', 'i^2'])}"
                    ),
                    exchange(),
                ],
                "i", "1", "n",
            )
        ]
    elif kind == 1:
        body = [
            Repeat(
                None,
                [
                    *d.compute(),
                    Collective(
                        d.rng.choice(["broadcast", "reduce", "allgather"]),
                        d.rng.choice(["8*i", "8*(n - i)", "100 + i"]), 0,
                    ),
                ],
                "i", "1", "n",
            )
        ]
    elif kind == 2:
        body = [Repeat("n", [*d.compute(), Probability(d.rng.choice([0.25, 0.5]), [exchange()]), exchange()])]
    else:
        body = [Repeat("n", [*d.compute(), Probability(0.25, d.compute(chance=1)), exchange()])]
    return Program(body, p, {"n": d.rounds(16)})


def from_any(d):
    """The host receives from any source."""
    p, m = d.p(2, 12), d.size()
    body = [If("r > 0", [*d.compute(chance=1), Message("send", m, to=fixed(0))]),
            If("r == 0", [Repeat("p - 1",
                                 [Message("receive", m, source=anybody(), tag=d.rng.choice([None, "any"])),
                                  *d.compute(by_rank=False, chance=0.4)])])]
    if d.flip(0.4):
        body += [
            If(
                "r == 0",
                [
                    Repeat(
                        None, [Message("send", m, to=indexed("k", lambda env: env["k"]))], "k", "1", "p - 1"
                    )
                ],
                [Message("receive", m, source=fixed(0))],
            )
        ]
    return Program([Repeat("n", body)], p, {"n": d.rounds(6)})


def head_to_head(d):
    """Blocking sends towards each other: long messages deadlock."""
    p, m = d.p(2, 8), d.size()
    kind = d.rng.randrange(3)
    if kind == 0:
        body = [Message("send", m, to=exclusive(1)), Message("receive", m, source=exclusive(1))]
    elif kind == 1:
        # always deadlocks
        body = [Message("receive", m, source=exclusive(1)), Message("send", m, to=exclusive(1))]
    else:
        body = [If("r == 0", [Message("send", m, to=fixed(1)), Collective("barrier")],
                   [Collective("barrier"), If("r == 1", [Message("receive", m, source=fixed(0))])])]
    return Program([Repeat("n", [*d.compute(), *body])], p, {"n": d.rounds()})


def mixture(d):
    p = d.p(2, 16)
    blocks = [
        lambda: [*scripted(d, p, d.rng.randint(1, 2))], lambda: [*d.compute(), collective(d, p)],
        lambda: [Message("shift", d.size(), to=ring(1), source=ring(-1)), *d.compute()],
        lambda: [Message("receive", 8, source=offset(-1)), *d.compute(), Message("send", 8, to=offset(1))],
        lambda: [
            Message("start receive", 64, source=offset(-1)), Message("start send", 64, to=offset(1)),
            *d.compute(), WaitAll(),
        ],
        lambda: [
            If(
                "r == 0",
                [*d.compute(), Message("send", 8, to=ring(1)), Message("receive", 8, source=ring(-1))],
                [Message("receive", 8, source=ring(-1)), *d.compute(), Message("send", 8, to=ring(1))],
            )
        ],
        lambda: d.compute(chance=1),
    ]
    body, defined = [], []
    for number in range(d.rng.randint(2, 4)):
        part = d.rng.choice(blocks)()
        if not part:
            continue
        kind = d.rng.randrange(5)
        if kind == 0:
            body.append(Repeat(d.rounds(6), part))
        elif kind == 1:
            body.append(Named(f"part{number}", part))
        elif kind == 2:
            defined.append(Named(f"part{number}", part, True))
            body.append(defined[-1])
        else:
            body += part
    if not communicates(body):
        body.append(Collective("barrier"))
    return Program(
        [*d.compute(chance=0.3), Repeat("n", body), *d.compute(chance=0.3)] if d.flip(0.8) else body, p,
        {"n": d.rounds(6)}, defined=defined,
    )


def long_run(d):
    """More calls than the engines follow individually."""
    kind = d.rng.choice([token_ring, ping_pong, halo_1d, pipeline, gather_by_messages, collectives])
    d.most = 8
    program = kind(d)
    program.parameters["n"] = 1000
    return program


FAMILIES = {
    "ping_pong": (ping_pong, 8), "token_ring": (token_ring, 8), "chain": (chain, 8),
    "ring_at_once": (ring_at_once, 8), "outside_of_loop": (outside_of_loop, 6), "pipeline": (pipeline, 8),
    "wavefront": (wavefront, 4), "tree": (tree, 8), "butterfly": (butterfly, 5),
    "gather_by_messages": (gather_by_messages, 6), "scatter_by_messages": (scatter_by_messages, 4),
    "host_node": (host_node, 6), "halo_1d": (halo_1d, 8), "halo_2d": (halo_2d, 8), "halo_3d": (halo_3d, 3),
    "collectives": (collectives, 10), "sub_communicators": (sub_communicators, 6), "pairs": (pairs, 10),
    "nonblocking": (nonblocking, 8), "conditions": (conditions, 10), "by_iteration": (by_iteration, 6),
    "from_any": (from_any, 4), "head_to_head": (head_to_head, 4), "mixture": (mixture, 12),
    "long_run": (long_run, 1),
}


def random_link(rng, near=False):
    scale = 0.1 if near else 1
    gap_per_byte = rng.choice([0, 90, 1000, 1234, 8000])
    out = Link(
        L=round(rng.choice([500, 2000, 10000, 37000]) * 1000 * scale),
        o_s=rng.choice([0, 400, 2000, 2000]) * 1000, o_r=rng.choice([0, 600, 3000, 3000]) * 1000,
        g=rng.choice([0, 0, 4000]) * 1000, G=gap_per_byte,
    )
    if rng.random() < 0.3:
        out.O_s, out.O_r = fractions.Fraction(gap_per_byte, 4), fractions.Fraction(gap_per_byte, 2)
    if rng.random() < 0.6:
        out.S = rng.choice([512, 1024, 16384, 65536])
        out.H = rng.choice([None, 5000 * 1000, 12345 * 1000])
        out.G2 = rng.choice(
            [None, fractions.Fraction(gap_per_byte), fractions.Fraction(gap_per_byte) * 3 / 4]
        )
        out.overlap = rng.choice([None, None, 0.2, 0.8])
    if rng.random() < 0.1:
        out.corrections = ((0, 0, 0), (1000, 1500 * 1000, 0), (20000, -300 * 1000, 20))
    return out


def random_system(rng):
    def plain(near=False):
        out = random_link(rng, near)
        out.corrections, out.overlap = (), None
        return out

    topology = rng.choice(["bus", "crossbar", "ring", "mesh", "torus", "hypercube"])
    return SystemMachine(
        plain(), plain(True) if rng.random() < 0.6 else None, topology,
        {"mesh": (4, 6), "torus": (4, 6)}.get(topology), rng.random() < 0.4,
        32 if topology == "hypercube" else 24,
    )


def random_machine(rng):
    if rng.random() < 0.1:
        return random_system(rng)
    inside = rng.random() < 0.4
    tables = []
    if rng.random() < 0.25:
        for pattern in rng.sample(PATTERNS, rng.randint(1, len(PATTERNS))):
            tables.append(
                Table(
                    pattern,
                    [
                        (0, rng.choice(sorted(Table.GROWTHS)), 5000000, 2000000, 100, 50),
                        *([(4096, "log2", 9000000, 4000000, 300, 20)] if rng.random() < 0.5 else []),
                    ],
                )
            )
    return Machine(
        random_link(rng), random_link(rng, True) if inside else None, rng.choice([2, 4, 8]) if inside else 1,
        tables,
    )


def drawn(seed, only=None):
    """Returns family, program and machine of a seed."""
    rng = random.Random(seed)
    names = list(only or FAMILIES)
    family = rng.choices(names, [FAMILIES[each][1] for each in names])[0]
    machine = random_machine(rng)
    program = FAMILIES[family][0](Draw(rng, machine))
    program.asked = rng.random() < 0.3
    return family, program, machine


# Comparison
# ----------------------------------------------------------------------------------------------------


class Answer:
    def __init__(self, done):
        self.failed, self.hang, self.seconds, self.engine, self.warnings = None, False, None, None, []
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            answer = None
        if done.returncode not in (0, 4) or answer is None:
            self.failed = (done.stderr or done.stdout).strip().splitlines()[:1] or [
                f"exit code {done.returncode}"
            ]
            return
        self.engine, self.warnings = answer["engine"], answer["warnings"]
        self.hang = "hang" in answer or done.returncode == 4
        self.seconds = None if self.hang else answer["seconds"]["value"]

    def codes(self):
        return sorted({each["code"] for each in self.warnings})


class Bed:
    def __init__(self, options):
        self.parcast = pathlib.Path(options.build).resolve() / "bin/parcast"
        if not self.parcast.exists():
            sys.exit(f"there is no {self.parcast}")
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-generated-"))
        self.only = options.only.split(",") if options.only else None
        self.engines = options.engines.split(",")

    def predict(self, program, machine, engine):
        (self.work / "drawn.program").write_text(program.text("drawn"))
        (self.work / "drawn.machine.toml").write_text(machine.text("drawn"))
        asked = [word for key, each in program.parameters.items() for word in ("-s", f"{key}={each}")]
        words = [
            self.parcast, "predict", "drawn.program", "-m", "drawn", "-p", str(program.p), *asked, "--engine",
            engine, "--json",
        ]
        return Answer(subprocess.run(words, cwd=self.work, capture_output=True, text=True))


class Case:
    """Predicts one program by the reference and by the engines."""

    def __init__(self, bed, seed):
        self.seed = seed
        self.family, self.program, self.machine = drawn(seed, bed.only)
        self.ranks = self.program.ranks(self.machine.speed)
        self.operations = sum(len(words) for words in self.ranks)
        self.plain = Reference(self.ranks, self.machine, self.machine.interpreted)
        self.expected = self.plain.run()
        self.queued = Reference(self.ranks, self.machine, SIMULATED)
        self.simulated = self.queued.run()
        engines = bed.engines if self.program.p > 1 else [each for each in bed.engines
                                                          # engines that follow ranks require two
                                                          if each == "auto"]
        self.answers = {engine: bed.predict(self.program, self.machine, engine) for engine in engines}

    def off(self, engine, expected=None):
        """Returns the relative difference to the reference; inf if only one of them deadlocks, None if the
        engine refuses."""
        answer = self.answers[engine]
        expected = (
            (self.simulated if engine == "simulate" else self.expected) if expected is None else expected
        )
        if answer.failed:
            return None
        if answer.hang or expected is None:
            return 0.0 if answer.hang and expected is None else math.inf
        return abs(answer.seconds * PS - expected) / max(expected, 1)

    def allowed(self, engine):
        expected = self.simulated if engine == "simulate" else self.expected
        return RELATIVE + self.operations / max(expected or 1, 1)

    def differs(self, engine):
        found = self.off(engine)
        return found is not None and found > self.allowed(engine)

    def named(self, engine):
        """Returns the reasons for a difference that the answer's warnings name."""
        return [
            reason
            for reason, part in NAMED.items()
            if any(part in each["text"] for each in self.answers[engine].warnings)
        ]


def us(picoseconds):
    return "hangs" if picoseconds is None else f"{picoseconds / 1e6:.6f} us"


def one(bed, seed):
    case = Case(bed, seed)
    print(f"# seed {seed}, {case.family}, -p {case.program.p}\n{case.program.text('drawn')}")
    print(case.machine.text("drawn"))
    print(f"reference {us(case.expected)}; by the simulator's rules {us(case.simulated)}")
    for r, end in enumerate(case.plain.end):
        print(
            f"  rank {r}: {us(end)}; {us(case.queued.end[r])}"
            + ("" if end is not None else f"  waits in {case.plain.at[r]}")
        )
    for engine, answer in case.answers.items():
        if answer.failed:
            print(f"{engine}: refused: {answer.failed[0]}")
            continue
        print(
            f"{engine} ({answer.engine}): {us(None if answer.hang else answer.seconds * PS)}, off by"
            f" {case.off(engine):.3g}" + (" DIFFERS" if case.differs(engine) else "")
        )
        for each in answer.warnings:
            print(f"    {each['code']}: {each['text']}")
    print(f"files in {bed.work}")
    return any(case.differs(engine) for engine in case.answers)


def empty(bed):
    return {
        "programs": 0, "equation": 0, "hangs": 0, "off": dict.fromkeys(bed.engines, 0.0),
        "differ": dict.fromkeys(bed.engines, 0),
    }


def many(bed, options):
    rows, failures, named, refused = {}, [], [], []
    rules = dict.fromkeys(["any", *SIMULATED], 0)
    for seed in range(options.first, options.first + options.programs):
        case = Case(bed, seed)
        row = rows.setdefault(case.family, empty(bed))
        row["programs"] += 1
        row["hangs"] += case.expected is None
        if case.expected != case.simulated:
            rules["any"] += 1
            for rule in SIMULATED:
                rules[rule] += (
                    Reference(case.ranks, case.machine, [rule, *case.machine.interpreted]).run()
                    != case.expected
                )
        for engine, answer in case.answers.items():
            if answer.failed:
                refused.append((seed, case.family, engine, answer.failed[0][-120:]))
                continue
            row["equation"] += engine == "auto" and answer.engine == "equation"
            if case.differs(engine):
                row["differ"][engine] += 1
                (named if case.named(engine)
                 else failures).append((seed, case.family, engine, case.off(engine), case.named(engine)))
            elif case.off(engine) != math.inf:
                row["off"][engine] = max(row["off"][engine], case.off(engine))
        if options.progress and (seed - options.first + 1) % options.progress == 0:
            print(
                (
                    f"... {seed - options.first + 1} programs, {len(failures)} answers differ,"
                    f" {len(refused)} refused"
                ),
                file=sys.stderr, flush=True,
            )
    shutil.rmtree(bed.work)
    report(bed, rows, failures, named, refused, options)
    print(
        f"\nthe simulator's rules give {rules['any']} programs another time than the interpreter's; alone"
        " beside the interpreter's do so"
    )
    for rule, text in SIMULATED.items():
        print(f"  {rules[rule]:>5}  {text}")
    return bool(failures or refused)


def report(bed, rows, failures, named, refused, options):
    head = ["family", "programs", "equation", "hang", *(f"{engine}: off" for engine in bed.engines),
            *(f"{engine}: differ" for engine in bed.engines)]
    print("  ".join(f"{each:>19}" for each in head))
    total = empty(bed)

    def line(name, row):
        print("  ".join(f"{each:>19}"
                        for each in [name, row["programs"], row["equation"], row["hangs"],
                                     *(f"{row['off'][engine]:.1e}" for engine in bed.engines),
                                     *(row["differ"][engine] for engine in bed.engines)]))

    for name in FAMILIES:
        if name not in rows:
            continue
        line(name, rows[name])
        for key in ("programs", "equation", "hangs"):
            total[key] += rows[name][key]
        for engine in bed.engines:
            total["off"][engine] = max(total["off"][engine], rows[name]["off"][engine])
            total["differ"][engine] += rows[name]["differ"][engine]
    line("all", total)
    share = 100 * total["equation"] / max(1, total["programs"])
    print(
        f"\n{total['programs']} programs, of which the equation answered {total['equation']} ({share:.0f} %);"
        f" {len(failures)} answers differ, {len(named)} differ under a named assumption,"
        f" {len(refused)} refused"
    )
    only = f" --only {options.only}" if options.only else ""
    for title, found in (("differs", failures), ("differs under a named assumption", named)):
        seeds = {}
        for seed, family, engine, off, why in found:
            seeds.setdefault((seed, family, "; ".join(why)), []).append(f"{engine} by {off:.2g}")
        for (seed, family, why), each in list(seeds.items())[:options.show]:
            answer = ", ".join([family, *each, *([why] if why else [])])
            print(f"  {title}: {answer}: bench/predict/generated_programs.py{only} --one {seed}")
    for seed, family, engine, why in refused[:options.show]:
        print(f"  refused: {engine}, {family}: {why}: bench/predict/generated_programs.py{only} --one {seed}")


def self_check():
    """Compares the reference with values known by hand (us)."""
    hand = Machine(Link(L=10 * 10**6, o_s=2 * 10**6, o_r=3 * 10**6, g=4 * 10**6, G=1000))
    ping = [
        Repeat(
            "n",
            [
                If(
                    "r == 0",
                    [
                        Compute("7", "us"), Message("send", "1000", to=fixed(1)),
                        Message("receive", "1000", source=fixed(1)),
                    ],
                ),
                If(
                    "r == 1",
                    [
                        Message("receive", "1000", source=fixed(0)), Compute("5", "us"),
                        Message("send", "1000", to=fixed(0)),
                    ],
                ),
            ],
        )
    ]
    token = [
        Repeat(
            "n",
            [
                If(
                    "r == 0",
                    [
                        Compute("1", "ms"), Message("send", "8", to=ring(1)),
                        Message("receive", "8", source=ring(-1)),
                    ],
                    [
                        Message("receive", "8", source=ring(-1)), Compute("1", "ms"),
                        Message("send", "8", to=ring(1)),
                    ],
                )
            ],
        )
    ]
    known = [("ping-pong", Program(ping, 2, {"n": 100}), 100 * (7 + 5 + 2 * (2 + 10 + 1 + 3)))] + [
        (f"token ring, p = {p}", Program(token, p, {"n": 10}), 10 * p * (1000 + 15.008)) for p in (2, 4, 8)
    ]
    wrong = 0
    for name, program, expected in known:
        found = Reference(program.ranks(hand.speed), hand).run() / 1e6
        wrong += abs(found - expected) > 1e-6 * expected
        print(f"{name}: {found} us, by hand {expected} us")
    return bool(wrong)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=str(ROOT / "build/ci"))
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--programs", type=int, default=3000)
    parser.add_argument("--only", help="families, separated by commas")
    parser.add_argument("--engines", default="auto,interpret,simulate")
    parser.add_argument("--one", type=int)
    parser.add_argument("--show", type=int, default=20, help="how many differences are listed")
    parser.add_argument(
        "--progress", type=int, default=0, help="a line to standard error after so many programs"
    )
    parser.add_argument("--self-check", action="store_true")
    options = parser.parse_args()
    if options.self_check:
        sys.exit(self_check())
    bed = Bed(options)
    sys.exit(one(bed, options.one) if options.one is not None else many(bed, options))


if __name__ == "__main__":
    main()
