#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates the wrappers of the recorder: generate.py CALLS.TABLE FOLDER FAMILY=MPI.H...

Writes calls.h and calls.c (the calls of all families), entries.c (the functions that programs call),
families.h, linked.c and parcast-record-FAMILY.link (for programs with a statically linked MPI), and for each
family FAMILY.c, to be compiled with that mpi.h.

Fails when an mpi.h declares a function that the table does not list, so that no call is silently ignored. A
row for a function that an mpi.h lacks is left out for that family."""

import copy
import re
import sys
from pathlib import Path

CLASSES = """none initialise finalise send receive send_receive start_send start_receive wait test probe poll
collective start_collective communicator region_begin region_end
one_sided epoch input_output""".split()
PATTERNS = (
    "none barrier broadcast reduce allreduce gather scatter allgather alltoall reduce_scatter scan"
    " neighbourhood".split()
)
WRAPPED_WITHOUT_EVENT = ("unfollowed", "prepares", "releases")
SPECIAL = {  # written by hand: class of their events
    "MPI_Init": "initialise",
    "MPI_Init_thread": "initialise",
    "MPI_Finalize": "finalise",
    "MPI_Abort": "none",
    "MPI_Start": "start_send",
    "MPI_Startall": "start_send",
    "MPI_Pcontrol": "none",
}
OWN = {"parcast_region_begin": "region_begin", "parcast_region_end": "region_end", "parcast_classes": "none",
       "MPI_Start(receive)": "start_receive", "MPI_Startall(receive)": "start_receive"}
PERSISTENT_MODES = {"MPI_Bsend_init": "PARCAST_SENDS_BUFFERED", "MPI_Ssend_init": "PARCAST_SENDS_SYNCHRONOUS"}
ASKED = ["any_source", "any_tag", "anything"]  # in this order: bit 0 any source, bit 1 any tag, less 1


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
    """Returns the prototypes in mpi.h and in MPICH's further headers. Function types and macros are
    skipped."""
    folder = Path(path).parent
    files = [Path(path)] + [folder / name for name in ("mpi_proto.h", "mpio.h") if (folder / name).exists()]
    text = re.sub(r"/\*.*?\*/", " ", "\n".join(f.read_text() for f in files), flags=re.S)
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.M)
    found = {}
    mark = (
        r"(?:\s*(?:__mpi_interface\w*|(?:MPICH|ROMIO)_ATTR\w*)\s*\([^;]*?\)|\s*(?:MPICH|ROMIO)_API_PUBLIC)*"
    )
    for match in re.finditer(r"\b(int|double|MPI_\w+)\s+(MPI_\w+)\s*\(([^;{}]*?)\)" + mark + r"\s*;", text):
        result, name, arguments = match.groups()
        found[name] = Prototype(result, name, arguments)
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

    def renamed(self, name):
        row = copy.copy(self)
        row.name = name
        return row

    def of(self, prototype, path):
        """Returns the row with this header's argument names; rows list names that differ as a|b."""
        known = {name for _, name in prototype.parameters} | {"-"}

        def choose(text):
            for name in text.split("|"):
                if (
                    name in known
                    or name.isdigit()
                    or name.startswith(("MPI_ANY", "MPI_LOCK_", "MPI_PROC_NULL"))
                ):
                    return name
            sys.exit(
                f"{path}: error: {self.name} has no argument {text}, but {', '.join(sorted(known - {'-'}))}"
            )
        row = copy.copy(self)
        row.what = {}
        for key, arguments in self.what.items():
            if key == "volume":
                shape, names = arguments.split(":")
                row.what[key] = (shape.strip(), [choose(n.strip()) for n in names.split(",")])
            else:
                row.what[key] = [choose(a) for a in arguments]
        row.names = prototype.names()
        row.arrays = {
            name for text, name in prototype.parameters if re.search(r"\b(int|MPI_Count)\b.*(\*|\[)", text)
        }
        return row


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
    """Returns the function's name; rows that share a name have a remark in brackets."""
    return name.split("(")[0]


def request_kind(row):
    if row.kind == "prepares" and "send" in row.what:
        return PERSISTENT_MODES.get(row.name.removesuffix("_c"), "PARCAST_SENDS")
    return {"start_send": "PARCAST_SENDS", "start_receive": "PARCAST_RECEIVES"}.get(
        row.kind,
        (
            "PARCAST_RECEIVES"
            if "receive" in row.what
            else "PARCAST_SENDS" if "send" in row.what else "PARCAST_OTHER"
        ),
    )


