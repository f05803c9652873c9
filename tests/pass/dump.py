#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the facts of an object file or executable for people and FileCheck, in the program's own arithmetic.

    dump.py [--final | --data] BINARY [FUNCTION...]

    triangular at loops.c:8
      loop 0 at loops.c:10: rounds = (arg0 - 1), variable from 0 to arg0 step 1, whole
      loop 1 in 0 at loops.c:11: rounds = <(arg0 - 1), -1>0, whole
      if (arg0 s> 0)
      call use(arg0) at loops.c:13
      call __cxa_throw(somewhere, _ZTI4Mine, 0) at loops.c:14, throws _ZTI4Mine of _ZTISt9exception
      handler at loops.c:15 takes _ZTISt9exception, all
      store counter = (load counter + 1)
      return phi?
      array 0: *arg1 at <0, +8>0 from 0 to 8, reads 8, writes 0

rounds: how often the way back to the loop's head is taken per entry; behind "? or" what is not proved. <a,
+b>k: a, then b more in each round of loop k. s, u: signed or not. *arg0+8: the place 8 bytes behind what the
first argument points to. NAME?: an unknown value. ?: unknown types. All in the order of the facts.

--final: the final code of loops and blocks, and the loops that threads share:

    daxpy at loops.c:8
      loop 0 at loops.c:10: width 2, interleave 2
      block 2 at loops.c:10: double_add 2 by 1, load 2 by 1

--data: what decides each choice between several ways:

    converge at data.c:8
      loop 0 at data.c:10: left by data
      loop 1 at data.c:14: left by what is given, or by data
      data decide behind data.c:16"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from counted import facts_of  # noqa: E402

INFIX = {
    "mul": "*", "udiv": "u/", "sdiv": "s/", "urem": "u%", "srem": "s%", "shl": "<<", "lshr": "u>>",
    "ashr": "s>>", "and": "&", "or": "|", "xor": "^", "fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/",
}
PREDICATES = {
    "eq": "==", "ne": "!=", "sgt": "s>", "sge": "s>=", "slt": "s<", "sle": "s<=", "ugt": "u>", "uge": "u>=",
    "ult": "u<", "ule": "u<=",
}
CONVERSIONS = {"trunc", "zext", "sext", "fptosi", "fptoui", "sitofp", "uitofp", "fpext", "fptrunc", "bitcast"}


def with_offset(text, offset):
    return f"{text}{offset:+}" if offset else text


class Printer:
    def __init__(self, nodes):
        self.nodes = nodes
        self.locals = [node[1] for node in nodes if node[0] == "local"]

    def text(self, number):
        if number is None:
            return "?"
        name, *rest = self.nodes[number]
        written = getattr(self, "of_" + name.split()[0], None)
        if written:
            return written(*rest)
        operands = rest[1:]
        if name in INFIX and len(operands) == 2 or name == "mul":
            return "(" + f" {INFIX[name]} ".join(map(self.text, operands)) + ")"
        if name.startswith("icmp "):
            return f"({self.text(operands[0])} {PREDICATES[name.split()[1]]} {self.text(operands[1])})"
        bits = str(rest[0]) if name in CONVERSIONS else ""
        return f"{name}{bits}({', '.join(map(self.text, operands))})"

    def of_int(self, bits, value):
        return str(value)

    def of_float(self, bits, digits):
        return "0x" + digits

    def of_argument(self, bits, number):
        return f"arg{number}"

    def of_load(self, bits, place):
        return "load " + self.text(place)

    def of_call(self, bits, name, *arguments):
        return f"{name or 'indirect'}({', '.join(map(self.text, arguments))})"

    def of_untold(self, bits, instruction):
        return instruction + "?"

    def of_recurrence(self, bits, loop, start, *steps):
        texts = [self.text(step) for step in steps]
        return (
            f"<{self.text(start)}"
            + "".join(f", {text}" if text.startswith("-") else f", +{text}" for text in texts) + f">{loop}"
        )

    def of_add(self, bits, *operands):
        """Constants last; subtracted terms after a minus."""
        plus, minus, constant = [], [], 0
        for operand in operands:
            name, *rest = self.nodes[operand]
            if name == "int":
                constant += rest[1]
            elif (
                name == "mul"
                and len(rest) == 3
                and self.nodes[rest[1]][0] == "int"
                and self.nodes[rest[1]][2] == -1
            ):
                minus.append(self.text(rest[2]))
            else:
                plus.append(self.text(operand))
        text = " + ".join(plus) if plus else "-" + minus.pop(0)
        text += "".join(f" - {each}" for each in minus)
        return f"({text} {'-' if constant < 0 else '+'} {abs(constant)})" if constant else f"({text})"

    def of_sub(self, bits, left, right):
        return f"({self.text(left)} - {self.text(right)})"

    def of_global(self, name, offset):
        return with_offset(name, offset)

    def of_behind(self, argument, offset):
        return with_offset(f"*arg{argument}", offset)

    def of_local(self, number):
        return f"local{self.locals.index(number)}"

    def of_at(self, local, offset):
        return with_offset(self.text(local), offset)

    def of_pointed(self, place, offset):
        return with_offset(f"*({self.text(place)})", offset)

    def of_field(self, name, offset):
        return with_offset(name, offset)

    def of_text(self, string):
        return '"' + string.replace("\n", "\\n") + '"'

    def of_somewhere(self):
        return "somewhere"


