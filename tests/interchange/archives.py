# SPDX-License-Identifier: Apache-2.0
"""OTF2 archives written by the library's own Python module, with Score-P's conventions: other tools write
such archives and Parcast reads them. Times are in microseconds. Each function writes one archive into the
folder `to`."""
import otf2
from otf2.enums import CollectiveOp, GroupType, LocationGroupType, LocationType, Paradigm, RegionRole

NO_ROOT = 0xFFFFFFFF


class Archive:
    """An archive of processes on one node, each with a master thread."""

    def __init__(self, to, processes, mpi=True):
        self.closing = otf2.writer.open(str(to), timer_resolution=1_000_000)
        self.file = self.closing.__enter__()
        self.definitions = self.file.definitions
        root = self.definitions.system_tree_node("machine", class_name="machine")
        self.node = self.definitions.system_tree_node("n0", parent=root, class_name="node")
        self.regions = {}
        self.groups = [self.group(f"MPI Rank {rank}") for rank in range(processes)]
        self.masters = [self.location("Master thread", group) for group in self.groups]
        if not mpi:
            return
        named = self.definitions.group
        named(
            "", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI,
            members=[master.location for master in self.masters],
        )
        world = named(
            "", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=list(range(processes))
        )
        self.world = self.definitions.comm("MPI_COMM_WORLD", group=world, parent=None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.closing.__exit__(None, None, None)

    def group(self, name, kind=LocationGroupType.PROCESS, **more):
        return self.definitions.location_group(
            name, system_tree_parent=self.node, location_group_type=kind, **more
        )

    def location(self, name, group, kind=LocationType.CPU_THREAD):
        return Thread(self, self.definitions.location(name, type=kind, group=group))

    def thread(self, rank, name="OMP thread"):
        return self.location(name, self.groups[rank])

    def region(self, name):
        """Returns paradigm and role by the name."""
        if name not in self.regions:
            paradigm, role = Paradigm.COMPILER, RegionRole.FUNCTION
            if name.startswith("MPI_"):
                paradigm = Paradigm.MPI
            elif name.startswith("!$omp"):
                paradigm, role = Paradigm.OPENMP, (
                    RegionRole.PARALLEL if "parallel" in name else RegionRole.TASK
                )
            elif name.startswith("cuda"):
                paradigm = Paradigm.CUDA
            elif name.startswith("acc_"):
                paradigm = Paradigm.OPENACC
            self.regions[name] = self.definitions.region(
                name, source_file="", region_role=role, paradigm=paradigm
            )
        return self.regions[name]


class Thread:
    def __init__(self, archive, location):
        self.archive, self.location = archive, location
        self.writer = archive.file.event_writer_from_location(location)

    def enter(self, time, name):
        self.writer.enter(time, self.archive.region(name))
        return self

    def leave(self, time, name):
        self.writer.leave(time, self.archive.region(name))
        return self

    def stay(self, begin, end, name):
        return self.enter(begin, name).leave(end, name)

    def send(self, begin, end, to, size):
        self.enter(begin, "MPI_Send")
        self.writer.mpi_send(begin, receiver=to, communicator=self.archive.world, msg_tag=7, msg_length=size)
        return self.leave(end, "MPI_Send")

    def receive(self, begin, end, source, size):
        self.enter(begin, "MPI_Recv")
        self.writer.mpi_recv(end, sender=source, communicator=self.archive.world, msg_tag=7, msg_length=size)
        return self.leave(end, "MPI_Recv")

    def barrier(self, begin, end):
        self.enter(begin, "MPI_Barrier")
        self.writer.mpi_collective_begin(begin)
        self.writer.mpi_collective_end(end, CollectiveOp.BARRIER, self.archive.world, NO_ROOT, 0, 0)
        return self.leave(end, "MPI_Barrier")


def before_init(to):
    """`main` lasts from half a second before MPI_Init to half a second after MPI_Finalize; the run from 100
    to 2000."""
    with Archive(to, 2) as archive:
        zero = 1_000_000
        for thread in archive.masters:
            thread.enter(zero - 500_000, "main").stay(zero, zero + 100, "MPI_Init")
        archive.masters[0].send(zero + 1110, zero + 1120, 1, 4096)
        archive.masters[1].receive(zero + 610, zero + 1130, 0, 4096)
        for thread in archive.masters:
            thread.stay(zero + 2000, zero + 2100, "MPI_Finalize").leave(zero + 500_000, "main")


def threads(to):
    """A parallel region of 5 ms on the master thread and one more thread, at the same time; the run from 100
    to 7000."""
    with Archive(to, 2) as archive:
        for rank, thread in enumerate(archive.masters):
            other = archive.thread(rank)
            thread.stay(0, 100, "MPI_Init").enter(200, "!$omp parallel @x.c:3").leave(
                5200, "!$omp parallel @x.c:3"
            )
            other.stay(210, 5190, "!$omp parallel @x.c:3")
            thread.barrier(6000, 6010).stay(7000, 7010, "MPI_Finalize")


def two_teams(to):
    """Two parallel regions, between them 2 ms of MPI and the master's own work, in which the team's thread
    has no region. 100 to 9100."""
    with Archive(to, 2) as archive:
        for rank, thread in enumerate(archive.masters):
            other = archive.thread(rank)
            thread.stay(0, 100, "MPI_Init").stay(1100, 2100, "!$omp parallel @x.c:3").barrier(
                3100, 5100
            ).stay(6100, 8100, "!$omp parallel @x.c:9")
            other.stay(1100, 2100, "!$omp parallel @x.c:3").stay(6100, 8100, "!$omp parallel @x.c:9")
            thread.stay(9100, 9110, "MPI_Finalize")


def accelerator(to):
    """A process that starts a kernel and waits 96 of its 100 ms for it; the kernel runs on a stream of an
    accelerator."""
    with Archive(to, 2) as archive:
        for rank, thread in enumerate(archive.masters):
            gpu = archive.group(
                f"CUDA Context {rank}", LocationGroupType.ACCELERATOR,
                creating_location_group=archive.groups[rank],
            )
            stream = archive.location("CUDA[0:7]", gpu, LocationType.ACCELERATOR_STREAM)
            thread.enter(0, "main").stay(0, 1000, "MPI_Init").stay(2000, 3000, "cudaLaunchKernel")
            stream.stay(2500, 98_000, "jacobi_kernel")
            thread.enter(3000, "cudaDeviceSynchronize").leave(98_000, "cudaDeviceSynchronize").barrier(
                100_000, 100_010
            )
            thread.stay(101_000, 101_010, "MPI_Finalize").stay(102_000, 150_000, "cudaDeviceReset").leave(
                150_000, "main"
            )


def streams_in_processes(to):
    """As older tools write archives: the streams are locations of the process, and OpenACC's regions are the
    host's."""
    with Archive(to, 1) as archive:
        thread = archive.masters[0]
        archive.location("CUDA[0:7]", archive.groups[0], LocationType.ACCELERATOR_STREAM).stay(
            200, 900, "kernel"
        )
        archive.location("CUDA[0:8]", archive.groups[0], LocationType.ACCELERATOR_STREAM).stay(
            200, 900, "kernel"
        )
        thread.stay(0, 100, "MPI_Init").enter(100, "acc_kernels").stay(200, 900, "acc_wait").leave(
            1000, "acc_kernels"
        ).stay(1100, 1110, "MPI_Finalize")


def init_thread(to):
    """MPI_Init_thread; a second thread sends while the first one computes. The run from 100 to 2100."""
    with Archive(to, 2) as archive:
        talker = archive.thread(0, "talker")
        a, b = archive.masters
        a.stay(0, 100, "MPI_Init_thread").stay(2100, 2110, "MPI_Finalize")
        talker.enter(200, "talk").send(1100, 1110, 1, 1000).leave(1200, "talk")
        b.stay(0, 100, "MPI_Init_thread").receive(600, 1120, 0, 1000).stay(2100, 2110, "MPI_Finalize")


def different_starts(to):
    """The second process starts 5 ms later and computes 1 ms more: 1000 + 1000 and 2000 + 1000 around a
    barrier."""
    with Archive(to, 2) as archive:
        for rank, (thread, zero) in enumerate(zip(archive.masters, (10_000, 15_000))):
            thread.enter(zero - 3000, "main").stay(zero, zero + 100, "MPI_Init").barrier(
                zero + 1100 + 1000 * rank, 17_200
            )
            thread.stay(18_200, 18_300, "MPI_Finalize").leave(19_000, "main")


def openmp_alone(to):
    """No MPI: main from 1000 to 9000, a parallel region of two threads from 2000 to 6000."""
    with Archive(to, 1, mpi=False) as archive:
        archive.masters[0].enter(1000, "main").stay(2000, 6000, "!$omp parallel @x.c:3").leave(9000, "main")
        archive.thread(0).stay(2010, 5990, "!$omp parallel @x.c:3")


def killed(to):
    """No MPI_Finalize: the first process ends in a receive, the second one while it computes."""
    with Archive(to, 2) as archive:
        a, b = archive.masters
        a.stay(0, 100, "MPI_Init").barrier(1100, 1110).enter(2100, "MPI_Recv")
        b.stay(0, 100, "MPI_Init").barrier(1100, 1110).enter(1500, "solve")


def early_thread(to):
    """A thread that begins 800 before the return of MPI_Init and ends 900 after MPI_Finalize's entry. 1000 to
    3000."""
    with Archive(to, 1) as archive:
        thread = archive.masters[0]
        thread.enter(0, "main").stay(500, 1000, "MPI_Init").barrier(2000, 2010).stay(
            3000, 3100, "MPI_Finalize"
        ).leave(9000, "main")
        archive.thread(0, "poller").stay(200, 3900, "poll")


def nested_teams(to):
    """A nested parallel region: four threads, two of them work within the other's region. 100 to 5100."""
    with Archive(to, 1) as archive:
        thread = archive.masters[0]
        outer, inner = "!$omp parallel @x.c:3", "!$omp parallel @x.c:5"
        thread.stay(0, 100, "MPI_Init").enter(1100, outer).stay(2100, 3100, inner).leave(4100, outer).stay(
            5100, 5110, "MPI_Finalize"
        )
        archive.thread(0, "OMP thread 1").enter(1100, outer).stay(2100, 3100, inner).leave(4100, outer)
        for name in ("OMP thread 0:1", "OMP thread 1:1"):
            archive.thread(0, name).stay(2110, 3090, inner)


def tasks(to):
    """Tasks that are suspended while others run on the thread: their regions cross. 100 to 3100."""
    with Archive(to, 1) as archive:
        thread = archive.masters[0]
        outer = "!$omp parallel @x.c:3"
        thread.stay(0, 100, "MPI_Init").enter(600, outer).enter(700, "!$omp task @x.c:4").enter(
            1100, "!$omp task @x.c:5"
        )
        thread.leave(1600, "!$omp task @x.c:4").leave(2000, "!$omp task @x.c:5").leave(2600, outer).stay(
            3100, 3110, "MPI_Finalize"
        )
        archive.thread(0).enter(600, outer).stay(700, 2500, "!$omp task @x.c:4").leave(2600, outer)


def strangers(to):
    """Two MPI processes, and one process without MPI: an I/O server. 100 to 1100."""
    with Archive(to, 2) as archive:
        server = archive.location("Master thread", archive.group("I/O server"))
        server.stay(0, 50_000, "serve")
        for thread in archive.masters:
            thread.stay(0, 100, "MPI_Init").barrier(600, 610).stay(1110, 1120, "MPI_Finalize")


ALL = [
    before_init, threads, two_teams, accelerator, streams_in_processes, init_thread, different_starts,
    openmp_alone, killed, early_thread, nested_teams, tasks, strangers,
]

if __name__ == "__main__":
    import pathlib
    import sys

    for each in ALL:
        each(pathlib.Path(sys.argv[1]) / f"{each.__name__}.otf2")