def started_kind(row):
    """Returns the kind of a started request. A receive from MPI_PROC_NULL needs its own kind: in MPICH its
    status has no valid source."""
    source = row.what["receive"][0] if row.kind == "start_receive" else "MPI_ANY_SOURCE"
    return (
        request_kind(row)
        if source == "MPI_ANY_SOURCE"
        else f"{source} == MPI_PROC_NULL ? PARCAST_OTHER : {request_kind(row)}"
    )


def may_ask_for_any(row):
    """Returns whether the call is a blocking receive that may name any source or tag."""
    return row.kind in ("receive", "send_receive") and row.what["receive"][0] != "MPI_ANY_SOURCE"


def calls_that_ask(row):
    """Returns the names of the further calls that represent executions with any source or any tag."""
    return [f"{row.name}({asked})" for asked in ASKED] if may_ask_for_any(row) else []


def number_of(row):
    """Returns the number of the call, as a C expression."""
    if not may_ask_for_any(row):
        return identifier(row.name)
    source, tag = row.what["receive"][:2]
    first = identifier(calls_that_ask(row)[0])
    return f"asking({identifier(row.name)}, {first}, {source} == MPI_ANY_SOURCE, {tag} == MPI_ANY_TAG)"


def status_lines(status):
    """Returns lines before the call: the recorder's own status when the program ignores the status."""
    return ["  MPI_Status own_status;", f"  if ({status} == MPI_STATUS_IGNORE) {status} = &own_status;"]


def before(row):
    lines = []
    w = row.what
    if "receive" in w and w["receive"][4] != "-":
        lines += status_lines(w["receive"][4])
    if "asks" in w:
        lines += status_lines(w["asks"][3])
    if "reads" in w and w["reads"][2] != "-":
        lines += status_lines(w["reads"][2])
    if "one" in w:
        lines += status_lines(w["one"][2]) + [f"  const MPI_Request waited = *{w['one'][0]};"]
    if "any" in w:
        lines += status_lines(w["any"][4])
        lines += waiting(w["any"][0], w["any"][1], "NULL", row)
    if "all" in w:
        lines += waiting(w["all"][0], w["all"][1], w["all"][3], row) + [
            f"  {w['all'][3]} = waiting.statuses;"
        ]
    if "some" in w:
        lines += waiting(w["some"][0], w["some"][1], w["some"][4], row) + [
            f"  {w['some'][4]} = waiting.statuses;"
        ]
    if "cancels" in w:  # before the call: another thread may complete the request meanwhile
        lines.append(f"  const uint64_t to_cancel = parcast_request_serial(HANDLE(*{w['cancels'][0]}));")
    if "message" in w:
        lines.append(
            f"  const parcast_handle matched_in = parcast_message_communicator(HANDLE(*{w['message'][0]}));"
        )
    for key, (kind, handle) in HOLDERS.items():
        if key in w:
            lines.append(
                f"  const struct parcast_comm* held = parcast_holder_communicator({kind},"
                f" {handle.format(w[key][0])});"
            )
    if "window" in w:
        lines.append(f"  const int window = parcast_window_number(HANDLE({w['window'][0]}));")
    for key, (kind, handle) in GOING.items():
        if key in w:
            lines += [f"  const parcast_handle going = {handle.format('*' + w[key][0])};",
                      f"  const struct parcast_comm* held = parcast_holder_communicator({kind}, going);",
                      "  const struct parcast_comm copy = {.id = held ? held->id : 0};",
                      # another thread may get the handle before the call returns
                      f"  parcast_holder_gone({kind}, going);"]
    if "frees" in w:
        lines.append(
            f"  const struct parcast_comm* freed = parcast_communicator_seen(HANDLE(*{w['frees'][0]}));"
        )
        lines.append("  const struct parcast_comm copy = {.id = freed ? freed->id : 0};")
    return lines


