# SPDX-License-Identifier: Apache-2.0
"""Changes rank-N.rec and repairs its checks: a record's fields get extreme values, and every check is
recomputed (src/recording/format.h)."""
import struct

import mutations

PAGE, BLOCK, BLOCK_HEADER = 4096, 65536, 64
HEADER, CHECK_AT, LIVE_AT, LIVE = 2 * PAGE, 12, 1336, 12
TWIN, MASK = 0x5A5AA5A5C3C33C3C, (1 << 64) - 1
FACTORS = [
    0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93, 0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53, 0x87C37B91114253D5, 0x4CF5AD432745937F,
    0x52DCE729DA3ED7B5, 0x38495AB5AED2C9A3, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3,
    0x1D8E4E27C47D124F,
]


def check(data, skip, place):
    total = (place + 1) * 0xA0761D6478BD642F & MASK
    for i, (word,) in enumerate(struct.iter_unpack("<Q", data)):
        word = word & 0xFFFFFFFF if i == skip else word
        if i % 16 == 0:
            total = (total ^ total >> 29) * 0xEB44ACCAB455D165 & MASK
        total = total + word * FACTORS[i % 16] & MASK
    total ^= total >> 32
    return (total * 0xD6E8FEB86659FD93 & MASK) >> 32


def records(data):
    """Returns position, length and seed of the check of each record in blocks of records."""
    for block in range(HEADER, len(data) - BLOCK_HEADER, BLOCK):
        kind, committed = (
            struct.unpack_from("<H", data, block + 14)[0], struct.unpack_from("<Q", data, block + 32)[0],
        )
        turns = committed >> 20 if kind == 1 else 0
        at = BLOCK_HEADER
        while kind in (0, 1) and at + 8 <= min(BLOCK, len(data) - block):
            length = 8 * struct.unpack_from("<H", data, block + at + 2)[0]
            if data[block + at] == 0 or length < 8:
                break
            yield block + at, length, block + (turns << 40) + at
            at += length


def change_record(rng, data):
    found = list(records(data))
    if not found:
        return "no record"
    place, length, seed = rng.choice(found)
    size = rng.choice([2, 4, 8])
    at = rng.randrange(8, length, size) if length > 8 else 1
    size = min(size, length - at)
    data[place + at:place + at + size] = struct.pack("<Q", rng.choice(mutations.WORDS))[:size]
    struct.pack_into("<I", data, place + 4, check(data[place:place + length], 0, seed))
    return f"record {data[place]}+{at}"


def change_header(rng, data):
    at = rng.randrange(16, LIVE_AT, 8)
    struct.pack_into("<Q", data, at, rng.choice(mutations.WORDS))
    struct.pack_into("<I", data, CHECK_AT, check(data[:LIVE_AT], 1, 0))
    return f"header+{at}"


def change_live(rng, data):
    at = LIVE_AT + 16 * rng.randrange(LIVE)
    value = rng.choice(mutations.WORDS)
    struct.pack_into("<QQ", data, at, value, value ^ TWIN)
    return f"live+{at - LIVE_AT}"


def mutate(rng, content):
    data, names = bytearray(content), []
    for _ in range(rng.choice([1, 1, 2, 4])):
        names.append(rng.choice([change_record] * 6 + [change_header, change_live])(rng, data))
    return bytes(data), "+".join(names)
