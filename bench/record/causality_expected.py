# SPDX-License-Identifier: Apache-2.0
"""What a recording must contain of a script (causality_scripts.py): a small interpreter of its own, which
uses only what the program itself noted of a run, never what was recorded.

expected(program, observed) returns per rank a list of Event."""
import collections
import dataclasses

ANY, NONE = -1, -2
WIDTH = {"b": 1, "i": 4, "d": 8, "v": 8}
NAMES = {
    "send": "MPI_Send", "ssend": "MPI_Ssend", "bsend": "MPI_Bsend", "rsend": "MPI_Rsend",
    "isend": "MPI_Isend", "issend": "MPI_Issend", "ibsend": "MPI_Ibsend", "irsend": "MPI_Irsend",
}
MODES = ("send_init", "ssend_init", "bsend_init")
POLLS = {"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe", "MPI_Improbe"}


class Contradiction(Exception):
    """The program saw values that the script does not allow: the generator or the library is wrong, not the
    recorder."""


@dataclasses.dataclass
class Message:
    sender: int
    tag: int
    size: int
    mode: str
    given: "Event" = None   # event where its sending began
    taken: "Event" = None   # event where its receive was started


@dataclasses.dataclass
class Event:
    call: str
    region: str
    comm: object = None         # the script's number; None: unknown
    send: tuple = None          # world rank or None, tag, bytes
    receive: tuple = None
    collective: tuple = None    # root, bytes, received bytes
    created: int = None
    request: int = None         # number of requests that this rank had started before
    done: list = dataclasses.field(default_factory=list)  # (request, received message or None)
    continued: bool = False
    calls: int = 1              # a loop of polls
    messages: list = dataclasses.field(default_factory=list)  # received by the time that it ends
    synchronous: list = dataclasses.field(default_factory=list)  # sends that are matched when it ends
    # collectives that are complete when it ends: (comm, number)
    joins: list = dataclasses.field(default_factory=list)
    origin: str = ""            # the script's line
    enter: int = 0              # from the recording, nanoseconds of the host's clock
    exit: int = 0

    def poll(self):
        return self.call in POLLS and not self.done and not self.receive


@dataclasses.dataclass(eq=False)
class Request:
    kind: str
    words: tuple
    comm: int
    persistent: bool = False
    active: bool = True
    handle: int = 0
    serial: int = None
    starts: int = 0
    message: int = None         # for a send: the message under way
    posted: Event = None
    join: tuple = None