HOLDERS = {"at": ("PARCAST_WINDOW", "HANDLE({})"), "of": ("PARCAST_FILE", "FILE_HANDLE({})")}
MAKING = {"makes": ("PARCAST_WINDOW", "HANDLE({})"), "opens": ("PARCAST_FILE", "FILE_HANDLE({})")}
GOING = {"ends": ("PARCAST_WINDOW", "HANDLE({})"), "closes": ("PARCAST_FILE", "FILE_HANDLE({})")}


def waiting(count, requests, statuses, row):
    return ["  struct waiting waiting;",
            f"  if (!begin_waiting(&open, &waiting, {count}, {requests}, {statuses})) {{",
            f"    parcast_give_up(&open);", f"    return next({row.names});", "  }"]


def sent(arguments, target="sent"):
    peer, tag, count, kind = arguments[:4]
    return [f"  parts.flags |= {'PARCAST_HAS_MESSAGE' if target == 'sent' else 'PARCAST_HAS_RECEIVED'};",
            f"  parts.{target}_peer = {peer}, parts.{target}_tag = {tag};",
            f"  parts.{target}_bytes = {peer} == MPI_PROC_NULL ? 0 : bytes_of({count}, {kind});"]


def received(status):
    return ["  parts.flags |= PARCAST_HAS_RECEIVED;",
            f"  parts.received_peer = {status}->MPI_SOURCE, parts.received_tag = {status}->MPI_TAG;",
            f"  parts.received_bytes = status_bytes({status});"]


def moved(target, peer, count, kind, op=None):
    """Returns lines for a transfer. With MPI_NO_OP nothing is sent; count and datatype are ignored."""
    nothing = f"{peer} == MPI_PROC_NULL" + (f" || is_no_op({op})" if op else "")
    return [f"  parts.flags |= {'PARCAST_HAS_MESSAGE' if target == 'sent' else 'PARCAST_HAS_RECEIVED'};",
            f"  parts.{target}_peer = {peer};",
            f"  parts.{target}_bytes = {nothing} ? 0 : bytes_of({count}, {kind});"]


def of_epoch(w):
    """Returns lines for an epoch. The window's number is in the tag field of a received message; its bytes
    are 1 when the program gives MPI_MODE_NOCHECK."""
    if "window" not in w:
        return []
    lines = [
        "  parts.flags |= PARCAST_HAS_RECEIVED;",
        "  parts.received_peer = MPI_PROC_NULL, parts.received_tag = window;",
    ]
    asserted = (w.get("locks") or w.get("group") or [None])[-1]
    if asserted:
        lines.append(f"  parts.received_bytes = ({asserted} & MPI_MODE_NOCHECK) != 0;")
    named = (
        w["locks"][1]
        if "locks" in w
        else w["owner"][0] if "owner" in w else "MPI_PROC_NULL" if "group" in w else None
    )
    if named:
        lines += ["  parts.flags |= PARCAST_HAS_MESSAGE;", f"  parts.sent_peer = {named};"]
    if "locks" in w:
        lines.append(
            f"  parts.sent_tag = {w['locks'][0]} == MPI_LOCK_EXCLUSIVE ? PARCAST_LOCKS_ALONE :"
            " PARCAST_LOCKS_TO_SHARE;"
        )
    if "group" in w:
        lines += [f"  parts.sent_tag = list_group(open.thread, {w['group'][0]});",
                  "  if (parts.sent_tag < 0) parts.sent_tag = parts.received_tag = 0;"]  # unknown
    if "ended" in w:
        lines += when(
            f"*{w['ended'][0]}",
            [
                "  parts.flags |= PARCAST_HAS_MESSAGE;",
                "  parts.sent_peer = MPI_PROC_NULL, parts.sent_tag = PARCAST_EPOCH_ENDED;",
            ],
        )
    return lines


def file_bytes(target, amount):
    return [f"  parts.flags |= {'PARCAST_HAS_MESSAGE' if target == 'sent' else 'PARCAST_HAS_RECEIVED'};",
            f"  parts.{target}_peer = MPI_PROC_NULL;", f"  parts.{target}_bytes = {amount};"]


def when(condition, lines):
    return [f"  if ({condition}) {{"] + ["  " + line for line in lines] + ["  }"]


