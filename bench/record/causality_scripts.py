# SPDX-License-Identifier: Apache-2.0
"""Random correct programs as scripts for tests/record/programs/script.c; causality.py runs them.

A program is grown as one sequence of steps over all ranks, and each rank's script is its part of it. A step
that blocks is only taken where what it waits for comes earlier in the sequence or in the same step, so no
order in which the ranks run ends in a deadlock. A message and its receive are matched when the later of them
is started, in the order that MPI prescribes between two ranks; receives from any source are in races of their
own, under a tag or a communicator that nothing else uses, so that their outcome changes nothing else.
Program.planned holds what was matched: (rank, line) or (rank, request, start) -> message."""
import collections
import random

ANY, NONE = -1, -2
SIZES = {
    "b": [0, 4, 5, 7, 64, 1000, 5000, 70000], "i": [0, 4, 8, 24, 64, 400, 4096, 20000],
    "d": [0, 8, 64, 4096, 40000],
}
WIDTH = {"b": 1, "i": 4, "d": 8, "v": 8}
V_COLLECTIVES = ("allgatherv", "gatherv", "alltoallv")
ROOTED = ("bcast", "reduce", "gather", "scatter", "gatherv")
COLLECTIVES = (
    ("barrier", "allreduce", "allgather", "alltoall", "reduce_scatter_block", "scan", "exscan") + ROOTED
    + V_COLLECTIVES[::2]
)
SYNCHRONOUS = ("ssend", "issend", "ssend_init")


class Request:
    def __init__(self, rank, number, kind, comm, persistent=False):
        self.rank, self.number, self.kind, self.comm, self.persistent = rank, number, kind, comm, persistent
        self.active, self.ready, self.starts = not persistent, False, 0
        self.local = False   # complete without a partner
        self.tested = False  # so possibly already complete


class Posted:
    """A receive of the request or line, without a message yet."""
    def __init__(self, request, tag, base, room):
        self.request, self.tag, self.base, self.room = request, tag, base, room


class Sent:
    def __init__(self, number, tag, base, size, request):
        self.number, self.tag, self.base, self.size, self.request = number, tag, base, size, request