class Rank:
    """Executes the lines of one rank."""

    def __init__(self, rank, whole, observed, first_serial):
        self.rank, self.whole = rank, whole
        self.observed = observed
        self.requests, self.chains = {}, collections.defaultdict(collections.deque)
        self.serials, self.path, self.events = first_serial, [], []
        self.collectives, self.unused = collections.Counter(), set()
        self.line, self.origin, self.seen = 0, "", None

    def walk(self, lines):
        for self.line, words in enumerate(lines):
            self.origin = f"{self.rank} {' '.join(map(str, words))}"
            self.seen = iter(self.observed[self.line])
            if words[0] in NAMES:
                self.send(*words)
            else:
                getattr(self, "do_" + words[0].replace("_ignore", ""))(*words[1:])
            if next(self.seen, None) is not None:
                raise Contradiction(f"{self.origin}: the program noted more than this line has")
        return self.events

    def see(self):
        return next(self.seen)

    def add(self, call, **what):
        self.unused.discard(what.get("comm"))
        self.events.append(Event(call, "/".join(self.path), origin=self.origin, **what))
        return self.events[-1]

    def polls(self, call, count, **what):
        if count:
            self.add(call, calls=count, **what)

    def world(self, comm, rank):
        return None if rank == NONE else "any" if rank == ANY else self.whole.members[comm][rank]

    def sent(self, comm, to, tag, count, kind):
        return (self.world(comm, to), tag, 0 if to == NONE else count * WIDTH[kind])

    # messages

    def arrived(self, payload, planned, source, size=None):
        """The number of the message that came; by its first word, or by the plan where it has none. 0: from
        no one."""
        if source == NONE:
            return 0
        plan = self.whole.planned.get(planned)
        if payload == -1 and plan is None or payload != -1 and plan not in (None, payload):
            raise Contradiction(f"{self.origin}: message {payload} came, {plan} was to come")
        return plan if payload == -1 else payload

    def received(self, number):
        if number == 0:
            return (None, -1, 0)
        message = self.whole.messages[number]
        return (message.sender, message.tag, message.size)

    def send(self, name, *words):
        if name[0] == "i":
            number, comm, to, tag, count, kind, message = words
            request = self.requests[number] = Request("send", words, comm, message=message)
            event = self.start(request, NAMES[name], send=self.sent(comm, to, tag, count, kind), comm=comm)
            self.follow(request, self.see())
        else:
            comm, to, tag, count, kind, message = words
            event = self.add(NAMES[name], send=self.sent(comm, to, tag, count, kind), comm=comm)
            if name == "ssend" and to != NONE:
                event.synchronous.append(message)
        self.whole.messages[message].given = event

    def take(self, event, number):
        event.messages.append(number)
        if number:
            self.whole.messages[number].taken = event

    def do_recv(self, comm, source, tag, count, kind):
        number = self.arrived(self.see(), (self.rank, self.line), source)
        self.take(self.add("MPI_Recv", receive=self.received(number), comm=comm), number)

    def do_sendrecv(
        self, comm, to, tag, count, kind, message, comm_again, source, received_tag, room, room_kind
    ):
        self.exchange("MPI_Sendrecv", comm, to, tag, count, kind, message, source)

    def do_sendrecv_replace(self, comm, to, tag, count, kind, message, source, received_tag):
        self.exchange("MPI_Sendrecv_replace", comm, to, tag, count, kind, message, source)

    def exchange(self, call, comm, to, tag, count, kind, message, source):
        payload = self.see()
        number = self.arrived(
            -1 if source != NONE and payload == message else payload, (self.rank, self.line), source
        )
        event = self.add(
            call, send=self.sent(comm, to, tag, count, kind), receive=self.received(number), comm=comm
        )
        self.whole.messages[message].given = event
        self.take(event, number)

    def probe(self, call, then, comm, source, polls):
        """The receive is unknown before its payload."""
        number = self.arrived(self.see(), (self.rank, self.line), source)
        self.polls(call, polls, comm=comm)
        found = None if number == 0 and call in POLLS else self.received(number)
        self.add(call, receive=found, comm=comm, messages=[number])
        # no message, so no communicator in which it was searched
        matched = then == "MPI_Mrecv" and source == NONE
        self.take(self.add(then, receive=self.received(number), comm=None if matched else comm), number)

    def do_probe(self, comm, source, *rest):
        self.probe("MPI_Probe", "MPI_Recv", comm, source, 0)

    def do_iprobe(self, comm, source, *rest):
        polls = self.see()
        self.probe("MPI_Iprobe", "MPI_Recv", comm, source, polls)

    def do_mprobe(self, comm, source, *rest):
        self.probe("MPI_Mprobe", "MPI_Mrecv", comm, source, 0)

    def do_improbe(self, comm, source, *rest):
        polls = self.see()
        self.probe("MPI_Improbe", "MPI_Mrecv", comm, source, polls)

    def do_mprobe_imrecv(self, number, comm, source, tag, count, kind, call="MPI_Mprobe", polls=0):
        """The completion shows what the probe found."""
        self.polls(call, polls, comm=comm)
        found = self.add(call, receive="by completion", comm=comm)
        request = self.requests[number] = Request("receive", (comm, source, tag, count, kind), comm)
        request.found = found
        self.start(request, "MPI_Imrecv", receive=("any", -1, count * WIDTH[kind]), comm=comm)
        self.follow(request, self.see())

    def do_improbe_imrecv(self, *words):
        polls = self.see()
        self.do_mprobe_imrecv(*words, call="MPI_Improbe", polls=polls)

    # requests

    def start(self, request, call, **what):
        self.serials += 1
        request.serial, request.active = self.serials, True
        request.posted = self.add(call, request=request.serial, **what)
        return request.posted

    def follow(self, request, handle):
        """Requests that share a handle cannot be distinguished: the first started is the first complete."""
        request.handle = handle
        self.chains[handle].append(request)

    def do_irecv(self, number, comm, source, tag, count, kind):
        request = self.requests[number] = Request("receive", (comm, source, tag, count, kind), comm)
        self.start(request, "MPI_Irecv", receive=self.sent(comm, source, tag, count, kind), comm=comm)
        self.follow(request, self.see())

    def do_recv_init(self, number, *words, kind="receive"):
        request = self.requests[number] = Request(kind, words, words[0], persistent=True, active=False)
        self.follow(request, self.see())

    def do_send_init(self, *words):
        self.do_recv_init(*words, kind="send")

    do_ssend_init = do_bsend_init = do_send_init

    def do_start(self, *words):
        self.start_persistent("MPI_Start", words)

    def do_startall(self, count, *words):
        self.start_persistent("MPI_Startall", words)

    def start_persistent(self, call, words):
        for i in range(0, len(words), 2):
            request, message = self.requests[words[i]], words[i + 1]
            request.starts += 1
            side = {request.kind: self.sent(*request.words)}
            event = self.start(request, call, comm=request.comm, continued=i > 0, **side)
            if request.kind == "send":
                request.message = message
                self.whole.messages[message].given = event
            now = self.see()
            if now != request.handle:  # restarted under another handle, its last message still under way
                self.chains[request.handle].remove(request)
                self.follow(request, now)

    def do_request_free(self, number):
        self.chains[self.requests.pop(number).handle].popleft()

    def do_cancel(self, number):
        self.add("MPI_Cancel")
        self.requests[number].cancelled = True

    def complete(self, event, number, payload):
        request = self.requests[number]
        recorded_as = self.chains[request.handle][0]  # the recording's name for it
        what = None
        if request.kind == "receive" and not getattr(request, "cancelled", False):
            message = self.arrived(payload, (self.rank, number, request.starts), request.words[1])
            event.messages.append(message)
            if message:
                what = self.received(message)
                self.whole.messages[message].taken = request.posted
            if hasattr(request, "found"):
                request.found.receive = self.received(message)
                request.found.messages.append(message)
        elif request.kind == "send" and self.whole.messages[request.message].mode in ("issend", "ssend_init"):
            event.synchronous.append(request.message)
        if request.join:
            event.joins.append(request.join)
        event.done.append((recorded_as.serial, what))
        request.active = False
        if not request.persistent:
            self.chains[request.handle].popleft()
            del self.requests[number]

    def is_open(self, number):
        return number in self.requests and self.requests[number].active

    def payload(self, number):
        return self.see() if self.requests[number].kind == "receive" else None

    def do_wait(self, number):
        event = self.add("MPI_Wait")
        if self.is_open(number):
            self.complete(event, number, self.payload(number))
        else:
            self.rest()

    def rest(self):
        collections.deque(self.seen, maxlen=0)  # data of a receive that completed before

    def do_test(self, number):
        polls = self.see()
        if not self.is_open(number):
            self.add("MPI_Test")
            self.rest()
            return
        self.polls("MPI_Test", polls)
        if polls == 0:
            self.complete(self.add("MPI_Test"), number, self.payload(number))

    def do_test_loop(self, number):
        polls = self.see()
        self.polls("MPI_Test", polls)
        event = self.add("MPI_Test")
        if self.is_open(number):
            self.complete(event, number, self.payload(number))
        else:
            self.rest()

    def all(self, call, numbers):
        event = self.add(call)
        for number in numbers:
            payload = self.see()
            if self.is_open(number):
                self.complete(event, number, payload)

    def do_waitall(self, count, *words):
        self.all("MPI_Waitall", words[:count])

    def do_testall_loop(self, count, *words):
        self.polls("MPI_Testall", self.see())
        self.all("MPI_Testall", words[:count])

    def any(self, call, numbers):
        index = self.see()
        event = self.add(call)
        if index >= 0:
            self.complete(event, numbers[index], self.payload(numbers[index]))
        elif any(self.is_open(number) for number in numbers):
            raise Contradiction(f"{self.origin}: nothing was left, but requests are open")
        return index >= 0

    def do_waitany(self, count, *numbers):
        self.any("MPI_Waitany", numbers)

    def do_waitany_loop(self, count, *numbers):
        while self.any("MPI_Waitany", numbers):
            pass

    def do_testany_loop(self, count, *numbers):
        goes_on = True
        while goes_on:
            self.polls("MPI_Testany", self.see())
            goes_on = self.any("MPI_Testany", numbers)

    def some(self, call, numbers):
        count = self.see()
        chosen = [numbers[self.see()] for _ in range(count)]
        event = self.add(call)
        for number in chosen:
            self.complete(event, number, self.payload(number))
        return count >= 0

    def do_waitsome_loop(self, count, *numbers):
        while self.some("MPI_Waitsome", numbers):
            pass

    def do_testsome_loop(self, count, *numbers):
        goes_on = True
        while goes_on:
            self.polls("MPI_Testsome", self.see())
            goes_on = self.some("MPI_Testsome", numbers)

    # collectives and the rest

    def volume(self, name, comm, root, count, kind, counts):
        """Bytes sent and received."""
        members = self.whole.members[comm]
        size, here = len(members), members.index(self.rank)
        at_root, one = here == root, count * WIDTH[kind]
        each = [WIDTH[kind] * c for c in counts]
        return {"barrier": lambda: (0, 0),
                "bcast": lambda: (one, 0) if at_root else (0, one),
                "reduce": lambda: (one, one if at_root else 0),
                "gather": lambda: (one, one * size if at_root else 0),
                "scatter": lambda: (one * size if at_root else 0, one),
                "gatherv": lambda: (each[here], sum(each) if at_root else 0),
                "allgather": lambda: (one, one * size),
                "allgatherv": lambda: (each[here], sum(each)),
                "alltoall": lambda: (one * size, one * size),
                "alltoallv": lambda: (each[here] * size, sum(each)),
                "reduce_scatter_block": lambda: (one * size, one)}.get(name, lambda: (one, one))()

    def join(self, name, comm, root, count, counts):
        """Returns the number of a collective on its communicator; all members count alike."""
        self.collectives[comm] += 1
        key = comm, self.collectives[comm]
        self.whole.joined.setdefault(key, (name, root, counts or [count], {}))
        return key

    def do_collective(self, name, comm, root, count, kind, *counts):
        event = self.add("MPI_" + name.capitalize(), comm=comm)
        self.describe(event, name, comm, root, count, kind, counts)
        event.joins.append(self.join(name, comm, root, count, counts))
        self.whole.joined[event.joins[0]][3][self.rank] = event

    def describe(self, event, name, comm, root, count, kind, counts):
        rooted = name in ("bcast", "reduce", "gather", "gatherv", "scatter")
        event.collective = (
            self.world(comm, root) if rooted else None, *self.volume(name, comm, root, count, kind, counts),
        )

    def do_icollective(self, name, number, comm, root, count, kind, *counts):
        request = self.requests[number] = Request("collective", (), comm)
        event = self.start(request, "MPI_I" + name, comm=comm)
        self.describe(event, name, comm, root, count, kind, counts)
        request.join = self.join(name, comm, root, count, counts)
        self.whole.joined[request.join][3][self.rank] = event
        self.follow(request, self.see())

    def do_dup(self, comm, made):
        self.add("MPI_Comm_dup", comm=comm, created=made)

    def do_idup(self, number, comm, made):
        request = self.requests[number] = Request("collective", (), comm)
        self.unused.add(made)
        self.start(request, "MPI_Comm_idup", comm=comm)
        self.follow(request, self.see())

    def do_split(self, comm, color, key, made):
        self.add("MPI_Comm_split", comm=comm, created=None if made < 0 else made)

    def do_create(self, comm, tag, size, *words, call="MPI_Comm_create"):
        self.add(call, comm=comm, created=None if words[size] < 0 else words[size])

    def do_create_group(self, *words):
        self.do_create(*words, call="MPI_Comm_create_group")

    def do_free(self, comm):
        """A recorder need not know the members of an unused communicator from MPI_Comm_idup."""
        self.add("MPI_Comm_free", comm=None if comm in self.unused else comm)

    def do_program(self, number):
        pass

    def do_compute(self, microseconds):
        pass

    def do_begin(self, name):
        self.path.append(name)
        self.add("parcast_region_begin")

    def do_end(self):
        self.add("parcast_region_end")
        self.path.pop()