def place(at):
    return f"{pathlib.PurePath(at[0]).name}:{at[1]}" if at else "?"


def loop_line(number, loop, text):
    where = f" in {loop['in']}" if "in" in loop else ""
    rounds = (
        text(loop["rounds"])
        if "rounds" in loop
        else " or ".join(["?"] + [text(node) for node in loop.get("perhaps", [])])
    )
    parts = [f"rounds = {rounds}"]
    if "variable" in loop:
        variable = loop["variable"]
        parts.append(
            f"variable from {text(variable['first'])} to {text(variable['end'])} step"
            f" {text(variable.get('step'))}"
        )
    if loop.get("whole"):
        parts.append("whole")
    return f"  loop {number}{where} at {place(loop['at'][0] if loop['at'] else None)}: {', '.join(parts)}"


def lines_of(function):
    text = Printer(function["nodes"]).text
    yield f"{function['name']} at {place(function.get('at'))}"
    for number, loop in enumerate(function["loops"]):
        yield loop_line(number, loop, text)
    for _, predicate, left, right, *_ in function["branches"]:
        yield f"  if ({text(left)} {PREDICATES[predicate]} {text(right)})"
    for call in function["calls"]:
        thrown = f", throws {' of '.join(name or '?' for name in call['throws'])}" if "throws" in call else ""
        yield (
            f"  call {call.get('to', 'indirect')}({', '.join(map(text, call['arguments']))}) at"
            f" {place(call['at'][0] if call['at'] else None)}{thrown}"
        )
    for block in function["blocks"]:
        if block.get("takes"):
            yield (
                f"  handler at {place(block['at'][0] if block['at'] else None)} takes"
                f" {', '.join('all' if name is None else name or '?' for name in block['takes'])}"
            )
    for _, where, value in function["stores"]:
        yield f"  store {text(where)} = {text(value)}"
    for value in function["returns"]:
        yield f"  return {text(value)}"
    for block, base, array, offset, low, high, loaded, stored, *changes in function.get("references", []):
        where = f"? in each round of {changes[0]}" if changes else text(array)
        yield (
            f"  array {base}: {where} at {text(offset)} from {low} to {high}, reads {loaded}, writes {stored}"
        )


def final_lines_of(number, function, final):
    """`final` of the module; ? where nothing is derived."""
    yield f"{function['name']} at {place(function.get('at'))}"
    final_loops = {
        loop: (width, interleave) for f, loop, width, interleave in final.get("loops", []) if f == number
    }
    for l, loop in enumerate(function["loops"]):
        width, interleave = ("?" if value is None else value for value in final_loops.get(l, (None, None)))
        shared = (
            f", shared {loop['shared']}{', chunks' if loop.get('chunks') else ''}" if "shared" in loop else ""
        )
        yield (
            f"  loop {l} at {place(loop['at'][0] if loop['at'] else None)}: width {width}, interleave"
            f" {interleave}{shared}"
        )
    for f, b, packed in final.get("blocks", []):
        if f == number:
            at = function["blocks"][b]["at"]
            yield (
                f"  block {b} at {place(at[0] if at else None)}:"
                f" {', '.join(f'{name} {many} by {few}' for name, (many, few) in sorted(packed.items()))}"
            )


def data_lines_of(function):
    """Prints loops, and blocks outside of loops."""
    yield f"{function['name']} at {place(function.get('at'))}"

    def inside(block, loop):
        at = function["blocks"][block].get("loop")
        while at is not None and at != loop:
            at = function["loops"][at].get("in")
        return at == loop

    edges = [
        ((arc[0] - 2) // 2, (arc[1] - 1) // 2)
        for arc in function["arcs"][len(function["blocks"]) :]
        if arc[0] > 0 and arc[1] > 0
    ]
    for l, loop in enumerate(function["loops"]):
        by = {start in function["by_data"] for start, end in edges if inside(start, l) and not inside(end, l)}
        words = [word for decided, word in ((False, "what is given"), (True, "data")) if decided in by]
        where = f" in {loop['in']}" if "in" in loop else ""
        yield (
            f"  loop {l}{where} at {place(loop['at'][0] if loop['at'] else None)}: left by"
            f" {', or by '.join(words) or 'nothing'}"
        )
    for block in function["by_data"]:
        if "loop" not in function["blocks"][block]:
            at = function["blocks"][block]["at"]
            yield f"  data decide behind {place(at[0] if at else None)}"


def main():
    mode = sys.argv[1] if sys.argv[1:2] and sys.argv[1] in ("--final", "--data") else ""
    binary, *wanted = sys.argv[1 + bool(mode):]
    for module in facts_of(binary).values():
        for number, function in enumerate(module["functions"]):
            if not wanted or function["name"] in wanted:
                lines = {
                    "--final": lambda: final_lines_of(number, function, module.get("final", {})),
                    "--data": lambda: data_lines_of(function),
                }
                print("\n".join(lines.get(mode, lambda: lines_of(function))()))


if __name__ == "__main__":
    main()