class Program:
    def __init__(self, processes, seed, steps=None):
        self.draw, self.p = random.Random(seed), processes
        self.lines = [[] for _ in range(processes)]
        self.planned = {}
        self.members = {0: list(range(processes))}  # communicator -> world ranks
        self.last_comm, self.wild = 0, set()
        # by (comm, source, destination)
        self.sent, self.posted = collections.defaultdict(list), collections.defaultdict(list)
        self.requests = [[] for _ in range(processes)]
        self.messages, self.tags, self.depth = 0, 100, [0] * processes
        for rank in range(processes):
            self.add(rank, "program", 0)
        self.add_collective(0, "barrier", False)
        for _ in range(steps or self.draw.randint(10, 45)):
            self.draw.choices(STEPS, WEIGHTS)[0](self)
        self.drain()

    # lines

    def add(self, rank, *words):
        self.lines[rank].append(words)
        return len(self.lines[rank]) - 1

    def text(self):
        return "".join(
            f"{rank} {' '.join(map(str, words))}\n"
            for rank, lines in enumerate(self.lines)
            for words in lines
        )

    def spelled(self, base, size):
        """Returns a count and a type with this number of bytes."""
        if base == "i" and size % 8 == 0 and self.draw.random() < 0.4:
            return size // 8, "v"
        return size // WIDTH[base], base

    def room(self, base, size):
        return self.spelled(base, size if self.draw.random() < 0.6 else size + 8 * self.draw.randint(0, 20))

    def rank_in(self, comm, rank):
        return self.members[comm].index(rank)

    def new_request(self, rank, kind, comm, persistent=False):
        request = Request(rank, len(self.requests[rank]), kind, comm, persistent)
        self.requests[rank].append(request)
        return request

    def new_message(self):
        self.messages += 1
        return self.messages

    def pair(self, least=2):
        """Returns a communicator for ordinary traffic, with two of its members, possibly the same one."""
        comm = self.draw.choice(
            [c for c, members in self.members.items() if c not in self.wild and len(members) >= least]
        )
        members = self.members[comm]
        source = self.draw.choice(members)
        others = [m for m in members if m != source] if least > 1 else members
        return comm, source, self.draw.choice(others)

    # matching

    def plan(self, receive, number):
        request = receive.request
        self.planned[
            (request.rank, request.number, request.starts) if isinstance(request, Request) else request
        ] = number
        if isinstance(request, Request):
            request.ready = True

    def partner(self, channel, tag):
        return next((r for r in self.posted[channel] if r.tag in (ANY, tag)), None)

    def give(self, channel, message):
        """Starts a message; returns whether a receive was waiting for it."""
        receive = self.partner(channel, message.tag)
        if not receive:
            self.sent[channel].append(message)
            return False
        self.posted[channel].remove(receive)
        self.plan(receive, message.number)
        if message.request:
            message.request.ready = True
        return True

    def take(self, channel, receive):
        message = next((m for m in self.sent[channel] if receive.tag in (ANY, m.tag)), None)
        if not message:
            self.posted[channel].append(receive)
            return None
        self.sent[channel].remove(message)
        self.plan(receive, message.number)
        if message.request:
            message.request.ready = True
        return message

    def draft(self, channel, tag=None):
        """Returns tag, base and size of a next message that fits the receive it will match."""
        waiting = self.posted[channel]
        if tag is None:
            tag = self.draw.choice([1, 2, 3] + [r.tag for r in waiting if r.tag != ANY])
        receive = self.partner(channel, tag)
        base = receive.base if receive else self.draw.choice("bid")
        return tag, base, self.draw.choice([s for s in SIZES[base] if not receive or s <= receive.room])

    # steps: messages

    def start_send(self, comm=None, source=None, destination=None, tag=None):
        if comm is None:
            comm, source, destination = self.pair(self.draw.choice([1, 2, 2, 2]))
        channel = comm, source, destination
        tag, base, size = self.draft(channel, tag)
        number, (count, kind) = self.new_message(), self.spelled(base, size)
        waiting = self.partner(channel, tag)
        modes = (
            ["isend"] * 4 + ["issend"] * 2 + (["bsend", "ibsend"] if size <= 5000 else [])
            + (["send", "ssend"] if waiting else [])
        )
        mode = self.draw.choice(modes)
        request = self.new_request(source, "send", comm) if mode[0] == "i" else None
        if mode == "ibsend":
            request.ready = request.local = True
        envelope = (comm, self.rank_in(comm, destination), tag, count, kind)
        self.add(source, mode, *((request.number,) if request else ()), *envelope, number)
        self.give(channel, Sent(number, tag, base, size, request))

    def choose_tag(self, channel):
        return (
            ANY
            if self.draw.random() < 0.3
            else self.draw.choice([1, 2, 3] + [m.tag for m in self.sent[channel]])
        )

    def waiting_message(self, channel, tag):
        return next((m for m in self.sent[channel] if tag in (ANY, m.tag)), None)

    def start_receive(self):
        comm, source, destination = self.pair(self.draw.choice([1, 2, 2, 2]))
        channel = comm, source, destination
        tag = self.choose_tag(channel)
        message = self.waiting_message(channel, tag)
        base = message.base if message else self.draw.choice("bid")
        count, kind = self.room(base, message.size if message else self.draw.choice(SIZES[base][2:]))
        request = self.new_request(destination, "receive", comm)
        self.add(destination, "irecv", request.number, comm, self.rank_in(comm, source), tag, count, kind)
        self.take(channel, Posted(request, tag, base, count * WIDTH[kind]))

    def blocking_receive(self, channel=None, tag=None):
        """Receives a message that is on its way."""
        channels = [c for c, waiting in self.sent.items() if waiting]
        if not channels:
            return
        comm, source, destination = channel = channel or self.draw.choice(channels)
        tag = self.draw.choice([ANY, self.draw.choice(self.sent[channel]).tag])
        message = self.waiting_message(channel, tag)
        how = self.draw.choice(
            ["recv"] * 3
            + ["recv_ignore", "probe", "iprobe", "mprobe", "improbe", "mprobe_imrecv", "improbe_imrecv"]
        )
        self.receive_as(
            how, destination, comm, self.rank_in(comm, source), tag, message.base, message.size, channel
        )

    def receive_as(self, how, rank, comm, source, tag, base, size, channel=None):
        count, kind = self.room(base, size)
        request = self.new_request(rank, "receive", comm) if how.endswith("imrecv") else None
        line = self.add(rank, how, *((request.number,) if request else ()), comm, source, tag, count, kind)
        if channel:
            self.take(channel, Posted(request or (rank, line), tag, base, count * WIDTH[kind]))
        elif request:
            request.ready = True

    def fresh_tag(self, *channels):
        """Returns a tag that matches no message under way; none if a receive of any tag waits."""
        self.tags += 1
        return None if any(r.tag == ANY for c in channels for r in self.posted[c]) else self.tags

    def both_at_once(self):
        comm, source, destination = self.pair()
        channel = comm, source, destination
        tag = self.fresh_tag(channel)
        if tag is None:
            return
        tag, base, size = self.draft(channel, tag)
        number, (count, kind) = self.new_message(), self.spelled(base, size)
        self.add(
            source, self.draw.choice(["send", "ssend"]), comm, self.rank_in(comm, destination), tag, count,
            kind, number,
        )
        self.give(channel, Sent(number, tag, base, size, None))
        wanted = ANY if len(self.sent[channel]) == 1 and self.draw.random() < 0.3 else tag
        how = self.draw.choice(["recv", "probe", "mprobe", "iprobe", "improbe"])
        self.receive_as(how, destination, comm, self.rank_in(comm, source), wanted, base, size, channel)

    def ring(self):
        """Some members exchange messages in a circle, all at once; or along a line, whose ends send to no
        one."""
        comm, _, _ = self.pair()
        members = self.draw.sample(self.members[comm], self.draw.randint(2, len(self.members[comm])))
        closed = self.draw.random() < 0.7
        after = {m: members[(i + 1) % len(members)] for i, m in enumerate(members)}
        channels = [(comm, m, after[m]) for m in members]
        tag = self.fresh_tag(*channels)
        if tag is None:
            return
        base = self.draw.choice("bid")
        size, replace = self.draw.choice(SIZES[base]), self.draw.random() < 0.4
        numbers = {m: self.new_message() for m in members}
        for i, rank in enumerate(members):
            before = members[i - 1]
            to = self.rank_in(comm, after[rank]) if closed or i + 1 < len(members) else NONE
            source = self.rank_in(comm, before) if closed or i > 0 else NONE
            count, kind = self.spelled(base, size)
            head = (comm, to, tag, count, kind, numbers[rank])
            if replace:
                line = self.add(rank, "sendrecv_replace", *head, source, tag)
            else:
                line = self.add(
                    rank, self.draw.choice(["sendrecv", "sendrecv_ignore"]), *head, comm, source, tag,
                    *self.room(base, size)
                )
            if source != NONE:
                self.planned[rank, line] = numbers[before]

    def to_no_one(self):
        comm, rank, _ = self.pair(1)
        if self.draw.random() < 0.5:
            self.add(
                rank, self.draw.choice(["send", "ssend", "bsend"]), comm, NONE, 7, 3, "i", self.new_message()
            )
            self.add(
                rank, self.draw.choice(["recv", "recv_ignore", "probe", "iprobe", "mprobe"]), comm, NONE, ANY,
                3, "i",
            )
        else:
            for kind, words in (
                ("send", ("isend", comm, NONE, 7, 3, "i", self.new_message())),
                ("receive", ("irecv", comm, NONE, 8, 3, "i")),
            ):
                request = self.new_request(rank, kind, comm)
                request.ready = request.local = True
                self.add(rank, words[0], request.number, *words[1:])

    def when_ready(self):
        """A ready send: the receiver has announced that it is waiting."""
        comm, source, destination = self.pair()
        channel, back = (comm, source, destination), (comm, destination, source)
        tag, token = self.fresh_tag(channel), self.fresh_tag(back)
        if tag is None or token is None:
            return
        size, number = self.draw.choice(SIZES["i"]), self.new_message()
        request = self.new_request(destination, "receive", comm)
        self.add(
            destination, "irecv", request.number, comm, self.rank_in(comm, source), tag,
            *self.spelled("i", size)
        )
        sent = self.new_message()
        self.add(destination, "send", comm, self.rank_in(comm, source), token, 1, "i", sent)
        self.planned[
            source, self.add(source, "recv", comm, self.rank_in(comm, destination), token, 1, "i")
        ] = sent
        envelope = (comm, self.rank_in(comm, destination), tag, *self.spelled("i", size), number)
        self.planned[destination, request.number, 0] = number
        request.ready = True
        if self.draw.random() < 0.5:
            self.add(source, "rsend", *envelope)
        else:
            sender = self.new_request(source, "send", comm)
            sender.ready = True
            self.add(source, "irsend", sender.number, *envelope)

    def race(self):
        """Several messages for receives from any source: only the run shows which receive takes which
        message."""
        comm, _, destination = self.pair()
        wild = self.draw.random() < 0.4
        if wild:
            comm = self.duplicate(comm)
            self.wild.add(comm)
        senders = self.draw.choices(
            [m for m in self.members[comm] if m != destination], k=self.draw.randint(2, 5)
        )
        tag = self.fresh_tag(*[(comm, s, destination) for s in senders])
        if tag is None:
            return
        waiting = [
            self.new_request(destination, "receive", comm) for _ in range(self.draw.randint(0, len(senders)))
        ]
        wanted, size = ANY if wild else tag, 4096
        for request in waiting:
            self.add(destination, "irecv", request.number, comm, ANY, wanted, *self.room("i", size))
        for i, sender in enumerate(senders):
            mode = self.draw.choice(
                ["isend", "issend", "bsend"] + (["send", "ssend"] if i < len(waiting) else [])
            )
            sent = (comm, self.rank_in(comm, destination), tag + (self.draw.randint(0, 3) if wild else 0),
                    *self.spelled("i", self.draw.choice([4, 8, 64, 4096])), self.new_message())
            if mode[0] == "i":
                self.new_request(sender, "send", comm).ready = True
                self.add(sender, mode, self.requests[sender][-1].number, *sent)
            else:
                self.add(sender, mode, *sent)
        self.tags += 4
        for _ in range(len(senders) - len(waiting)):
            how = self.draw.choice(
                ["recv", "recv_ignore", "probe", "iprobe", "mprobe", "improbe", "mprobe_imrecv"]
            )
            self.receive_as(how, destination, comm, ANY, wanted, "i", size)
        for request in waiting:
            request.ready = True

    def cancel(self):
        comm, source, destination = self.pair()
        tag = self.fresh_tag()
        request = self.new_request(destination, "receive", comm)
        self.add(destination, "irecv", request.number, comm, self.rank_in(comm, source), tag, 4, "i")
        self.add(destination, "cancel", request.number)
        self.add(destination, "wait", request.number)
        request.active = False

    # steps: persistent requests

    def prepare(self):
        comm, source, destination = self.pair()
        base = self.draw.choice("bid")
        count, kind = self.spelled(base, self.draw.choice(SIZES[base][1:5]))
        rank, other = self.draw.choice([(source, destination), (destination, source)])
        sends = rank == source
        request = self.new_request(rank, "send" if sends else "receive", comm, persistent=True)
        tag = self.draw.choice([1, 2, 3] if sends else [ANY, 1, 2, 3])
        request.envelope = (comm, source, destination), tag, base, count * WIDTH[kind]
        name = self.draw.choice(["send_init", "ssend_init", "bsend_init"]) if sends else "recv_init"
        request.local = name == "bsend_init"
        self.add(rank, name, request.number, comm, self.rank_in(comm, other), tag, count, kind)

    def begin(self, request):
        """Starts the persistent request if it can be started now. Returns the message's number; 0 for a
        receive, None if it cannot."""
        channel, tag, base, size = request.envelope
        if request.kind == "send":
            receive = self.partner(channel, tag)
            if receive and (receive.base != base or receive.room < size):
                return None
        else:
            message = self.waiting_message(channel, tag)
            if message and (message.base != base or message.size > size):
                return None
        request.starts += 1
        request.active, request.ready = True, request.local
        if request.kind == "receive":
            self.take(channel, Posted(request, tag, base, size))
            return -1
        number = self.new_message()
        self.give(channel, Sent(number, tag, base, size, request))
        return number

    def start(self):
        rank = self.draw.randrange(self.p)
        idle = [r for r in self.requests[rank] if r.persistent and not r.active]
        started = []
        for request in self.draw.sample(idle, self.draw.randint(1, len(idle)) if idle else 0):
            number = self.begin(request)
            if number is not None:
                started.append((request.number, number))
        if len(started) == 1 and self.draw.random() < 0.7:
            self.add(rank, "start", *started[0])
        elif started:
            self.add(rank, "startall", len(started), *[n for pair in started for n in pair])

    # steps: completion

    def complete(self, rank=None, everything=False):
        rank = self.draw.randrange(self.p) if rank is None else rank
        open_ = [r for r in self.requests[rank] if r.active]
        ready = [r for r in open_ if r.ready]
        if not ready:
            if open_:
                self.test(rank, self.draw.choice(open_))
            return
        chosen = ready if everything else self.draw.sample(ready, self.draw.randint(1, len(ready)))
        self.draw.shuffle(chosen)
        if len(chosen) == 1 and self.draw.random() < 0.8:
            self.complete_one(rank, chosen[0])
        else:
            self.complete_several(rank, chosen)
        for request in chosen:
            request.active = False

    def test(self, rank, request):
        """Only the run shows whether it is complete by then."""
        request.tested = True
        self.add(rank, "test", request.number)

    def complete_one(self, rank, request):
        if (
            request.kind == "send"
            and not request.persistent
            and not request.tested
            and self.draw.random() < 0.1
        ):
            self.add(rank, "request_free", request.number)
            return
        if self.draw.random() < 0.2:
            self.test(rank, request)
        self.add(rank, self.draw.choice(["wait", "wait_ignore", "test_loop"]), request.number)

    def complete_several(self, rank, chosen):
        finished = [r for r in self.requests[rank] if not r.active]
        listed = [
            r.number
            for r in chosen + self.draw.sample(finished, min(len(finished), self.draw.choice([0, 0, 1, 2])))
        ]
        self.draw.shuffle(listed)
        for _ in range(self.draw.choice([0, 0, 1, 2])):
            self.add(rank, "waitany", len(listed), *listed)
        how = self.draw.choice(
            ["waitall", "testall_loop", "waitany_loop", "testany_loop", "waitsome_loop", "testsome_loop"]
        )
        self.add(
            rank, how, len(listed), *listed,
            *((self.draw.randint(0, 1),) if how in ("waitall", "testall_loop") else ())
        )

    # steps: collectives, communicators, the rest

    def add_collective(self, comm, name, nonblocking):
        members, base = self.members[comm], self.draw.choice(
            "ib" if name in ("reduce", "allreduce", "scan", "exscan") else "bid"
        )
        root = self.draw.randrange(len(members)) if name in ROOTED else 0
        count = 0 if name == "barrier" else self.draw.choice([0, 1, 3, 100, 2000])
        counts = [self.draw.choice([0, 1, 5, 300]) for _ in members] if name in V_COLLECTIVES else []
        for rank in members:
            tail = (comm, root, max(counts) if counts else count, base, *counts)
            if nonblocking:
                request = self.new_request(rank, "collective", comm)
                request.ready = True
                self.add(rank, "icollective", name, request.number, *tail)
            else:
                self.add(rank, "collective", name, *tail)

    def collective(self):
        self.add_collective(
            self.draw.choice(list(self.members)), self.draw.choice(COLLECTIVES), self.draw.random() < 0.4
        )

    def new_comm(self, members):
        self.last_comm += 1
        self.members[self.last_comm] = members
        return self.last_comm

    def duplicate(self, comm=None):
        comm = self.draw.choice(list(self.members)) if comm is None else comm
        made = self.new_comm(self.members[comm])
        nonblocking = self.draw.random() < 0.3
        for rank in self.members[comm]:
            if nonblocking:
                request = self.new_request(rank, "collective", comm)
                self.add(rank, "idup", request.number, comm, made)
                self.add(rank, "wait", request.number)
                request.active = False
            else:
                self.add(rank, "dup", comm, made)
        return made

    def split(self):
        comm = self.draw.choice(list(self.members))
        members = list(self.members[comm])
        colors = {rank: self.draw.choice([-1, 0, 0, 1, 1, 2]) for rank in members}
        keys = {rank: self.draw.randint(-3, 3) for rank in members}
        made = {
            c: self.new_comm(
                sorted((m for m in members if colors[m] == c), key=lambda m: (keys[m], members.index(m)))
            )
            for c in sorted(set(colors.values()))
            if c >= 0
        }
        for rank in members:
            self.add(rank, "split", comm, colors[rank], keys[rank], made.get(colors[rank], -1))

    def create(self):
        comm = self.draw.choice(list(self.members))
        members = self.members[comm]
        chosen = self.draw.sample(range(len(members)), self.draw.randint(1, len(members)))
        made = self.new_comm([members[i] for i in chosen])
        # Open MPI 4.1 creates such a communicator by messages of that same tag, which a waiting receive of
        # any tag would take
        any_waits = any(
            r.tag == ANY for channel, waiting in self.posted.items() if channel[0] == comm for r in waiting
        )
        by_group = not any_waits and self.draw.random() < 0.5
        self.tags += 1
        for rank in members:
            inside = members.index(rank) in chosen
            if inside or not by_group:
                self.add(
                    rank, "create_group" if by_group else "create", comm, self.tags, len(chosen), *chosen,
                    made if inside else -1
                )

    def free_comm(self):
        """Messages under way may still be completed afterwards, others can no longer be received."""
        busy = {c for table in (self.sent, self.posted) for (c, _, _), waiting in table.items() if waiting}
        busy |= {
            r.comm
            for requests in self.requests
            for r in requests
            if (r.active and r.kind == "collective") or r.persistent
        }
        idle = [c for c in self.members if c != 0 and c not in busy]
        if idle:
            comm = self.draw.choice(idle)
            for rank in self.members.pop(comm):
                self.add(rank, "free", comm)

    def compute(self):
        self.add(self.draw.randrange(self.p), "compute", self.draw.choice([0, 1, 5, 20, 100]))

    def region(self):
        rank = self.draw.randrange(self.p)
        opens = self.depth[rank] == 0 or self.draw.random() < 0.5
        self.depth[rank] += 1 if opens else -1
        self.add(rank, *(("begin", self.draw.choice(["solve", "halo", "io", "step"])) if opens else ("end",)))

    def drain(self):
        for channel in sorted(set(self.sent) | set(self.posted)):
            while self.posted[channel]:
                tag = self.posted[channel][0].tag
                self.start_send(*channel, tag=self.draw.choice([1, 2, 3]) if tag == ANY else tag)
            while self.sent[channel]:
                self.blocking_receive(channel)
        for rank in range(self.p):
            while any(r.active for r in self.requests[rank]):
                self.complete(rank, everything=self.draw.random() < 0.5)
            for request in self.requests[rank]:
                if request.persistent:
                    self.add(rank, "request_free", request.number)
            for _ in range(self.depth[rank]):
                self.add(rank, "end")
        for _ in range(self.draw.randint(0, len(self.members))):
            self.free_comm()


STEPS, WEIGHTS = zip(
    *[
        (Program.start_send, 12), (Program.start_receive, 12), (Program.blocking_receive, 8),
        (Program.both_at_once, 6), (Program.ring, 5), (Program.to_no_one, 2), (Program.when_ready, 2),
        (Program.race, 5), (Program.cancel, 1), (Program.prepare, 5), (Program.start, 8),
        (Program.complete, 14), (Program.collective, 12), (Program.duplicate, 2), (Program.split, 2),
        (Program.create, 2), (Program.free_comm, 3), (Program.compute, 5), (Program.region, 5),
    ]
)
