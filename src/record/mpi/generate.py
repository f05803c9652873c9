#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wrappers of the recorder: generate.py MPI.H CALLS.TABLE FOLDER writes calls.h, calls.c, wrappers.c,
special.h (what special.c defines) and fortran.c (the names by which Fortran programs call).

Fails when mpi.h declares a function that the table does not list: a call that nobody thought about is never passed over
in silence. A row for a function that this mpi.h lacks is left out."""

import re
import sys
from pathlib import Path

CLASSES = """none initialise finalise send receive send_receive start_send start_receive wait test probe poll collective
start_collective communicator region_begin region_end""".split()
PATTERNS = "none barrier broadcast reduce allreduce gather scatter allgather alltoall reduce_scatter scan".split()
WRAPPED_WITHOUT_EVENT = ("unfollowed", "prepares", "releases")
SPECIAL = {  # written in special.c: class of their events
    "MPI_Init": "initialise", "MPI_Init_thread": "initialise", "MPI_Finalize": "finalise", "MPI_Abort": "none",
    "MPI_Start": "start_send", "MPI_Startall": "start_send"}
OWN = {"parcast_region_begin": "region_begin", "parcast_region_end": "region_end",
       "MPI_Start(receive)": "start_receive", "MPI_Startall(receive)": "start_receive"}


class Prototype:
    def __init__(self, result, name, arguments):
        self.result, self.name = result, name
        self.arguments = " ".join(arguments.split())
        self.parameters = []
        for text in re.split(r",(?![^(]*\))", self.arguments):
            text = text.strip()
            if text in ("void", ""):
                continue
            if text == "...":
                self.parameters.append((text, "..."))
            else:
                self.parameters.append((text, re.search(r"(\w+)\s*(\[\w*\])*$", text).group(1)))

    def pointer(self):
        return f"{self.result} (*next)({self.arguments})"

    def names(self):
        return ", ".join(name for _, name in self.parameters)


def read_prototypes(path):
    text = re.sub(r"/\*.*?\*/", " ", Path(path).read_text(), flags=re.S)
    found = {}
    for match in re.finditer(r"OMPI_DECLSPEC\s+([\w\s*]+?)\s*\b(MPI_\w+)\s*\(([^;]*?)\)\s*(?:__mpi_interface\w*\s*\([^;]*?\))?\s*;",
                             text):
        result, name, arguments = match.groups()
        found[name] = Prototype(result.strip(), name, arguments)
    return found


class Row:
    def __init__(self, line, where):
        words = line.split(None, 2)
        if len(words) < 2:
            sys.exit(f"{where}: error: a row needs a name and a class")
        self.name, self.kind, self.pattern = words[0], words[1], "none"
        rest = words[2] if len(words) > 2 else ""
        first = rest.split(None, 1)
        if first and first[0] in PATTERNS:
            self.pattern, rest = first[0], first[1] if len(first) > 1 else ""
        if self.kind not in CLASSES and self.kind not in ("local", "special") + WRAPPED_WITHOUT_EVENT:
            sys.exit(f"{where}: error: {self.kind} is no class of calls")
        self.what = {}
        for key, arguments in re.findall(r"(\w+)\(([^)]*)\)", rest):
            self.what[key] = [a.strip() for a in arguments.split(",")] if key != "volume" else arguments
        if re.sub(r"\w+\([^)]*\)|\s", "", rest):
            sys.exit(f"{where}: error: cannot read {rest}")

    def wrapped(self):
        return self.kind not in ("local", "special")


def read_table(path):
    rows = {}
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if line:
            row = Row(line, f"{path}:{number}")
            if row.name in rows:
                sys.exit(f"{path}:{number}: error: {row.name} stands twice")
            rows[row.name] = row
    return rows


def identifier(name):
    return "PARCAST_CALL_" + re.sub(r"\W", "_", name).rstrip("_")


def c_name(name):
    """Rows that share a function's name carry a remark in brackets."""
    return name.split("(")[0]


def check_arguments(row, prototype, path):
    known = {name for _, name in prototype.parameters}
    for key, arguments in row.what.items():
        words = re.findall(r"\w+", arguments.split(":")[1]) if key == "volume" else arguments
        for word in words:
            if word not in known and word != "-" and not word.startswith("MPI_ANY"):
                sys.exit(f"{path}: error: {row.name} has no argument {word}, but {', '.join(sorted(known))}")


