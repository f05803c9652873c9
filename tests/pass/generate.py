#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates small C and C++ programs for tests of the compiler pass, the same ones from the same seed: nests
of loops of many forms, calls, and exits from the middle of functions. They have no undefined behaviour and
end within a second: every number is drawn with its interval.

Run with three numbers: a size n, processes p and a rank r below p; a parallel one with n alone, by MPI on p
processes. A loop's line ends in a comment that names its form; it contains `provable` where its rounds are
affine in arguments and the loops around it, and nothing leaves it early or changes what it rests on. A
parallel program has functions named `known...` as well: all of their loops are provable, their conditions
compare what is affine, and they are called once, with what is affine in n, p and r. `generate.py SEED FOLDER`
writes one program."""
import dataclasses
import pathlib
import random
import sys

LARGEST = 1_000_000  # for an int in an expression: no overflow
WEIGHT = 3_000       # largest number of executions of a statement per call of its function
COST = 60_000        # largest number of statements executed per call of a function
SIZE = 15            # largest size of a parallel program, on at most 6 processes
UNSIGNED = {"unsigned", "size_t", "unsigned char", "unsigned short", "unsigned long long"}

PRELUDE = """\
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <signal.h>
#include <pthread.h>
struct grid { int nx; short ny; unsigned char w; int* bound; struct grid* next; };
extern int G[4], A[64], *PG;
extern unsigned char U[64];
extern double D[64];
extern volatile int V;
extern struct grid gs[3], *gp;
extern jmp_buf place;
typedef unsigned (*function)(int, int);
struct pair { int a, b; };
typedef void (*changer)(int*);
extern changer volatile changers[2];
extern void halved(int*);
"""

GLOBALS = """\
int G[4] = {3, 7, 11, 5}, A[64], *PG = &G[1];
unsigned char U[64];
double D[64];
volatile int V = 6;
struct grid gs[3] = {{4, 5, 6, &G[0], &gs[1]}, {9, 2, 3, &gs[0].nx, &gs[2]}, {1, 12, 8, &A[5], 0}},
  *gp = &gs[1];
