# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A real Slurm cluster of one machine, all of it in a folder and on the loopback device: munged, slurmctld and slurmd,
started by whoever runs the tests, root or not, and ended by their process ids."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO, Callable

CONFIGURATION = """
ClusterName=tests
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,sched_min_interval=0,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
InactiveLimit=0
KillWait=2
MinJobAge=300
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={node} CPUs=2 RealMemory=4000 State=UNKNOWN
PartitionName=small Nodes=n1 Default=YES MaxTime=INFINITE State=UP
"""

MUNGE_FILES = {
    "socket": "socket",
    "key-file": "key",
    "pid-file": "pid",
    "log-file": "daemon.log",
    "seed-file": "seed",
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def program(name: str) -> str:
    found = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    assert found, f"{name} is missing; make test-slurm installs it"
    return found


class Cluster:
    """Begins with `up`; `down` must be called in any case."""

    def __init__(self) -> None:
        # A socket's path must be short.
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_", "SQUEUE_"))}
        self.environment["SLURM_CONF"] = str(self.folder / "slurm.conf")
        self._daemons: "list[subprocess.Popen[bytes]]" = []
        self._logs: "list[IO[bytes]]" = []

    def up(self) -> None:
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                folder=self.folder, user=getpass.getuser(), controller=free_port(), node=free_port()
            ).lstrip()
        )
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nConstrainDevices=no\n")
        files = {name: f"--{name}={self.folder}/munge.{ending}" for name, ending in MUNGE_FILES.items()}
        self._start("munged", "--foreground", "--force", *files.values())
        self._until(lambda: (self.folder / "munge.socket").exists(), "munged")
        self._start("slurmctld", "-D", "-i")
        self._start("slurmd", "-D", "-N", "n1")
        self._until(lambda: self.output("sinfo", "-h", "-t", "idle", "-o", "%N").strip() == "n1", "Slurm")

    def down(self) -> None:
        subprocess.run([program("scancel"), f"--user={getpass.getuser()}"], env=self.environment, capture_output=True)
        for daemon in reversed(self._daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=30)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for log in self._logs:
            log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def output(self, *command: str) -> str:
        words = [program(command[0]), *command[1:]]
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=600).stdout

    def queued(self) -> "list[str]":
        """The ids of the array jobs in the queue."""
        return sorted(set(self.output("squeue", "-h", "-o", "%F").split()))

    def _start(self, name: str, *options: str) -> None:
        log = (self.folder / f"{name}.log").open("wb")
        self._logs.append(log)
        self._daemons.append(
            subprocess.Popen(
                [program(name), *options], env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        )

    def _until(self, ready: "Callable[[], bool]", what: str) -> None:
        for _ in range(6000):
            if ready():
                return
            time.sleep(0.1)
        logs = "\n".join(path.read_text(errors="replace")[-2000:] for path in self.folder.glob("*.log"))
        raise RuntimeError(f"{what} does not come up:\n{logs}")