def after(row):
    w, lines = row.what, []
    if "in" in w:
        lines.append(f"  parts.communicator = HANDLE({w['in'][0]});")
    if "message" in w:
        lines.append("  parts.communicator = matched_in;")
    if "send" in w:
        lines += sent(w["send"])
    if "receive" in w:
        status = w["receive"][4]
        lines += (
            sent(w["receive"], "received")
            if status == "-"
            else when("result == MPI_SUCCESS", received(status))
        )
    if "asks" in w:
        source, tag, flag, status = w["asks"]
        lines += [
            "  parts.flags |= PARCAST_HAS_MESSAGE;", f"  parts.sent_peer = {source}, parts.sent_tag = {tag};",
        ]
        condition = "result == MPI_SUCCESS" + (f" && *{flag}" if flag != "-" else "")
        found = received(status)
        if "matched" in w:
            found.append(f"  parcast_message_matched(HANDLE(*{w['matched'][0]}), parts.communicator);")
        lines += when(condition, found)
    for key in HOLDERS:
        if key in w:
            lines.append("  parts.known = held;")
    for key in GOING:
        if key in w:
            lines += ["  parts.known = held ? &copy : NULL;"]
    for key, (kind, handle) in MAKING.items():
        if key in w:
            made = handle.format("*" + w[key][0])
            lines += when(
                "result == MPI_SUCCESS",
                [f"  parcast_holder_made(open.thread, {kind}, {made}, parts.communicator);"],
            )
    lines += of_epoch(w)
    if "puts" in w:
        lines += moved("sent", *w["puts"])
    if "gets" in w:
        lines += moved("received", *w["gets"])
    if "writes" in w:
        lines += file_bytes("sent", "bytes_of({}, {})".format(*w["writes"]))
    if "reads" in w:
        count, kind, status = w["reads"]
        lines += file_bytes("received", f"bytes_of({count}, {kind})" if status == "-" else
                            f"result == MPI_SUCCESS ? status_bytes({status}) : 0")
    if "volume" in w:
        shape, names = w["volume"]
        arguments = ", ".join(f"COUNTS({name})" if name in row.arrays else name for name in names)
        lines.append(f"  volume_{shape}(open.thread, &parts, {arguments});")
        if "root" in w:
            lines.append(f"  name_root(&parts, {w['root'][0]});")
    if "starts" in w:
        lines += when(
            "result == MPI_SUCCESS",
            [
                "  parts.flags |= PARCAST_HAS_REQUEST;",
                (
                    f"  parts.request = parcast_request_started(open.thread, HANDLE(*{w['starts'][0]}),"
                    f" {started_kind(row)}, parts.communicator);"
                ),
            ],
        )
    if "creates" in w:
        lines += when("result == MPI_SUCCESS", [f"  name_created(&open, &parts, *{w['creates'][0]});"])
    if "cancels" in w:
        lines += ["  parts.request = to_cancel;", "  if (to_cancel) parts.flags |= PARCAST_HAS_REQUEST;"]
    if "frees" in w:
        lines.append("  parts.known = freed ? &copy : NULL;")
    if "one" in w:
        request, flag, status = w["one"]
        lines += when("result == MPI_SUCCESS" + (f" && *{flag}" if flag != "-" else ""),
                      [f"  completed_one(open.thread, waited, {status});"])
    if "any" in w:
        _, _, index, flag, status = w["any"]
        lines += when(
            "result == MPI_SUCCESS" + (f" && *{flag}" if flag != "-" else "") + f" && *{index} >= 0",
            [f"  completed_one(open.thread, waiting.requests[*{index}], {status});"],
        )
    return lines


def after_some_failed(row):
    """Returns lines for several requests: some may be complete although others failed."""
    w, lines = row.what, []
    if "all" in w:
        flag = w["all"][2]
        lines += when(
            "(result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS)"
            + (f" && *{flag}" if flag != "-" else ""), ["  completed_all(open.thread, &waiting, result);"],
        )
    if "some" in w:
        _, _, count, indices, _ = w["some"]
        lines += when(f"(result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS) && *{count} > 0",
                      [f"  completed_some(open.thread, &waiting, {indices}, *{count});"])
    return lines


def recorded_class(row):
    return "PARCAST_RECORD_IO" if row.kind == "input_output" else "PARCAST_RECORD_MPI"


def found_nothing(row):
    """Returns the condition for an unsuccessful poll; empty for calls that are no polls."""
    for key, place in (("one", 1), ("any", 3), ("all", 2), ("asks", 2)):
        flag = row.what.get(key, ["-"] * 5)[place]
        if flag != "-":
            return f"!*{flag}"
    if "flag" in row.what:
        return f"!*{row.what['flag'][0]}"
    return f"*{row.what['some'][2]} == 0" if row.kind == "test" and "some" in row.what else ""