def request_kind(row):
    return {"start_send": "PARCAST_SENDS", "start_receive": "PARCAST_RECEIVES"}.get(
        row.kind, "PARCAST_RECEIVES" if "receive" in row.what else "PARCAST_SENDS" if "send" in row.what else "PARCAST_OTHER")


def status_lines(status):
    """Before the call: room of ours where the host ignores the status."""
    return ["  MPI_Status own_status;", f"  if ({status} == MPI_STATUS_IGNORE) {status} = &own_status;"]


def before(row):
    lines = []
    w = row.what
    if "receive" in w and w["receive"][4] != "-":
        lines += status_lines(w["receive"][4])
    if "asks" in w:
        lines += status_lines(w["asks"][3])
    if "one" in w:
        lines += status_lines(w["one"][2]) + [f"  const MPI_Request waited = *{w['one'][0]};"]
    if "any" in w:
        lines += status_lines(w["any"][4])
        lines += waiting(w["any"][0], w["any"][1], "NULL", row)
    if "all" in w:
        lines += waiting(w["all"][0], w["all"][1], w["all"][3], row) + [f"  {w['all'][3]} = waiting.statuses;"]
    if "some" in w:
        lines += waiting(w["some"][0], w["some"][1], w["some"][4], row) + [f"  {w['some'][4]} = waiting.statuses;"]
    if "message" in w:
        lines.append(f"  const MPI_Comm matched_in = parcast_message_communicator(*{w['message'][0]});")
    if "frees" in w:
        lines.append(f"  const struct parcast_comm* freed = parcast_communicator(open.thread, *{w['frees'][0]});")
        lines.append("  const struct parcast_comm copy = {.id = freed ? freed->id : 0};")
    return lines


def waiting(count, requests, statuses, row):
    return ["  struct parcast_waiting waiting;",
            f"  if (!parcast_waiting_begin(&open, &waiting, {count}, {requests}, {statuses})) {{",
            f"    parcast_give_up(&open);", f"    return next({row.names});", "  }"]


def sent(arguments, target="sent"):
    peer, tag, count, kind = arguments[:4]
    return [f"  parts.flags |= {'PARCAST_HAS_MESSAGE' if target == 'sent' else 'PARCAST_HAS_RECEIVED'};",
            f"  parts.{target}_peer = {peer}, parts.{target}_tag = {tag};",
            f"  parts.{target}_bytes = {peer} == MPI_PROC_NULL ? 0 : parcast_bytes({count}, {kind});"]


def received(status):
    return ["  parts.flags |= PARCAST_HAS_RECEIVED;",
            f"  parts.received_peer = {status}->MPI_SOURCE, parts.received_tag = {status}->MPI_TAG;",
            f"  parts.received_bytes = parcast_status_bytes({status});"]


def when(condition, lines):
    return [f"  if ({condition}) {{"] + ["  " + line for line in lines] + ["  }"]


def after(row):
    w, lines = row.what, []
    if "in" in w:
        lines.append(f"  parts.communicator = {w['in'][0]};")
    if "message" in w:
        lines.append("  parts.communicator = matched_in;")
    if "send" in w:
        lines += sent(w["send"])
    if "receive" in w:
        status = w["receive"][4]
        lines += sent(w["receive"], "received") if status == "-" else when("result == MPI_SUCCESS", received(status))
    if "asks" in w:
        source, tag, flag, status = w["asks"]
        lines += ["  parts.flags |= PARCAST_HAS_MESSAGE;", f"  parts.sent_peer = {source}, parts.sent_tag = {tag};"]
        condition = "result == MPI_SUCCESS" + (f" && *{flag}" if flag != "-" else "")
        found = received(status)
        if "matched" in w:
            found.append(f"  parcast_message_matched(*{w['matched'][0]}, {w['in'][0]});")
        lines += when(condition, found)
    if "volume" in w:
        shape, arguments = w["volume"].split(":")
        root = w.get("root", ["0"])[0]
        lines.append(f"  parcast_volume_{shape.strip()}(open.thread, &parts, {arguments.strip()});")
        if "root" in w:
            lines.append(f"  parcast_name_root(&parts, {root});")
    if "starts" in w:
        lines += when("result == MPI_SUCCESS", [
            "  parts.flags |= PARCAST_HAS_REQUEST;",
            f"  parts.request = parcast_request_started(open.thread, *{w['starts'][0]}, {request_kind(row)}, parts.communicator);"])
    if "creates" in w:
        lines += when("result == MPI_SUCCESS", [f"  parcast_name_created(&open, &parts, *{w['creates'][0]});"])
    if "frees" in w:
        lines.append("  parts.known = freed ? &copy : NULL;")
    if "one" in w:
        request, flag, status = w["one"]
        lines += when("result == MPI_SUCCESS" + (f" && *{flag}" if flag != "-" else ""),
                      [f"  parcast_completed_one(open.thread, waited, {status});"])
    if "any" in w:
        _, _, index, flag, status = w["any"]
        lines += when("result == MPI_SUCCESS" + (f" && *{flag}" if flag != "-" else "") + f" && *{index} >= 0",
                      [f"  parcast_completed_one(open.thread, waiting.requests[*{index}], {status});"])
    if "all" in w:
        flag = w["all"][2]
        lines += when("(result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS)" + (f" && *{flag}" if flag != "-" else ""),
                      ["  parcast_completed_all(open.thread, &waiting, result);"])
    if "some" in w:
        _, _, count, indices, _ = w["some"]
        lines += when(f"(result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS) && *{count} > 0",
                      [f"  parcast_completed_some(open.thread, &waiting, {indices}, *{count});"])
    return lines


