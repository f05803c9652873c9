#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates the table of MPI calls for importers: calls.py RECORD_MPI_FOLDER CALLS.INC. The source is the
table of the recorder's wrappers, so that the recorder and importers give a function the same class."""
import pathlib
import sys

sys.dont_write_bytecode = True
folder, target = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(folder))
from generate import CLASSES, OWN, SPECIAL, read_table  # noqa: E402

TREATMENTS = {"unfollowed": "counted", "prepares": "silent", "releases": "silent", "local": "computing"}
rows = []
for name, row in read_table(folder / "calls.table").items():
    kind = SPECIAL[name] if row.kind == "special" else row.kind if row.kind in CLASSES else "none"
    rows.append((name, kind, row.pattern, TREATMENTS.get(row.kind, "event")))
rows += [(name, kind, "none", "event") for name, kind in OWN.items() if "(" not in name]
target.write_text(
    "".join(
        f'    {{"{name}", CallClass::{kind}, Pattern::{pattern}, Treatment::{treatment}}},\n'
        for name, kind, pattern, treatment in sorted(rows)
    )
)