def entries(row, prototype):
    """Returns the functions that the C entries lead to while this family is recorded (entry.h)."""
    number, names = identifier(row.name), f", {row.names}" if row.names else ""
    before = []
    if names.endswith(", ..."):  # only MPI_Pcontrol: passes on four words of the arguments after the level
        names = names[:-3] + "more"
        last = row.names.split(", ")[-2]
        before = [
            "  va_list list;", f"  va_start(list, {last});",
            (
                "  const uint64_t more[4] = {va_arg(list, uint64_t), va_arg(list, uint64_t), va_arg(list,"
                " uint64_t), va_arg(list, uint64_t)};"
            ),
            "  va_end(list);",
        ]
    straight = (
        row.names if not before else ", ".join(row.names.split(", ")[:-1] + [f"more[{i}]" for i in range(4)])
    )
    return (
        [
            f"static {prototype.result} entry_{prototype.name}({prototype.arguments}) {{",
            f"  {prototype.pointer()} = NEXT({number});",
        ]
        + before
        + [
            f"  return recorded_{prototype.name}(next, parcast_caller(__builtin_return_address(0)){names});",
            "}",
            f"static {prototype.result} profiling_entry_{prototype.name}({prototype.arguments}) {{",
            f"  {prototype.pointer()} = NEXT_PROFILING({number});",
        ]
        + before
        + [
            f"  if (!parcast_is_binding(__builtin_return_address(0))) return next({straight});",
            f"  return recorded_{prototype.name}(next, parcast_take_fortran_site(){names});",
            "}",
        ]
    )


def recorded(prototype):
    arguments = f", {prototype.arguments}" if prototype.parameters else ""
    return (
        f"{prototype.result} recorded_{prototype.name}({prototype.pointer()}, const void*"
        f" call_site{arguments})"
    )


def body(row, prototype):
    lines = [f"RECORDED {recorded(prototype)} {{"]
    if row.kind == "releases":
        return lines + [
            "  (void)call_site;",
            f"  if (*parcast_gate) parcast_request_freed(HANDLE(*{row.what['starts'][0]}));",
            f"  return next({row.names});", "}",
        ]
    lines += [
        "  struct parcast_open open;",
        f"  if (!parcast_enter(&open, {recorded_class(row)})) return next({row.names});",
    ]
    if row.kind in ("unfollowed", "prepares"):
        lines += ["  (void)call_site;", "  parcast_settle(&open);"]
    if row.kind == "unfollowed":
        return lines + [
            f"  const {prototype.result} result = next({row.names});", "  parcast_leave(&open);",
            f"  parcast_finish_unfollowed(&open, {identifier(row.name)});", "  return result;", "}",
        ]
    lines += before(row)
    lines += [f"  const {prototype.result} result = next({row.names});", "  parcast_leave(&open);"]
    if row.kind == "prepares":
        peer, tag, count, kind = (row.what.get("send") or row.what["receive"])[:4]
        lines += when(
            "result == MPI_SUCCESS",
            [
                (
                    f"  parcast_request_prepared(open.thread, HANDLE(*{row.what['starts'][0]}),"
                    f" {request_kind(row)}, HANDLE({row.what['in'][0]}),"
                ),
                (
                    f"                           {peer}, {tag}, {peer} == MPI_PROC_NULL ? 0 :"
                    f" bytes_of({count}, {kind}));"
                ),
            ],
        )
        return lines + ["  parcast_finish_silent(&open);", "  return result;", "}"]
    lines += ["  struct parcast_parts parts;", f"  parcast_describe(&parts, {number_of(row)}, call_site);"]
    # after a failed call no function of MPI is called: it would fail again
    lines += when("result == MPI_SUCCESS", after(row)) if after(row) else []
    lines += after_some_failed(row)
    empty = found_nothing(row)
    if empty:
        lines += when(
            f"result == MPI_SUCCESS && {empty}", ["  parcast_finish_poll(&open, &parts);", "  return result;"]
        )
    return lines + ["  parcast_finish(&open, &parts);", "  return result;", "}"]