def members_of(lines):
    """World ranks of each communicator, from its members' notes of how it was made."""
    members, listed = {0: list(range(len(lines)))}, {}
    makers = [(rank, words) for rank, of_rank in enumerate(lines) for words in of_rank]
    for rank, words in makers:
        if words[0] == "split" and words[4] >= 0:
            listed.setdefault(words[4], (words[1], []))[1].append((words[3], rank))
    derived = {w[-1]: (w[-2], None) for _, w in makers if w[0] in ("dup", "idup")}
    derived.update(
        {
            w[-1]: (w[1], w[4 : 4 + w[3]])
            for _, w in makers
            if w[0] in ("create", "create_group") and w[-1] >= 0
        }
    )
    for made in sorted(set(listed) | set(derived)):  # a parent has the smaller number
        if made in listed:
            parent, chosen = listed[made]
            members[made] = [
                rank for key, rank in sorted(chosen, key=lambda c: (c[0], members[parent].index(c[1])))
            ]
        else:
            parent, ranks = derived[made]
            members[made] = list(members[parent]) if ranks is None else [members[parent][i] for i in ranks]
    return members


class Whole:
    """Data that the ranks of a program share: messages by number, members of communicators, collectives."""

    def __init__(self, lines, planned):
        self.planned, self.members, self.messages, self.joined = planned, members_of(lines), {}, {}
        for rank, of_rank in enumerate(lines):
            prepared = {}
            for words in of_rank:
                self.note(rank, words, prepared)

    def note(self, rank, words, prepared):
        name = words[0]
        if name in NAMES:
            self.messages[words[-1]] = Message(rank, words[-4], words[-3] * WIDTH[words[-2]], name)
        elif name.startswith("sendrecv"):
            self.messages[words[6]] = Message(rank, words[3], words[4] * WIDTH[words[5]], name)
        elif name in MODES:
            prepared[words[1]] = Message(rank, words[4], words[5] * WIDTH[words[6]], name)
        elif name in ("start", "startall"):
            pairs = words[1:] if name == "start" else words[2:]
            for number, message in zip(pairs[::2], pairs[1::2]):
                if message >= 0:
                    self.messages[message] = dataclasses.replace(prepared[number])


def expected(program, observed, first_serials):
    """Returns the events per rank, and the shared data."""
    whole = Whole(program.lines, program.planned)
    ranks = [Rank(r, whole, observed[r], first_serials[r]) for r in range(len(program.lines))]
    return [rank.walk(program.lines[rank.rank]) for rank in ranks], whole, [rank.serials for rank in ranks]
