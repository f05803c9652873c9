# SPDX-License-Identifier: Apache-2.0
"""Changes of bytes: mutate(rng, data, text) returns the changed bytes and the names of the changes."""
import re
import struct

EXTREMES = [
    b"0", b"-0", b"-1", b"1e-320", b"1e-200", b"4.9e-324", b"1e160", b"1e308", b"1e309", b"-1e308",
    b"9223372036854775807", b"9223372036854775808", b"-9223372036854775808", b"18446744073709551616",
    b"4294967295", b"2147483648", b"1e400", b"nan", b"inf", b"-inf", b"NaN", b"Infinity", b"0x10", b"1.",
    b"1e", b"", b"null", b"99999999999999999999999999", b"0.1", b"2.5",
]
WORDS = [
    0, 1, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000,
    0xFFFFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FF8000000000000, 0x0000000000000001, 0x3FF0000000000000,
    0x7FEFFFFFFFFFFFFF, 1 << 40,
]
NAMES = [
    b"\x1b[2J\x1b]0;owned\x07", "‮gpj.exe".encode(), b"\xc2\x9b31m", b"\xff\xfe\xc3", b"A" * 1_000_000,
    b"\\u001b[31m\\u202e", b"a/" * 20_000, b"=cmd()", b"\\n\\nerror: x", b"'", b"->" * 1000, b"%s%n",
    b"../../x", b"\xe2\x80\x8b",
]
NUMBER = re.compile(rb"(?<![A-Za-z_0-9.])-?\d+(\.\d+)?([eE][-+]?\d+)?")
NAME = re.compile(rb"[A-Za-z_][A-Za-z_0-9]{2,}")
BRACKETS = [
    (b"[", b"]"), (b"{\"a\":", b"}"), (b"(", b")"), (b"<object type=\"Group\">", b"</object>"),
    (b"<zone>", b"</zone>"), (b"-", b""), (b"{ a = ", b" }"), (b"log2(", b")"),
]


def replaced(data, begin, end, by):
    return data[:begin] + by + data[end:]


def stretch(rng, data, most=64):
    begin = rng.randrange(len(data))
    return begin, min(len(data), begin + rng.randint(1, most))


def flip_bits(rng, data):
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def cut(rng, data):
    return data[:rng.randrange(len(data))]


def delete_part(rng, data):
    return replaced(data, *stretch(rng, data, rng.choice([4, 64, 4096])), b"")


def double_part(rng, data):
    begin, end = stretch(rng, data, rng.choice([4, 64, 4096]))
    return replaced(data, begin, begin, data[begin:end] * rng.choice([1, 1, 2, 50]))


def move_part(rng, data):
    begin, end = stretch(rng, data)
    to = rng.randrange(len(data))
    return replaced(data, to, to + end - begin, data[begin:end])


def put_word(rng, data):
    word = rng.choice(WORDS)
    size = rng.choice([4, 8])
    at = rng.randrange(0, max(1, len(data) - size), size)
    return replaced(data, at, at + size, struct.pack("<Q", word)[:size])


def random_bytes(rng, data):
    begin, end = stretch(rng, data, 16)
    return replaced(data, begin, end, rng.randbytes(end - begin))


def one_of(rng, data, pattern):
    found = [match.span() for match in pattern.finditer(data)]
    return rng.choice(found) if found else None


def extreme_number(rng, data):
    for _ in range(rng.choice([1, 1, 1, 3])):
        if span := one_of(rng, data, NUMBER):
            data = replaced(data, *span, rng.choice(EXTREMES))
    return data


def same_number_everywhere(rng, data):
    if not (span := one_of(rng, data, NUMBER)):
        return data
    number, by = data[slice(*span)], rng.choice(EXTREMES)
    return re.sub(rb"(?<![\w.])" + re.escape(number) + rb"(?![\w.])", by, data)


def strange_name(rng, data):
    if not (span := one_of(rng, data, NAME)):
        return data
    name, by = data[slice(*span)], rng.choice(NAMES)
    return (
        data.replace(name, by)
        if rng.random() < 0.5 and data.count(name) * len(by) < 5_000_000
        else replaced(data, *span, by)
    )


def nest(rng, data):
    opening, closing = rng.choice(BRACKETS)
    levels = rng.choice([10, 300, 5_000, 100_000])
    span = one_of(rng, data, NUMBER) or stretch(rng, data, 4)
    inside = data[slice(*span)]
    return replaced(
        data, *span, opening * levels + inside + (closing * levels if rng.random() < 0.8 else b"")
    )


def line_change(rng, data):
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    what = rng.randrange(4)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines[at:at] = [lines[at]] * rng.choice([1, 1, 3, 1000])
    elif what == 2:
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines[at:at] = [rng.choice(lines)]
    return b"\n".join(lines)


ANY = [flip_bits, cut, delete_part, double_part, move_part, random_bytes]
BINARY = ANY + [put_word] * 6
TEXT = (
    ANY + [extreme_number] * 8 + [same_number_everywhere] * 2 + [strange_name] * 4 + [nest] * 3
    + [line_change] * 3
)


def mutate(rng, data, text):
    names = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if not data:
            break
        change = rng.choice(TEXT if text else BINARY)
        names.append(change.__name__)
        data = change(rng, data)
    return data, "+".join(names)