def fortran_names(name):
    """Returns the names by the compilers' conventions; f08: those of mpi_f08 in Open MPI and MPICH."""
    lower = name.lower()
    return [
        lower, lower + "_", lower + "__", name.upper(), lower + "_f08_", lower + "_f08ts_",
        lower + "_f08ts_large_",
    ]


def detail(row):
    """Returns the detail of the class: the pattern, or what a receiving call names."""
    return "ASKED_named" if row.kind in ("receive", "send_receive") else "PATTERN_" + row.pattern


def entries_file(calls):
    """Returns the functions that programs call, and their first target, parcast_entry_resolve."""
    names = calls + ["P" + call for call in calls]
    first_of_fortran = len(names)
    names += [name for call in calls for name in fortran_names(call)]
    own = {"MPI_Init", "MPI_Init_thread", "PMPI_Init", "PMPI_Init_thread"}
    lines = ['#include "record/mpi/recorder.h"', "const char* const parcast_entry_names[] = {"]
    lines += [f'  "{name}",' for name in names] + ["};", "parcast_function parcast_entries[] = {"]
    lines += [
        f"  (parcast_function)parcast_entry_{name}," if name in own else "  parcast_entry_unresolved,"
        for name in names
    ]
    lines += ["};", "__asm__(PARCAST_ENTRIES_BEGIN"]
    lines += [f'  PARCAST_ENTRY("{name}", "{i}")' for i, name in enumerate(calls)]
    lines += ["#if !defined(PARCAST_LINKED)"]
    lines += [f'  {"PARCAST_ENTRY" if i < first_of_fortran else "PARCAST_FORTRAN_ENTRY"}("{name}", "{i}")'
              for i, name in enumerate(names) if i >= len(calls)]
    return lines + ["#endif", "  PARCAST_ENTRIES_END);"]


def linked_file(declared):
    """Returns the library's functions by their profiling names; those that the linker lacks are null."""
    functions = sorted("P" + name for name in declared)
    variables = [
        "ompi_mpi_comm_world", "ompi_mpi_comm_self", "ompi_mpi_comm_null", "ompi_request_null",
        "ompi_message_no_proc", "ompi_mpi_datatype_null", "ompi_mpi_op_no_op",
    ]
    lines = ['#include "record/mpi/linked.h"']
    lines += [f"extern char {name}[] __attribute__((weak));" for name in functions + variables]
    lines += ["const struct parcast_linked parcast_linked[] = {"]
    lines += [f'  {{"{name}", {name}}},' for name in functions + variables]
    return lines + ["};", f"const unsigned parcast_linked_count = {len(functions) + len(variables)};"]


def asked_by_recorder():
    """Returns the functions of the library that the recorder itself calls, by their profiling names."""
    sources = [Path(__file__).parent / name for name in ("family.c", "family/handles.h")]
    return {name for source in sources for name in re.findall(r'"P(MPI_\w+)"', source.read_text())}


def link_options(names):
    """Returns linker options for functions of the library that only the recorder calls."""
    return "".join(f"-Wl,-u,P{name}\n" for name in sorted(names))


def family_file(family, rows, prototypes, table):
    """Returns the wrappers of one family, and the functions that the rest of the recorder uses."""
    lines = [
        '#include <stdarg.h>', '#include "calls.h"', '#include "record/mpi/family/completions.h"',
        '#include "record/mpi/family/members.h"', '#include "record/mpi/family/special.h"',
        '#include "record/mpi/family/volume.h"', '#include "record/mpi/next.h"', "",
        "#define RECORDED static inline __attribute__((always_inline))",
        "/* Of calls that receive: `named`, or one of the three from `first` on. */",
        "RECORDED uint32_t asking(uint32_t named, uint32_t first, bool any_source, bool any_tag) {",
        "  const uint32_t which = (uint32_t)any_source | (uint32_t)any_tag << 1;",
        "  return which ? first + which - 1 : named;", "}", "",
    ]
    names = []
    for name, row in rows.items():
        if name not in prototypes or name in ("MPI_Init", "MPI_Init_thread"):
            continue
        bound = row.of(prototypes[name], table)
        lines += (
            (body(bound, prototypes[name]) if row.wrapped() else []) + entries(bound, prototypes[name]) + [""]
        )
        names.append(name)
    for kind in ("entries", "profiling_entries"):
        prefix = "entry_" if kind == "entries" else "profiling_entry_"
        lines += [f"static const parcast_function {kind}[PARCAST_MPI_CALLS] = {{"]
        lines += [f"  [{identifier(name)}] = (parcast_function){prefix}{name}," for name in names] + ["};"]
    return lines + [
        "", f"const struct parcast_family parcast_{family} = {{",
        (
            "  is_family, find_library, start_family, ask_members, ask_dimensions, watch_communicator,"
            " MPI_ANY_SOURCE,"
        ),
        "  entries, profiling_entries};",
    ]