def found_nothing(row):
    """The condition under which a poll found nothing; empty for calls that are no polls."""
    for key, place in (("one", 1), ("any", 3), ("all", 2), ("asks", 2)):
        flag = row.what.get(key, ["-"] * 5)[place]
        if flag != "-":
            return f"!*{flag}"
    return f"*{row.what['some'][2]} == 0" if row.kind == "test" and "some" in row.what else ""


def entries(row, prototype):
    """What programs call in C, and what the Fortran bindings of Open MPI call in turn."""
    number, names = identifier(row.name), f", {row.names}" if row.names else ""
    return [f"PARCAST_EXPORT {prototype.result} {prototype.name}({prototype.arguments}) {{",
            f"  {prototype.pointer()} = NEXT({number});",
            "  if (!next) return MPI_ERR_OTHER;",
            f"  return recorded_{prototype.name}(next, __builtin_return_address(0){names});", "}",
            f"PARCAST_EXPORT {prototype.result} P{prototype.name}({prototype.arguments}) {{",
            f"  {prototype.pointer()} = NEXT_PROFILING({number});",
            "  if (!next) return MPI_ERR_OTHER;",
            f"  if (!parcast_is_binding(__builtin_return_address(0))) return next({row.names});",
            f"  return recorded_{prototype.name}(next, parcast_take_fortran_site(){names});", "}"]


def recorded(prototype):
    arguments = f", {prototype.arguments}" if prototype.parameters else ""
    return f"{prototype.result} recorded_{prototype.name}({prototype.pointer()}, const void* call_site{arguments})"


def wrapper(row, prototype):
    row.names = prototype.names()
    return (body(row, prototype) if row.wrapped() else []) + entries(row, prototype)


def body(row, prototype):
    lines = [f"RECORDED {recorded(prototype)} {{"]
    if row.kind == "releases":
        return lines + ["  (void)call_site;", f"  if (*parcast_gate) parcast_request_freed(*{row.what['starts'][0]});",
                        f"  return next({row.names});", "}"]
    lines += ["  struct parcast_open open;", f"  if (!parcast_enter(&open)) return next({row.names});"]
    if row.kind in ("unfollowed", "prepares"):
        lines += ["  (void)call_site;", "  parcast_settle(&open);"]
    if row.kind == "unfollowed":
        return lines + [f"  const {prototype.result} result = next({row.names});", "  parcast_leave(&open);",
                        f"  parcast_finish_unfollowed(&open, {identifier(row.name)});", "  return result;", "}"]
    lines += before(row)
    lines += [f"  const {prototype.result} result = next({row.names});", "  parcast_leave(&open);"]
    if row.kind == "prepares":
        peer, tag, count, kind = (row.what.get("send") or row.what["receive"])[:4]
        lines += when("result == MPI_SUCCESS", [
            f"  parcast_request_prepared(open.thread, *{row.what['starts'][0]}, {request_kind(row)}, {row.what['in'][0]},",
            f"                           {peer}, {tag}, {peer} == MPI_PROC_NULL ? 0 : parcast_bytes({count}, {kind}));"])
        return lines + ["  parcast_finish_silent(&open);", "  return result;", "}"]
    lines += [f"  struct parcast_parts parts = {{.call = {identifier(row.name)}, .site = call_site}};"]
    lines += after(row)
    empty = found_nothing(row)
    if empty:
        lines += when(f"result == MPI_SUCCESS && {empty}", ["  parcast_finish_poll(&open, &parts);", "  return result;"])
    return lines + ["  parcast_finish(&open, &parts);", "  return result;", "}"]