jmp_buf place;
__attribute__((noinline)) void halved(int* what) { *what /= 2; }
__attribute__((noinline)) static void lowered(int* what) { if (*what > 9) *what = 9; }
changer volatile changers[2] = {halved, lowered};
"""


@dataclasses.dataclass(frozen=True)
class Number:
    """An expression of type int, or of a type that holds the same interval; affine if it is affine in
    constants and loop variables."""
    text: str
    low: int
    high: int
    affine: bool = False


def constant(value):
    return Number(str(value) if value >= 0 else f"({value})", value, value, True)


def truncated(a, b):
    return abs(a) // b * (1 if a >= 0 else -1)


@dataclasses.dataclass
class Loop:
    line: int  # line of its head, among the lines of the function
    form: str
    provable: bool
    way_out: str = ""


@dataclasses.dataclass
class Function:
    name: str
    file: int
    parameters: list  # (type, name, low, high)
    head: str
    # jumper: called only where a long jump may be taken; pure: writes nothing; known: affine throughout
    kind: str = "plain"
    cost: int = 0
    lines: list = dataclasses.field(default_factory=list)
    before: list = dataclasses.field(default_factory=list)  # lines that must precede it

    def of_two_ints(self):
        return [chosen for chosen, *_ in self.parameters] == ["int", "int"]

    def is_static(self):
        return "static " in self.head


class Program:
    def __init__(self, seed, parallel=False):
        self.random = random.Random(seed)
        self.seed, self.parallel = seed, parallel
        self.cpp = self.random.random() < 0.4
        self.vectors = self.cpp and self.random.random() < 0.25
        self.files = 2 if self.random.random() < 0.4 else 1
        self.functions, self.plain = [], []
        self.names = 0

    # Words
    def chance(self, share):
        return self.random.random() < share

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def suffix(self):
        return ".cpp" if self.cpp else ".c"

    # Lines of the function that is being written
    def say(self, text):
        self.lines.append("  " * self.indent + text)

    def open(self, text):
        self.say(text + " {")
        self.indent += 1

    def brace(self):
        self.say("{")
        self.indent += 1

    def shut(self, text="}"):
        self.indent -= 1
        self.say(text)

    # Expressions
    def leaf(self):
        if self.kind == "known":
            return self.random.choice(
                [x for x in self.numbers if x.affine] + [constant(self.random.randint(-4, 12))]
            )
        kind = self.random.random()
        if kind < 0.25 or not self.numbers:
            return constant(self.random.randint(-4, 12))
        if kind < 0.8 or self.kind == "pure":
            return self.random.choice(self.numbers[-4:] if self.chance(0.6) else self.numbers)
        text = self.random.choice(
            [
                f"A[{self.index()}]", f"A[{self.index()}]", "G[0]", "G[1]", "G[2]", "*PG", "V", "gp->nx",
                "gs[0].nx", "gs[2].ny", "*gp->bound",
            ]
        )
        return Number(text, 0, 15)

    def index(self):
        return (
            f"({self.random.choice(self.numbers).text}) & 63"
            if self.numbers and self.chance(0.8)
            else str(self.random.randint(0, 63))
        )

    def number(self, depth=2):
        if depth == 0 or self.chance(0.25):
            return self.leaf()
        a, b, kind = (
            self.number(depth - 1), self.number(depth - 1),
            self.random.randrange(6 if self.kind == "known" else 12),
        )
        if kind <= 3:
            made = Number(f"({a.text} + {b.text})", a.low + b.low, a.high + b.high, a.affine and b.affine)
        elif kind <= 5:
            made = Number(f"({a.text} - {b.text})", a.low - b.high, a.high - b.low, a.affine and b.affine)
        elif kind == 6:
            corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            made = Number(
                f"({a.text} * {b.text})", min(corners), max(corners),
                a.affine and b.affine and (a.low == a.high or b.low == b.high),
            )
        elif kind == 7 and b.low >= 1:
            corners = [truncated(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
            made = Number(f"({a.text} / {b.text})", min(corners), max(corners))
        elif kind == 8 and b.low >= 1:
            made = Number(
                f"({a.text} % {b.text})", 1 - b.high if a.low < 0 else 0, b.high - 1 if a.high > 0 else 0
            )
        elif kind == 9:
            made = Number(
                f"({a.text} < {b.text} ? {a.text} : {b.text})", min(a.low, b.low), min(a.high, b.high)
            )
        elif kind == 10 and a.low >= 0:
            made = Number(f"({a.text} >> {self.random.randint(1, 2)})", 0, a.high)
        else:
            made = Number(
                f"({a.text} > {b.text} ? {a.text} : {b.text})", max(a.low, b.low), max(a.high, b.high)
            )
        return made if -LARGEST < made.low and made.high < LARGEST and len(made.text) < 160 else a

    def within(self, low, high, depth=2):
        for _ in range(6):
            made = self.number(depth)
            if low <= made.low and made.high <= high:
                return made
        if self.kind == "known":
            return self.random.choice(
                [x for x in self.numbers if x.affine and low <= x.low and x.high <= high] or [constant(low)]
            )
        mask = (1 << ((high - low + 1).bit_length() - 1)) - 1
        return Number(
            f"({low} + ({made.text} & {mask}))" if low else f"({made.text} & {mask})", low, low + mask
        )

    def bound(self, low, high):
        """Returns a bound of a loop as in typical programs: one argument or variable, plus or minus a
        constant."""
        near = [x for x in self.numbers if x.affine and low <= x.low and x.high <= high]
        if not near or self.chance(0.4):
            return self.within(low, high)
        made = self.random.choice(near)
        if self.chance(0.4):
            by = self.random.randint(low - made.low, high - made.high)
            return Number(
                f"({made.text} {'+' if by >= 0 else '-'} {abs(by)})", made.low + by, made.high + by, True
            )
        return made

    def condition(self):
        a, kind = self.number(), 5 if self.kind == "known" else self.random.randrange(6)
        if kind == 0:
            return f"({a.text}) % {self.random.randint(2, 5)} == {self.random.randint(0, 1)}"
        if kind == 1 and self.kind != "pure":
            return f"A[{self.index()}] > {self.random.randint(2, 12)}"
        if kind == 2 and self.kind != "pure":
            return f"D[{self.index()}] > 0.{self.random.randint(1, 9)}"
        return f"{a.text} {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} {self.number(1).text}"

    def rarely(self):
        return f"({self.number().text} & 15) == {self.random.randint(0, 15)}"

    # Statements
    def block(self, depth, count=None):
        known = len(self.numbers)
        for _ in range(count or self.random.randint(1, 3)):
            self.statement(depth)
        del self.numbers[known:]

    def statement(self, depth):
        self.spent += self.weight
        choices = [(self.mix, 4)]
        if self.kind == "known":
            choices += [
                (self.store, 3), *([(self.loop, 7), (self.branch, 2), (self.local, 1)] if depth > 0 else []),
            ]
        else:
            if self.kind != "pure":
                choices += [(self.store, 3), (self.call, 2)]
            if depth > 0:
                choices += [(self.loop, 7), (self.branch, 3), (self.switch, 1), (self.local, 1)]
                if self.kind != "pure":
                    choices += [(self.changed, 1)]
                if self.cpp and self.kind != "pure":
                    choices += [(self.attempt, 1)]
            if self.loops:
                choices += [(self.leave, 1)]
        self.random.choices([c for c, _ in choices], [w for _, w in choices])[0]()

    def mix(self):
        self.say(
            self.random.choice(
                [
                    "acc = acc * 31u + (unsigned)({});", "acc ^= (unsigned)({});",
                    "acc += (unsigned)({}) & 255u;",
                ]
            ).format(self.number().text)
        )

    def store(self):
        value = self.within(0, 15).text
        targets = [
            f"A[{self.index()}]", "G[0]", "G[1]", "G[2]", "G[3]", "*PG", "V", "gp->nx", "gs[0].nx",
            "gs[2].ny", "*gp->bound",
        ]
        if self.chance(0.15):
            return self.say(f"PG = &G[({self.number().text}) & 3];")
        if self.chance(0.1):
            return self.say(f"gp = &gs[({self.number().text}) & 1];")
        if self.chance(0.2):
            return self.say(f"D[{self.index()}] = {value} / 16.0;")
        self.say(f"{self.random.choice(targets)} = {value};")

    def local(self):
        made, name = self.number(), self.name("v")
        self.say(f"const int {name} = {made.text};")
        self.numbers.append(Number(name, made.low, made.high, made.affine))

    def changed(self):
        """A variable that is sometimes changed through its address, its index or its enclosing object."""
        made, name, kind = self.number(), self.name("c"), self.random.randrange(5)
        text, when = name, f"if ({self.rarely()}) "
        if kind <= 1:
            self.say(f"int {name} = {made.text};")
            self.say(
                f"{when}halved(&{name});"
                if kind == 0
                else f"{when if self.chance(0.5) else ''}changers[({self.number(1).text}) & 1](&{name});"
            )
        elif kind == 2:
            self.say(f"int {name}[2] = {{(int)({made.text}), 3}};")
            self.say(f"{when}{name}[({self.number(1).text}) & 1] = {self.random.randint(0, 9)};")
            text = f"{name}[0]"
        else:
            self.say(f"struct pair {name} = {{{self.random.randint(0, 9)}, (int)({made.text})}};")
            self.say(
                f"{when}memset(&{name}, 0, sizeof {name});"
                if kind == 3
                else f"{when}memcpy(&{name}, &gs[0].next->nx, sizeof {name}), {name}.b = {name}.a;"
            )
            text = f"{name}.b"
        self.numbers.append(Number(text, min(made.low, 0), max(made.high, 15)))

    def deeper(self):
        return max(0, 3 - self.nested)

    def branch(self):
        self.open(f"if ({self.condition()})")
        self.inside()
        if self.chance(0.4):
            self.shut("} else {")
            self.indent += 1
            self.inside()
        self.shut()

    def inside(self):
        self.nested += 1
        self.block(self.deeper())
        self.nested -= 1

    def switch(self):
        self.open(f"switch ({self.within(0, 7).text})")
        inner, self.in_switch = self.in_switch, True
        for value in sorted(self.random.sample(range(8), self.random.randint(2, 5))):
            self.open(f"case {value}:")
            self.inside()
            self.shut("} break;" if self.chance(0.7) else "}")
        if self.chance(0.6):
            self.say("default: acc += 3u;")
        self.in_switch = inner
        self.shut()

    def attempt(self):
        self.open("try")
        inner, self.in_try = self.in_try, True
        if self.chance(0.3):
            self.say(f"Scoped {self.name('held')}({self.within(0, 7).text});")
        self.inside()
        self.call()
        if self.chance(0.4):
            self.throw()
        self.in_try = inner
        self.shut("} catch (" + self.random.choice(["int e", "const Thrown&", "..."]) + ") {")
        self.indent += 1
        self.inside()
        if self.chance(0.15):
            self.say("throw;")
        self.shut()
        self.disturb(all)

    def throw(self):
        self.say(f"if ({self.rarely()}) throw {self.random.choice(['3', 'Thrown(4)', 'Thrown(acc)'])};")
        self.disturb(all)

    def disturb(self, which):
        for loop in self.loops if which is all else self.loops[-1:]:
            loop.provable = False

    def leave(self):
        kind = self.random.random()
        if kind < 0.3 and not self.in_switch:
            self.say(f"if ({self.rarely()}) break;")
            self.disturb(1)
        elif kind < 0.6:
            self.say(f"if ({self.condition()}) continue;")
        elif kind < 0.75:
            outer = self.random.choice(self.loops)
            outer.way_out = outer.way_out or self.name("out")
            self.say(f"if ({self.rarely()} && {self.condition()}) goto {outer.way_out};")
            self.disturb(all)
        elif kind < 0.85:
            self.say(f"if ({self.rarely()} && {self.condition()}) return acc;")
            self.disturb(all)
        elif kind < 0.87 and self.kind != "pure":
            self.say(f"if ({self.rarely()} && {self.rarely()}) exit(3);")
            self.disturb(all)
        elif kind < 0.95 and self.cpp and self.kind != "pure":
            self.throw()
        elif self.kind == "jumper":
            self.say(f"if ({self.rarely()}) longjmp(place, 1 + ({self.number().text} & 7));")
            self.disturb(all)

    def call(self):
        callable_here = [
            f for f in self.plain + (self.jumpers if self.kind == "jumper" else []) if self.may_call(f)
        ]
        if not callable_here:
            return self.mix()
        self.call_of(self.random.choice(callable_here[-3:] if self.chance(0.5) else callable_here))

    def may_call(self, callee):
        return self.spent + self.weight * callee.cost < COST and not (callee.is_static() and self.file)

    def call_of(self, callee):
        words = ", ".join(self.within(low, high).text for _, _, low, high in callee.parameters)
        self.spent += self.weight * callee.cost
        if self.in_try:
            self.disturb(all)
        if callee.of_two_ints() and self.chance(0.2):
            other = self.random.choice(
                [f for f in self.plain if f.of_two_ints() and f.cost <= callee.cost and self.may_call(f)]
                or [callee]
            )
            table, pick = self.name("table"), self.number().text
            self.say(f"static const function {table}[2] = {{{callee.name}, {other.name}}};")
            return self.say(f"acc += {table}[({pick}) & 1](acc & 7, ({pick}) & 7);")
        self.say(f"acc = acc * 17u + {callee.name}({words});")

    # Loops: each form writes the head and returns (value inside, rounds at most, closing words)
    def loop(self):
        affine, others = [self.upward] * 6 + [self.downward] * 2, [
            self.countdown, self.wrapping, self.multiplied, self.divided, self.repeated, self.until,
            self.pointed, self.paired, self.halves, self.listed,
        ]
        form = self.random.choice(affine + ([self.repeated, self.until] if self.kind == "known" else others))
        known, before, weight, spent = len(self.numbers), len(self.lines), self.weight, self.spent
        self.brace()
        made = form()
        rounds = made["rounds"]
        if (
            weight * rounds > WEIGHT
            or self.spent + weight * rounds > COST
            or (self.kind == "known" and not made["provable"])
        ):
            del self.lines[before:], self.numbers[known:]
            self.indent -= 1
            return self.mix()
        loop = Loop(len(self.lines), made["form"], made["provable"])
        self.loops.append(loop)
        self.open(made["head"])
        self.weight = weight * max(1, rounds)
        for text in made.get("first", []):
            self.say(text)
        if value := made.get("value"):
            self.numbers.append(value)
        inner_switch, self.in_switch, inner_try, self.in_try = self.in_switch, False, self.in_try, False
        self.inside()
        self.in_switch, self.in_try = inner_switch, inner_try
        if inner_try:
            self.disturb(all)
        self.shut("}" + made.get("last", ""))
        self.loops.pop()
        self.lines[loop.line] += f"  // loop {loop.form}{' provable' if loop.provable else ''}"
        self.weight = weight
        del self.numbers[known:]
        self.shut()
        if loop.way_out:
            self.say(f"{loop.way_out}:;")

    def kept(self, made):
        """Returns the value, sometimes through a separate variable before the loop."""
        if made.affine and self.chance(0.7):
            return made
        name = self.name("k")
        self.say(f"const int {name} = {made.text};")
        return Number(name, made.low, made.high, made.affine)

    def upward(self):
        kind = self.random.choice(
            ["int"] * 5
            + ["long", "unsigned", "size_t", "short", "unsigned char", "signed char", "unsigned long long"]
        )
        low, high = self.bound(0 if kind in UNSIGNED else -4, 20), self.bound(0, 31)
        name, compare, step = (
            self.name("i"), self.random.choice(["<", "<", "<", "<="]), self.random.choice([1, 1, 1, 2, 3]),
        )
        by = str(step)
        if self.chance(0.1):
            low, compare, by, step = self.kept(low), "!=", "1", 1
            high = self.kept(Number(f"({low.text} + {self.within(0, 15).text})", low.low, low.high + 15))
        elif self.chance(0.7):
            high = self.kept(high)
        if compare != "!=" and self.chance(0.1):
            by, step = self.kept(self.within(1, 4)).text, 1
        cast, wide = f"({kind})" if kind in UNSIGNED else "", kind in ("int", "long", "unsigned", "size_t")
        affine = low.affine and high.affine and by == str(step)
        inside = Number(
            name if kind in ("int", "short") else f"(int){name}", low.low, max(low.low, high.high),
            affine and kind in ("int", "long"),
        )
        return dict(
            head=(
                f"for ({kind} {name} = {cast}({low.text}); {name} {compare} {cast}({high.text}); {name} +="
                f" {by})"
            ),
            value=inside, rounds=max(0, (high.high - low.low) // step + 1),
            form="upward" if wide else "upward_narrow",
            provable=affine and wide and compare == "<" and (step == 1 or kind in ("int", "long")),
        )

    def downward(self):
        kind, low, high = (
            self.random.choice(["int", "int", "long", "short"]), self.bound(-4, 12), self.bound(0, 31),
        )
        step, name = self.random.choice([1, 1, 2]), self.name("i")
        if not low.affine:
            low = self.kept(low)
        compare = self.random.choice([">", ">="])
        return dict(
            head=f"for ({kind} {name} = {high.text}; {name} {compare} {low.text}; {name} -= {step})",
            rounds=max(0, (high.high - low.low) // step + 1),
            value=Number(f"(int){name}", min(low.low, high.high), high.high), form="downward",
            provable=low.affine and high.affine and kind != "short" and compare == ">",
        )

    def countdown(self):
        kind, high, low, name = (
            self.random.choice(["unsigned", "size_t", "unsigned char"]), self.within(0, 31),
            self.random.randint(0, 3), self.name("i"),
        )
        return dict(
            head=f"for ({kind} {name} = ({kind})({high.text}); {name}-- > {low};)", rounds=high.high + 1,
            value=Number(f"((int){name} & 31)", 0, 31), form="countdown", provable=False,
        )

    def wrapping(self):
        start, stop, step, name = (
            self.within(0, 31), self.random.randint(0, 255), self.random.choice([1, 3, 5, 7, 11, 255]),
            self.name("w"),
        )
        return dict(
            head=(
                f"for (unsigned char {name} = (unsigned char)({start.text}); {name} != {stop}; {name} +="
                f" {step})"
            ),
            rounds=255, value=Number(f"(int){name}", 0, 255), form="wrapping", provable=False,
        )

    def multiplied(self):
        first, high, name = self.within(1, 4), self.within(0, 63), self.name("m")
        how = self.random.choice([f"{name} *= 2", f"{name} <<= 1", f"{name} = {name} * 3 + 1"])
        return dict(
            head=f"for (unsigned {name} = {first.text}; {name} < (unsigned)({high.text}); {how})", rounds=7,
            value=Number(f"(int){name}", 1, 63), form="multiplied", provable=False,
        )

    def divided(self):
        high, name = self.within(0, 255), self.name("m")
        return dict(
            head=(
                f"for (int {name} = {high.text}; {name} > 0;"
                f" {self.random.choice([f'{name} /= 2', f'{name} >>= 1', f'{name} = {name} / 3'])})"
            ),
            rounds=8, value=Number(name, 0, 255), form="divided", provable=False,
        )

    def repeated(self):
        low, high, step, name = (
            self.bound(-4, 12), self.bound(0, 31), self.random.randint(1, 3), self.name("i"),
        )
        self.say(f"int {name} = {low.text};")
        return dict(
            head=f"while ({name} < {high.text})", first=[f"{name} += {step};"],
            rounds=max(0, (high.high - low.low) // step + 1),
            value=Number(name, low.low, max(low.low, high.high + step)), form="while",
            provable=low.affine and high.affine,
        )

    def until(self):
        low, high, name = self.bound(-4, 12), self.bound(0, 31), self.name("i")
        self.say(f"int {name} = {low.text};")
        return dict(
            head="do", last=f" while (++{name} < {high.text});", rounds=max(1, high.high - low.low + 1),
            value=Number(name, low.low, max(low.low, high.high)), form="do",
            provable=low.affine and high.affine,
        )

    def pointed(self):
        if self.kind == "pure":
            return self.repeated()
        low, high, step, name = (
            self.within(0, 12), self.within(0, 31), self.random.choice([1, 1, 2]), self.name("q"),
        )
        return dict(
            head=f"for (int* {name} = A + {low.text}; {name} < A + {high.text}; {name} += {step})", rounds=32,
            value=Number(f"*{name}", 0, 15), form="pointer", provable=False,
        )

    def paired(self):
        low, high, end, name, other = (
            self.within(-4, 12), self.within(0, 31), self.within(0, 31), self.name("i"), self.name("j"),
        )
        return dict(
            head=(
                f"for (int {name} = {low.text}, {other} = {end.text}; {name} < {high.text} && {other} >"
                f" {self.random.randint(-2, 6)}; ++{name}, {other} -= {self.random.randint(1, 2)})"
            ),
            rounds=high.high - low.low + 1, value=Number(name, low.low, max(low.low, high.high)),
            form="paired", provable=False,
        )

    def halves(self):
        high, name = self.within(0, 12), self.name("x")
        return dict(
            head=f"for (double {name} = 0; {name} < (double)({high.text}); {name} += 0.5)",
            rounds=2 * high.high + 1, value=Number(f"(int){name}", 0, high.high), form="double",
            provable=False,
        )

    def listed(self):
        if self.kind == "pure":
            return self.divided()
        name = self.name("g")
        return dict(
            head=(
                f"for (struct grid* {name} = &gs[{self.random.randint(0, 2)}]; {name}; {name} = {name}->next)"
            ),
            rounds=3, value=Number(f"{name}->nx", 0, 15), form="list", provable=False,
        )

    # Functions
    def start(self, kind="plain", parameters=None, prefix=None, file=None):
        self.lines, self.indent, self.weight, self.spent, self.nested = [], 1, 1, 1, 0
        self.numbers, self.loops, self.in_switch, self.in_try, self.kind = [], [], False, False, kind
        name = self.name(kind if kind != "plain" else "f")
        self.file = self.random.randrange(self.files) if file is None else file
        if parameters is None:
            parameters = []
            for word in "ab" + ("c" if self.chance(0.3) else ""):
                chosen = (
                    self.random.choice(["int"] * 6 + ["long", "unsigned", "short", "unsigned char", "size_t"])
                    if self.chance(0.5)
                    else "int"
                )
                parameters.append((chosen, word, 0, self.random.choice([15, 15, 31])))
        for chosen, word, low, high in parameters:
            self.numbers.append(
                Number(
                    word if chosen in ("int", "long", "short") else f"(int){word}", low, high,
                    chosen in ("int", "long"),
                )
            )
        if kind == "pure":
            prefix = self.random.choice(["__attribute__((pure)) ", "__attribute__((const)) "])
        elif prefix is None:
            prefix = self.random.choice(
                ["", "", "__attribute__((noinline)) ", "__attribute__((noinline)) "]
                + ["static "] * (self.file == 0)
            )
        words = ", ".join(f"{chosen} {word}" for chosen, word, *_ in parameters)
        self.say("unsigned acc = 1;")
        return Function(name, self.file, parameters, f"{prefix}unsigned {name}({words})", kind)

    def finish(self, made):
        self.say("return acc;")
        made.lines, made.cost = self.lines, self.spent
        self.functions.append(made)
        if made.kind in ("plain", "pure"):
            self.plain.append(made)
        if made.kind == "jumper":
            self.jumpers.append(made)
        return made

    def ordinary(self, kind="plain"):
        made = self.start(kind, file=self.files - 1 if kind == "pure" else 0 if kind == "jumper" else None)
        self.block(3, self.random.randint(2, 4))
        return self.finish(made)

    def special(self, write, kind="plain", **more):
        made = self.start(kind, [("int", "a", 0, 15), ("int", "b", 0, 15)], file=0, **more)
        write(made)
        return self.finish(made)

    def known(self):
        made = self.start("known", [("int", word, 0, 31) for word in "abc"], "__attribute__((noinline)) ")
        self.block(3, self.random.randint(3, 5))
        return self.finish(made)

    def recursive(self, made):
        other = self.name("again")
        mutual = self.chance(0.5)
        self.say("if (a <= 0) return acc;")
        self.weight = 40
        self.block(1, 2)
        step = self.random.randint(1, 2)
        if mutual:
            made.before = [f"unsigned {other}(int a, int b);"]
            self.say(f"acc += {other}(a - {step}, b);")
        elif self.chance(0.5):
            self.say(f"if (b & 1) acc += {made.name}(a / 2, b >> 1);")
            self.say(f"else acc += {made.name}(a - {step}, b);")
        else:
            self.say(f"acc += {made.name}(a - {step}, b + 1 & 15);")
        if mutual:
            self.functions.append(
                Function(
                    other, 0, [], f"unsigned {other}(int a, int b)", "written", 0,
                    [
                        "  unsigned acc = 2;", "  for (int i = 0; i < a; ++i) acc = acc * 5u + (unsigned)b;",
                        f"  return acc + (a > 0 ? {made.name}(a - 1, b) : 0u);",
                    ],
                )
            )

    def irreducible(self, made):
        """Two labels that jump to each other, with an entry at either, possibly inside of a loop and with
        loops between."""
        first, second, count = self.name("one"), self.name("two"), self.name("t")
        self.say(f"int {count};")
        outer = self.chance(0.6)
        if outer:
            self.open(f"for (int o = 0; o < {self.within(0, 7).text}; ++o)")
            self.weight = 8
            self.numbers.append(Number("o", 0, 7))
        self.say(f"{count} = 0;")
        self.say(f"if ({self.condition()}) goto {second};")
        self.say(f"{first}:;")
        self.weight *= 5
        self.brace()
        self.block(2)
        if self.chance(0.6):
            self.loop()
        self.shut()
        if self.chance(0.5):
            self.say(f"if ({count} >= 4) goto {first}end;")
            self.say(f"{second}: ++{count};")
            self.say(f"acc += (unsigned){count};")
            self.say(f"goto {first};")
        else:
            self.say(f"{second}:;")
            self.brace()
            self.block(1)
            self.shut()
            self.say(f"if (++{count} < 4) goto {first};")
        self.say(f"{first}end:;")
        if outer:
            self.shut()

    def device(self, made):
        """A loop whose middle is entered by a switch."""
        self.say("int left = (b + 4) / 4;")
        self.open("switch (b & 3)")
        self.open("case 0: do")
        self.weight = 5
        for value in (3, 2, 1):
            self.brace()
            self.block(1, 1)
            self.shut()
            self.say(f"case {value}: acc = acc * 7u + (unsigned)left;")
        self.shut("} while (--left > 0);")
        self.shut()

    def computed(self, made):
        self.say("static const void* const ways[3] = {&&first, &&second, &&last};")
        self.say("int left = a;")
        self.say("goto *ways[b % 3];")
        self.say("first: acc += 5u;")
        self.weight = 16
        self.open("if (left & 1)")
        self.block(2)
        self.shut()
        self.say("second: acc = acc * 3u + (unsigned)left;")
        self.say("if (left-- > 0) goto *ways[(acc >> 3) % 3];")
        self.say("last:;")

    def tail(self, made):
        """Calls that must replace their caller."""
        self.block(2)
        self.call()
        fit = [f for f in self.plain if f.of_two_ints() and f.kind == "plain"]
        if fit:
            callee = self.random.choice(fit)
            self.spent += callee.cost
            self.say(f"if (b > 3) __attribute__((musttail)) return {callee.name}(b, (int)(acc & 7));")
        self.say(f"if (a > 0) __attribute__((musttail)) return {made.name}(a - 1, b >> 1);")
        self.spent *= 16

    def listed_arguments(self, made):
        several = self.name("several")
        self.functions.append(
            Function(
                several, 0, [], f"static unsigned {several}(int count, ...)", "written", 0,
                [
                    "  unsigned acc = 0; va_list list;", "  va_start(list, count);",
                    "  for (int i = 0; i < count; ++i) acc = acc * 3u + va_arg(list, unsigned);",
                    "  va_end(list);", "  return acc;",
                ],
            )
        )
        self.say(f"acc += {several}(3, 1u, (unsigned)a, (unsigned)b);")
        self.open("for (int i = 0; i < a; ++i)")
        self.say(f"acc += {several}(i % 3, acc, 2u);")
        self.shut()
        self.spent += 100

    def sorted_array(self, made):
        """A library function that calls back, and possibly never returns."""
        compare, way = self.name("compare"), self.random.randrange(4)
        leaving = [
            "", "if (*x == 14 && *y == 3) exit(5);",
            "if (*x == 13 && *y < 4) longjmp(place, 9);" if made.kind == "jumper" else "",
            "if (*x == 12 && *y < 4) throw 7;" if self.cpp else "",
        ][way]
        self.functions.append(
            Function(
                compare, 0, [], f"static int {compare}(const void* l, const void* r)", "written", 0,
                [
                    "  const int *x = (const int*)l, *y = (const int*)r;", f"  {leaving}",
                    "  return *x < *y ? -1 : *x > *y;",
                ],
            )
        )
        self.open("for (int i = 0; i < (b & 3) + 1; ++i)")
        self.say("A[i] = a;")
        self.say(f"qsort(A + i * 8, 8, sizeof *A, {compare});")
        self.say("acc = acc * 3u + (unsigned)A[i * 8 + 4];")
        self.shut()
        self.spent += 200

    def guard(self):
        """Target of long jumps."""
        made = self.start("guard", [("int", "a", 0, 15), ("int", "b", 0, 15)], "static ", 0)
        jumper = self.random.choice(self.jumpers)
        self.say("volatile unsigned kept = 0; volatile int tries = 0;")
        self.say("const int code = setjmp(place);")
        self.open("if (code == 0)")
        self.say(
            f"kept = {jumper.name}("
            + ", ".join(f"(a + {i}) & {high}" for i, (_, _, _, high) in enumerate(jumper.parameters)) + ");"
        )
        self.shut("} else { kept = kept + (unsigned)code; }")
        self.say("tries = tries + 1;")
        if self.chance(0.5):
            self.say(f"if (code > 4 && tries < 3) longjmp(place, tries);")
        self.say("for (int i = 0; i < b; ++i) kept = kept * 3u + (unsigned)i;")
        self.say("acc += kept;")
        self.spent = 3 * (self.spent + jumper.cost)
        return self.finish(made)

    def signalled(self, made):
        handler = self.name("handler")
        jump = made.kind == "jumper" and self.chance(0.5)
        self.functions.append(
            Function(
                handler, 0, [], f"static void {handler}(int)", "written", 0,
                ["  for (int i = 0; i < G[0]; ++i) A[i] = i & 15;", "  G[2] = (G[2] + 1) & 15;"],
            )
        )
        self.say(f"signal(SIGUSR1, {handler});")
        self.open("for (int i = 0; i < a; ++i)")
        self.say("if (i % 3 == 1) raise(SIGUSR1);")
        self.say("acc = acc * 3u + (unsigned)G[2];")
        self.shut()
        self.spent += 300
        if jump:
            self.say("if (acc & 1u) longjmp(place, 2);")

    def assembler(self, made):
        self.say("int hidden = a;")
        self.say('__asm__ volatile("" : "+r"(hidden));')
        self.open("for (int i = 0; i < (hidden & 15); ++i)")
        self.say('__asm__("" : "+r"(acc));')
        self.say("acc = acc * 5u + (unsigned)i;")
        if self.chance(0.5):
            self.say('__asm__ goto("" : : "r"(acc) : : aside);')
            self.say("acc += 2u;")
            self.say("aside: acc ^= 1u;")
        self.shut()
        self.spent += 40

    def unreachable(self, made):
        self.open("switch (a & 3)")
        for value in range(4):
            self.open(f"case {value}:")
            self.block(2)
            self.shut("} break;")
        self.say("default: __builtin_unreachable();")
        self.shut()
        self.open("for (int i = 0; i < b; ++i)")
        self.say("if (i > 20) __builtin_trap();")
        self.say("acc = acc * 9u + (unsigned)U[i];")
        self.shut()

    def classes(self, made):
        base = self.name("Base")
        text = [
            f"struct {base} {{ int size; {base}(int s) : size(s) {{}} virtual ~{base}() {{}} virtual unsigned"
            " work(int a) const = 0; };"
        ]
        for index in range(2):
            body = [
                "for (int i = 0; i < size; ++i) acc = acc * 3u + (unsigned)(i ^ a);",
                (
                    "for (int i = a; i < size; i += 2) for (int j = i; j < size; ++j) acc += (unsigned)A[(i +"
                    " j) & 63];"
                ),
                "if (a == 11) throw Thrown(6); for (int i = size; i-- > 0;) acc ^= (unsigned)i << 2;",
            ][self.random.randrange(3)]
            text.append(
                f"struct {base}{index} : {base} {{ {base}{index}(int s) : {base}(s) {{}} unsigned work(int a)"
                f" const override {{ unsigned acc = {index}; {body} return acc; }} }};"
            )
        made.before = text
        self.say(f"{base}0 zero(b); {base}1 one(a & 7); const {base}* both[2] = {{&zero, &one}};")
        self.open("for (int i = 0; i < a; ++i)")
        self.say(f"acc += both[(i ^ b) & 1]->work(i);")
        self.shut()
        self.spent += 3000

    def templates(self, made):
        name = self.name("many")
        made.before = [
            f"template <class T, int Step> unsigned {name}(T low, T high) {{ unsigned acc = Step; for (T i ="
            " low; i < high; i += Step) acc = acc * 3u + (unsigned)i; return acc; }"
        ]
        self.say(
            f"acc += {name}<{self.random.choice(['int', 'long', 'unsigned', 'short'])},"
            f" {self.random.randint(1, 3)}>(a, b);"
        )
        self.open("for (int i = 0; i < a; ++i)")
        self.say(f"acc ^= {name}<int, 1>(i, b);")
        self.say("auto more = [&](int k) { for (int m = k; m < b; ++m) acc += (unsigned)(m * i); };")
        self.say("more(i / 2);")
        self.shut()
        self.spent += 600

    def containers(self, made):
        self.say("std::vector<int> held;")
        self.open("for (int i = 0; i < a; ++i)")
        self.say("held.push_back((i * 7 + b) % 16);")
        self.shut()
        self.say("std::sort(held.begin(), held.end());")
        self.say("for (int x : held) acc = acc * 3u + (unsigned)x;")
        self.open("for (size_t i = 0; i < held.size(); ++i)")
        self.numbers.append(Number("held[i]", 0, 15))
        self.weight = 16
        self.block(2)
        self.shut()
        if self.chance(0.5):
            self.say("acc += (unsigned)held.at((size_t)b);")
        self.spent += 600

    def held(self, made):
        """Destructors during an exception through several frames."""
        thrower = self.name("thrower")
        self.functions.append(
            Function(
                thrower, 0, [], f"__attribute__((noinline)) static unsigned {thrower}(int a, int b)",
                "written", 0,
                [
                    "  Scoped held(b & 7);", "  if (a == 0) { if (b & 1) throw Thrown(b); return 4; }",
                    (
                        f"  unsigned acc = 0; for (int i = 0; i < (b & 1) + 1; ++i) acc += {thrower}(a - 1,"
                        " b) + (unsigned)held.size;"
                    ),
                    "  return acc;",
                ],
            )
        )
        self.open("for (int i = 0; i < b; ++i)")
        self.open("try")
        self.say(f"acc = acc * 3u + {thrower}(a & 3, i);")
        self.shut("} catch (const Thrown& thrown) { acc += thrown.value; }")
        self.shut()
        self.spent += 3000

    # The program
    def write_functions(self):
        self.jumpers = []
        specials = [
            self.recursive, self.recursive, self.irreducible, self.irreducible, self.device, self.computed,
            self.tail, self.listed_arguments, self.sorted_array, self.signalled, self.assembler,
            self.unreachable,
        ]
        if self.cpp:
            specials += [self.classes, self.templates, self.held] * 2 + (
                [self.containers] * 4 if self.vectors else []
            )
        for _ in range(self.random.randint(3, 6)):
            if self.chance(0.35):
                self.special(self.random.choice(specials))
            else:
                self.ordinary()
        if self.files == 2:
            self.ordinary("pure")
        if self.parallel:
            self.known()
        self.ordinary()
        if not self.cpp and self.chance(0.4):
            self.ordinary("jumper")
            self.special(
                self.random.choice([self.sorted_array, self.signalled, self.irreducible, self.recursive]),
                "jumper",
            )
            self.guard()

    def main(self):
        threaded = [f for f in self.plain if f.of_two_ints()] if self.chance(0.15) else []
        run = self.name("run")
        text = []
        if threaded:
            callee = self.random.choice(threaded)
            called = f"total = total * 7u + {callee.name}(*rank & 15, 5);"
            text += [
                f"static unsigned total;", f"static void* {run}(void* given) {{",
                "  const int* rank = (const int*)given;",
                f"  try {{ {called} }} catch (...) {{ total += 3u; }}" if self.cpp else f"  {called}",
                "  return 0;", "}",
            ]
        self.start("plain", [], "", 0)
        self.lines = []
        self.numbers = [
            Number("n", 0, SIZE if self.parallel else 20, True), Number("p", 1, 6, True),
            Number("r", 0, 5, True),
        ]
        given = (
            ["static int work(int n, int p, int r) {"]
            if self.parallel
            else [
                "int main(int argc, char** argv) {",
                (
                    "  const int n = argc > 1 ? atoi(argv[1]) % 21 : 9, p = argc > 2 ? 1 + atoi(argv[2]) % 6"
                    " : 1, r = argc > 3 ? atoi(argv[3]) % p : 0;"
                ),
            ]
        )
        text += [
            *given, "  unsigned acc = 1;",
            (
                "  for (int i = 0; i < 64; ++i) { A[i] = (i * 5 + n) & 15; U[i] = (unsigned char)(i * 37);"
                " D[i] = ((i * 11) & 15) / 16.0; }"
            ),
        ]
        for callee in self.functions:
            if callee.kind not in ("plain", "pure", "guard", "known"):
                continue
            for _ in range(2 if callee.kind != "known" and self.chance(0.25) else 1):
                before = len(self.lines)
                self.spent, self.kind = 0, "known" if callee.kind == "known" else "plain"
                self.call_of(callee)
                written, self.lines[before:] = self.lines[before:], []
                body = " ".join(line.strip() for line in written)
                text.append(
                    f"  try {{ {body} }} catch (int e) {{ acc += (unsigned)e; }} catch (...) {{ acc += 5u; }}"
                    if self.cpp
                    else f"  {{ {body} }}"
                )
        self.kind = "plain"
        if self.chance(0.5):
            self.block(2)
            lines = [line.replace("return acc;", "return (int)(acc & 63u);") for line in self.lines]
            text += ["  try {", *lines, "  } catch (...) { acc ^= 9u; }"] if self.cpp else lines
        if threaded:
            text += [
                "  for (int k = 0; k < p; ++k) { pthread_t thread; if (pthread_create(&thread, 0, " + run
                + ", &k)) return 1; pthread_join(thread, 0); }", "  acc += total;",
            ]
        text += ['  printf("%u %d %d %d\\n", acc, G[0], A[7], r);', "  return (int)(acc & 31u);", "}"]
        if self.parallel:
            text += [
                "int main(int argc, char** argv) {", "  int p, r;", "  MPI_Init(&argc, &argv);",
                "  MPI_Comm_size(MPI_COMM_WORLD, &p);", "  MPI_Comm_rank(MPI_COMM_WORLD, &r);",
                "  work(atoi(argv[1]), p, r);", "  MPI_Finalize();", "  return 0;", "}",
            ]
        return text

    def texts(self):
        """Returns file name -> text; the first one has main."""
        self.write_functions()
        main = self.main()
        prelude = ("#include <mpi.h>\n" if self.parallel else "") + PRELUDE
        if self.cpp:
            prelude += "struct Thrown { unsigned value; explicit Thrown(unsigned v) : value(v) {} };\n"
            prelude += (
                "struct Scoped { int size; explicit Scoped(int s) : size(s) {} ~Scoped() { for (int i = 0; i"
                " < size; ++i) V = (V + i) & 15; } };\n"
            )
            if self.vectors:
                prelude += "#include <algorithm>\n#include <vector>\n"
        shared = [f for f in self.functions if not f.is_static()]
        prelude += "".join(f"{f.head};\n" for f in shared)
        stem = f"program_{self.seed}"
        files = {}
        for number in range(self.files):
            own = [f for f in self.functions if f.file == number]
            text = (
                "// SPDX-License-Identifier: Apache-2.0\n" + prelude
                + "".join(f"{f.head};\n" for f in own if f not in shared)
            )
            text += GLOBALS if number == 0 else ""
            for made in own:
                text += "".join(line + "\n" for line in [*made.before, made.head + " {", *made.lines, "}"])
            files[stem + ("_b" if number else "") + self.suffix()] = text + (
                "".join(line + "\n" for line in main) if number == 0 else ""
            )
        return files

    def runs(self):
        return [
            [str(self.random.randint(1, 20)), str(self.random.randint(0, 5)), str(self.random.randint(0, 5))],
            [str(self.random.choice([0, 1, 16])), "3", "2"],
        ]


def generate(seed, folder, parallel=False):
    """Returns the paths of the program's files, and the arguments of its run (the caller chooses those of a
    parallel one)."""
    program = Program(seed, parallel)
    paths = []
    for name, text in program.texts().items():
        paths.append(pathlib.Path(folder, name))
        paths[-1].write_text(text)
    return paths, program.runs()


def main():
    seed, folder = sys.argv[1:]
    for path in generate(int(seed), folder)[0]:
        print(path)


if __name__ == "__main__":
    main()