def write(folder, name, lines):
    write_text(
        folder, name,
        "\n".join(
            ["/* SPDX-License-Identifier: Apache-2.0 */", "/* Made by generate.py from calls.table. */"]
            + lines
        )
        + "\n",
    )


def write_text(folder, name, text):
    path = Path(folder) / name
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def with_large_counts(rows, declared):
    """Adds rows for MPI 4's calls with wider counts (MPI_Send_c for MPI_Send)."""
    out = {}
    for name, row in rows.items():
        out[name] = row
        if name + "_c" in declared and name + "_c" not in rows:
            out[name + "_c"] = row.renamed(name + "_c")
    return out


def main(table, folder, *headers):
    families = {}
    for text in headers:
        family, header = text.split("=", 1)
        families[family] = read_prototypes(header)
        if len(families[family]) < 300:
            sys.exit(
                f"{header}: error: found only {len(families[family])} functions; this is no mpi.h of MPI 3"
            )
    declared = set().union(*families.values())
    rows = with_large_counts(read_table(table), declared)
    missing = sorted(declared - set(rows))
    if missing:
        sys.exit(f"{table}: error: mpi.h declares functions that are not listed: {', '.join(missing)}")
    rows = {name: row for name, row in rows.items() if name in declared and row.kind != "local"}
    calls = [
        (
            name, SPECIAL[name] if row.kind == "special" else row.kind if row.kind in CLASSES else "none",
            detail(row),
        )
        for name, row in rows.items()
    ]
    everything = calls + [(name, kind, "PATTERN_none") for name, kind in OWN.items()]
    for row in rows.values():
        everything += [(name, row.kind, "ASKED_" + asked) for name, asked in zip(calls_that_ask(row), ASKED)]
    write(
        folder, "calls.h",
        [
            "#ifndef PARCAST_CALLS_H", "#define PARCAST_CALLS_H", "#include <stdint.h>",
            "enum parcast_call_number {",
        ]
        + [f"  {identifier(name)}," for name, _, _ in everything]
        + [
            "  PARCAST_CALL_COUNT,",
            f"  PARCAST_MPI_CALLS = {len(calls)} /* the first ones are functions of MPI */", "};",
            "struct parcast_call_row {", "  const char* name;", "  uint8_t call_class, pattern;", "};",
            "extern const struct parcast_call_row parcast_calls[PARCAST_CALL_COUNT];", "#endif",
        ],
    )
    write(
        folder, "calls.c",
        [
            '#include "calls.h"', '#include "recording/call_class.h"',
            "const struct parcast_call_row parcast_calls[PARCAST_CALL_COUNT] = {",
        ]
        + [
            f'  {{"{c_name(name)}", PARCAST_CLASS_{kind}, PARCAST_{pattern}}},'
            for name, kind, pattern in everything
        ]
        + ["};"],
    )
    write(folder, "entries.c", entries_file([name for name, _, _ in calls]))
    write(
        folder, "families.h",
        ["#ifndef PARCAST_FAMILIES_H", "#define PARCAST_FAMILIES_H", '#include "record/mpi/family.h"']
        + [f"extern const struct parcast_family parcast_{family};" for family in families]
        + [
            "static const struct parcast_family* const parcast_families[] = {"
            + ", ".join(f"&parcast_{f}" for f in families) + "};", "#endif",
        ],
    )
    needed = set(rows) | asked_by_recorder()
    write(folder, "linked.c", linked_file(needed))
    for family, prototypes in families.items():
        write_text(folder, f"parcast-record-{family}.link", link_options(needed & set(prototypes)))
        write(folder, family + ".c", family_file(family, rows, prototypes, table))


if __name__ == "__main__":
    main(*sys.argv[1:])