def fortran_names(name):
    """As the compilers' conventions have them; f08: of mpi_f08 in Open MPI."""
    lower = name.lower()
    return [lower, lower + "_", lower + "__", name.upper(), lower + "_f08_"]


def fortran(calls):
    """One small entry per name: it leaves the caller's address where the wrapper finds it, and goes on to the library's
    procedure of that name with all arguments as they are (fortran.h)."""
    names = [n for call in calls for n in fortran_names(call)]
    lines = ['#include "record/mpi/fortran.h"', f"const char* const parcast_fortran_names[] = {{"]
    lines += [f'  "{n}",' for n in names]
    lines += ["};", f"void* parcast_fortran_next[{len(names)}];", "#ifdef PARCAST_FORTRAN_ENTRIES", "__asm__(PARCAST_FORTRAN_BEGIN"]
    lines += [f'  PARCAST_FORTRAN_ENTRY("{n}", "{i}")' for i, n in enumerate(names)]
    return lines + ["  PARCAST_FORTRAN_END);", "#endif"]


def write(folder, name, lines):
    path = Path(folder) / name
    text = "\n".join(["/* SPDX-License-Identifier: Apache-2.0 */", "/* Made by generate.py from calls.table. */"] + lines) + "\n"
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(header, table, folder):
    prototypes, rows = read_prototypes(header), read_table(table)
    if len(prototypes) < 300:
        sys.exit(f"{header}: error: found only {len(prototypes)} functions; this is not Open MPI's mpi.h")
    missing = sorted(set(prototypes) - set(rows))
    if missing:
        sys.exit(f"{table}: error: mpi.h declares functions that are not listed: {', '.join(missing)}")
    calls, wrappers, special = [], [], []
    for name, row in rows.items():
        if name not in prototypes or row.kind == "local":
            continue
        kind = SPECIAL[name] if row.kind == "special" else row.kind if row.kind in CLASSES else "none"
        calls.append((name, kind, row.pattern))
        check_arguments(row, prototypes[name], table)
        wrappers += wrapper(row, prototypes[name]) + [""]
        if row.kind == "special":
            special.append(recorded(prototypes[name]) + ";")
    calls += [(name, kind, "none") for name, kind in OWN.items()]
    write(folder, "calls.h", ["#ifndef PARCAST_CALLS_H", "#define PARCAST_CALLS_H", "#include <stdint.h>", "enum parcast_call_number {"] +
          [f"  {identifier(name)}," for name, _, _ in calls] + ["  PARCAST_CALL_COUNT", "};",
          "struct parcast_call_row {", "  const char* name;", "  uint8_t call_class, pattern;", "};",
          "extern const struct parcast_call_row parcast_calls[PARCAST_CALL_COUNT];", "#endif"])
    write(folder, "calls.c", ['#include "calls.h"', '#include "recording/call_class.h"',
          "const struct parcast_call_row parcast_calls[PARCAST_CALL_COUNT] = {"] +
          [f'  {{"{c_name(name)}", PARCAST_CLASS_{kind}, PARCAST_PATTERN_{pattern}}},' for name, kind, pattern in calls] + ["};"])
    write(folder, "wrappers.c", ['#include "calls.h"', '#include "record/mpi/fortran.h"', '#include "record/mpi/next.h"',
          '#include "record/mpi/recorder.h"', '#include "record/mpi/volume.h"', '#include "special.h"', "",
          "#define RECORDED static inline __attribute__((always_inline))", ""] + wrappers)
    write(folder, "special.h", ["#ifndef PARCAST_SPECIAL_H", "#define PARCAST_SPECIAL_H", "#include <mpi.h>"] + special + ["#endif"])
    write(folder, "fortran.c", fortran([name for name, _, _ in calls if name.startswith("MPI_") and "(" not in name]))


if __name__ == "__main__":
    main(*sys.argv[1:])
