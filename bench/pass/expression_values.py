# SPDX-License-Identifier: Apache-2.0
"""Values of expressions as Parcast writes them (docs/formats/expressions.md), exact as long as they are
fractions. Shares no code with what Parcast evaluates them by."""
import fractions
import functools
import math
import re

TOKEN = re.compile(
    r"\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)|([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)"
    r"|'((?:[^']|'')*)'|([<>=]=|[-+*/^(),]))"
)


def ratio(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    value = fractions.Fraction(a) / b
    return value.numerator if value.denominator == 1 else value


def power(base, exponent):
    if isinstance(exponent, fractions.Fraction) and exponent.denominator == 1:
        exponent = exponent.numerator
    if isinstance(exponent, int):
        return ratio(1, base ** -exponent) if exponent < 0 else base ** exponent
    if exponent.denominator == 2 and not isinstance(base, float):
        roots = [
            math.isqrt(n) for n in (fractions.Fraction(base).numerator, fractions.Fraction(base).denominator)
        ]
        if ratio(*roots) ** 2 == base:
            return power(ratio(*roots), exponent.numerator)
    if base < 0:
        raise ValueError("a root of a number below 0")
    return float(base) ** float(exponent)


def logarithm(value):
    if not isinstance(value, float) and value > 0:
        whole = fractions.Fraction(value)
        if whole.denominator == 1 and whole.numerator & (whole.numerator - 1) == 0:
            return whole.numerator.bit_length() - 1
    return math.log2(value)


def series(first, last, body):
    return sum(body(index) for index in range(math.ceil(first), math.floor(last) + 1))


class Reader:
    """Translates a text to the text of a Python function of `values`."""

    def __init__(self, text):
        self.tokens, at = [], 0
        text = text.rstrip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise ValueError(f"{text[at:at + 20]} in {text[:80]} is no expression")
            self.tokens.append((match.lastindex, match.group(match.lastindex)))
            at = match.end()
        self.at, self.bound = 0, []

    def is_next(self, sign):
        return self.at < len(self.tokens) and self.tokens[self.at] == (4, sign)

    def take(self, sign):
        if not self.is_next(sign):
            raise ValueError(f"{sign} is missing at token {self.at}")
        self.at += 1

    def accept(self, *signs):
        for sign in signs:
            if self.is_next(sign):
                self.at += 1
                return sign
        return None

    def expression(self):
        text = self.term()
        while sign := self.accept("+", "-"):
            text = f"{text} {sign} {self.term()}"
        return f"({text})"

    def signed(self, inside):
        return f"(-{inside()})" if self.accept("-") else inside()

    def term(self):
        text = self.signed(self.factor)
        while sign := self.accept("*", "/"):
            other = self.signed(self.factor)
            text = f"({text} * {other})" if sign == "*" else f"ratio({text}, {other})"
        return text

    def factor(self):
        text = self.primary()
        return f"power({text}, {self.signed(self.primary)})" if self.accept("^") else text

    def arguments(self):
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        self.take(")")
        return found

    def primary(self):
        if self.accept("("):
            text = self.expression()
            self.take(")")
            return text
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind == 1:
            return f"({word})"
        if kind == 2 and self.accept("("):
            return self.call(word)
        name = word.replace("''", "'") if kind == 3 else word
        return f"i_{self.bound.index(name)}" if name in self.bound else f"values[{name!r}]"

    def call(self, word):
        if word == "if":
            left = self.expression()
            sign = self.accept(">=", "<=", "==")
            if not sign:
                raise ValueError(f"no comparison at token {self.at}")
            right, then, otherwise = self.expression(), *self.three()
            return f"({then} if {left} {sign} {right} else {otherwise})"
        if word == "sum":
            index = self.tokens[self.at][1]
            self.at += 1
            self.take(",")
            first = self.expression()
            self.take(",")
            last = self.expression()
            self.take(",")
            self.bound.append(index)
            body = self.expression()
            self.bound.pop()
            self.take(")")
            return f"series({first}, {last}, lambda i_{len(self.bound)}: {body})"
        forms = {
            "floor": "math.floor({})", "ceil": "math.ceil({})", "mod": "({} % {})", "log2": "logarithm({})",
            "sqrt": "power({}, ratio(1, 2))",
        }
        arguments = self.arguments()
        if word in ("min", "max"):
            return f"{word}({', '.join(arguments)},)" if len(arguments) > 1 else arguments[0]
        return forms[word].format(*arguments)

    def three(self):
        self.take(",")
        return self.arguments()


@functools.cache
def function_of(text):
    """Returns a function from the values of the symbols (a dictionary) to the expression's value."""
    reader = Reader(text)
    body = reader.expression()
    if reader.at != len(reader.tokens):
        raise ValueError(f"more than an expression: {text[:80]}")
    # noqa: S307
    return eval(
        f"lambda values: {body}",
        {"math": math, "ratio": ratio, "power": power, "logarithm": logarithm, "series": series},
    )
