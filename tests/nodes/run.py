#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recording on several nodes, under real launchers: `node` makes two hosts from this machine that share no
local folder.

    tests/nodes/run.py --build BUILD [CHECK...]

The exit code is 77 if this user may not make such nodes."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

NODE = pathlib.Path(__file__).resolve().parent / "node"
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


class Cluster:
    """Nodes a and b with empty disks, and a shared folder."""

    def __init__(self, build, mpi):
        self.mpi = mpi
        self.library = build / "lib" / "libparcast-record.so"
        self.programs = build / "tests" / "record" / "programs" / mpi
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="parcast-nodes-"))
        self.disks, self.local, self.shared = (self.work / name for name in ("disks", "scratch", "shared"))
        for folder in (self.disks, self.local, self.shared):
            folder.mkdir()
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("PARCAST_", "SLURM_"))
        }
        self.environment |= {
            "PATH": f"{build / 'bin'}:{os.environ['PATH']}",
            "NODE_DISKS": str(self.disks),
            "NODE_LOCAL": str(self.local),
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            # the hosts are this machine, whose only network may be its loopback interface
            "OMPI_MCA_oob_tcp_if_include": "lo",
            "OMPI_MCA_btl_tcp_if_include": "lo",
        }

    def launch(self, *program, own=()):
        if self.mpi == "open_mpi":
            return [
                "mpirun", *own, "--mca", "plm_rsh_agent", str(NODE), "-H", "nodea:2,nodeb:2", "-n", "4",
                *program,
            ]
        return [
            "mpirun.mpich", *own, "-launcher", "ssh", "-launcher-exec", str(NODE), "-hosts",
            "nodea:2,nodeb:2", "-n", "4", *program,
        ]

    def start(self, *words, **variables):
        # two mpirun with their files in one folder conflict
        variables["OMPI_MCA_orte_tmpdir_base"] = tempfile.mkdtemp(prefix="launch-", dir=self.work)
        return subprocess.Popen(
            [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=self.shared, stdin=subprocess.DEVNULL, env=self.environment | variables,
        )

    def run(self, *words, code=0, **variables):
        process = self.start(*words, **variables)
        out, errors = process.communicate(timeout=100)
        assert (
            code is None or process.returncode == code
        ), f"{words}: exit {process.returncode}\n{out}{errors}"
        return out, errors

    def record(self, name, *program, code=0):
        _, errors = self.run(
            "parcast", "record", "--json", "--local", self.local, "-o", f"{name}.recording", "--",
            *self.launch(*program), code=code,
        )
        return json.loads(errors.splitlines()[-1])

    def record_and_leave(self, name, *program):
        """Records with a launch line that parcast cannot convert to one per node."""
        names = ("LD_PRELOAD", "PARCAST_OUT", "PARCAST_LOCAL")
        own = [word for each in names for word in ("-x", each)] if self.mpi == "open_mpi" else []
        line = " ".join(self.launch(*map(str, program), own=own))
        return self.run(
            "parcast", "record", "--local", self.local, "-o", f"{name}.recording", "--", "sh", "-c", line,
            code=1,
        )[1]

    def on(self, node, *words, **options):
        return self.run(NODE, node, *words, **options)

    def gather(self, node, name, **options):
        parcast = shutil.which("parcast", path=self.environment["PATH"])
        return self.on(
            node, parcast, "record", "--json", "--gather", self.shared / f"{name}.recording", **options
        )

    def names(self, name):
        return sorted(path.name for path in (self.shared / f"{name}.recording").iterdir())

    def left(self):
        return sorted(str(path.relative_to(self.disks)) for path in self.disks.rglob("rank-*.rec"))

    def show(self, name, code=0):
        return json.loads(
            self.run("parcast", "show", "--counts", "--json", f"{name}.recording", code=code)[0]
        )


def calls(shown):
    return [
        (rank["rank"], rank["calls"], rank["messages_sent"], rank["bytes_sent"]) for rank in shown["ranks"]
    ]


@check
def a_run_is_gathered_by_itself(cluster):
    """There is one file per node, nothing is left, and the counts equal those of a run that wrote to the
    shared folder."""
    seen = cluster.record("far", cluster.programs / "endings", "return")
    assert seen["complete"] and seen["processes"] == 4 and not seen["warnings"], seen
    assert cluster.names("far") == ["meta.json", "node-nodea.recs", "node-nodeb.recs"], cluster.names("far")
    assert not list(cluster.disks.glob("*/*")) and not list(cluster.local.iterdir())
    cluster.run(
        "parcast", "record", "-o", "near.recording", "--",
        *cluster.launch(cluster.programs / "endings", "return")
    )
    assert cluster.names("near") == ["meta.json"] + [f"rank-{rank}.rec" for rank in range(4)]
    near = cluster.show("near")
    assert calls(cluster.show("far")) == calls(near)
    cluster.run("parcast", "record", "--gather", "near.recording")
    assert cluster.names("near") == ["meta.json", "node-nodea.recs", "node-nodeb.recs"]
    assert cluster.show("near") == near


@check
def the_exit_code_is_the_programs(cluster):
    """The files of all ranks are gathered, also of killed ones. (The exit code of Hydra then is a matter of
    chance.)"""
    cluster.record("failed", cluster.programs / "endings", "exit", code=3)
    seen = cluster.record(
        "killed", cluster.programs / "endings", "kill", code=137 if cluster.mpi == "open_mpi" else None
    )
    assert seen["exit_code"] != 0
    assert seen["events"] > 0 and cluster.names("killed")[-2:] == ["node-nodea.recs", "node-nodeb.recs"], seen
    assert not cluster.left()


@check
def where_the_launcher_is_not_known_the_commands_are_said(cluster):
    """Nothing is lost: the files stay on their nodes. parcast on one node and the bare library on the other
    fetch them."""
    said = cluster.record_and_leave("later", cluster.programs / "endings", "return")
    assert "PARCAST_GATHER=" in said and "parcast record --gather" in said, said
    assert [name.split("/")[0] for name in cluster.left()] == [
        "nodea", "nodea", "nodeb", "nodeb",
    ], cluster.left()
    seen = json.loads(cluster.gather("nodea", "later")[0])
    assert seen["ranks"] == 2 and seen["host"] == "nodea" and seen["problem"] is None, seen
    assert (
        cluster.names("later") == [".local", ".world", "meta.json", "node-nodea.recs"]
        or cluster.mpi == "mpich"
    ), cluster.names("later")
    assert len(cluster.show("later", code=3)["ranks"]) == 4
    cluster.on(
        "nodeb", "env", f"LD_PRELOAD={cluster.library}",
        f"PARCAST_GATHER={cluster.shared / 'later.recording'}", "/bin/true",
    )
    assert not cluster.left()
    assert all(rank["events"] > 0 for rank in cluster.show("later")["ranks"])
    again = json.loads(cluster.gather("nodea", "later")[0])
    assert again["ranks"] == again["files"] == 0 and again["problem"] is None


@check
def a_node_that_lost_its_folder_is_a_loss(cluster):
    cluster.record_and_leave("lost", cluster.programs / "endings", "return")
    shutil.rmtree(cluster.disks / "nodeb")
    cluster.gather("nodea", "lost")
    assert json.loads(cluster.gather("nodeb", "lost")[0])["ranks"] == 0
    shown = cluster.show("lost", code=3)
    assert [rank["events"] > 0 for rank in shown["ranks"]] == [True, True, False, False], shown


@check
def a_full_file_system_leaves_the_files_on_their_nodes(cluster):
    cluster.record_and_leave("full", cluster.programs / "endings", "return")
    target = cluster.shared / "full.recording"
    kept = {name: os.readlink(target / name) for name in (".local",)}
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", target], check=True)
    try:
        os.symlink(kept[".local"], target / ".local")
        out, errors = cluster.gather("nodea", "full", code=1)
        assert json.loads(out)["problem"]["text"] == "No space left on device" and "stay in" in errors, (
            out + errors
        )
        assert [name.split("/")[0] for name in cluster.left()] == ["nodea", "nodea", "nodeb", "nodeb"]
        assert not list(target.glob("*node*")), "half a file"
        subprocess.run(["mount", "-o", "remount,size=40m", target], check=True)
        assert json.loads(cluster.gather("nodea", "full")[0])["ranks"] == 2
    finally:
        subprocess.run(["umount", target], check=True)


@check
def two_runs_share_a_local_folder(cluster):
    runs = {
        name: cluster.start(
            "parcast", "record", "--json", "--local", cluster.local, "-o", f"{name}.recording", "--",
            *cluster.launch(cluster.programs / "endings", "return"),
        )
        for name in ("one", "two")
    }
    for name, process in runs.items():
        out, errors = process.communicate(timeout=100)
        assert process.returncode == 0 and json.loads(errors.splitlines()[-1])["complete"], errors
        assert cluster.names(name) == ["meta.json", "node-nodea.recs", "node-nodeb.recs"]
    assert not cluster.left()


@check
def processes_started_later_are_recorded_apart(cluster):
    if cluster.mpi != "open_mpi":
        return  # Debian's MPICH starts no processes
    line = [
        "mpirun", "--mca", "plm_rsh_agent", NODE, "-H", "nodea:3,nodeb:3", "-n", "2", "--map-by", "node",
        cluster.programs / "spawns",
    ]
    _, errors = cluster.run(
        "parcast", "record", "--json", "--local", cluster.local, "-o", "spawned.recording", "--", *line
    )
    seen = json.loads(errors.splitlines()[-1])
    assert seen["complete"] and [each["code"] for each in seen["warnings"]].count("other-worlds") == 1, seen
    worlds = [path for path in (cluster.shared / "spawned.recording").iterdir() if path.is_dir()]
    assert len(worlds) == 2 and not cluster.left(), worlds
    for world in worlds:
        assert list(world.glob("node-*.recs")) and not list(world.glob("rank-*"))
        cluster.run("parcast", "show", world)


@check
def variables_reach_ranks_though_the_user_names_others(cluster):
    """env_list of Open MPI, -genvnone of Hydra: the recorder's variables are added."""
    if cluster.mpi == "open_mpi":
        cluster.environment["OMPI_MCA_mca_base_env_list"] = "HOME"
        launch = cluster.launch(cluster.programs / "endings", "return")
    else:
        launch = cluster.launch(cluster.programs / "endings", "return", own=["-genvnone"])
    _, errors = cluster.run(
        "parcast", "record", "--json", "--local", cluster.local, "-o", "named.recording", "--", *launch
    )
    assert json.loads(errors.splitlines()[-1])["complete"], errors


@check
def a_folder_that_cannot_be_written_is_said(cluster):
    """The ranks write to the recording itself; a missing folder is created."""
    for where, said in (("/proc/nowhere", True), (cluster.local / "new", False)):
        name = f"elsewhere-{said}"
        launch = cluster.launch(cluster.programs / "endings", "return")
        _, errors = cluster.run(
            "parcast", "record", "--json", "--local", where, "-o", f"{name}.recording", "--", *launch
        )
        answer = json.loads(errors.splitlines()[-1])
        warnings = [warning for warning in answer["warnings"] if warning["code"] == "not-local"]
        assert answer["complete"], errors
        assert len(warnings) == said, errors
        if said:
            assert (
                f"{answer['processes']} processes could not write to {where}" in warnings[0]["text"]
            ), warnings
            assert (
                sum(each.endswith(".rec") for each in cluster.names(name)) == answer["processes"]
            ), cluster.names(name)
        else:
            assert sum(each.endswith(".recs") for each in cluster.names(name)) == 2, cluster.names(name)


def may_make_nodes():
    probe = subprocess.run(["unshare", "--uts", "--mount", "true"], capture_output=True)
    return probe.returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--mpi", choices=["open_mpi", "mpich"], default="open_mpi")
    parser.add_argument("checks", nargs="*")
    options = parser.parse_args()
    if not may_make_nodes():
        print("skipped: this user may not make nodes of their own name and folders")
        sys.exit(77)
    if not (options.build / "tests" / "record" / "programs" / options.mpi).is_dir():
        print(f"skipped: no programs were built for {options.mpi}")
        sys.exit(77)
    for function in CHECKS:
        if options.checks and function.__name__ not in options.checks:
            continue
        cluster = Cluster(options.build.resolve(), options.mpi)
        function(cluster)
        shutil.rmtree(cluster.work)
        print("ok", function.__name__)


main()
