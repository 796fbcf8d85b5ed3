"""Disks to break: a small file system on a loop device, and a library that makes a daemon's own disk lie, fill up or crawl."""

import os
import shutil
import subprocess
import tempfile

from house import check, daemon
import preloaded

MEBIBYTES = {"ext4": 64, "xfs": 320}


def obstacle(kind="ext4"):
    """Why this machine can't mount such a volume; None where it can.

    In continuous integration a machine that has all that it takes has no excuse: what goes wrong there is a Failure."""
    lacking = lack(kind)
    if lacking:
        return lacking
    try:
        Volume(kind).end()
    except daemon.Failure as failure:
        check("CI" not in os.environ,
              f"this machine has root, loop devices and mkfs.{kind}, so a row that is not run is no row that held:", failure)
        return str(failure)
    return None


def lack(kind):
    """What this machine does not have of what a volume takes; None where it has all."""
    if os.getuid() != 0:
        return "mounting a loop device takes root"
    if not may_mount():
        return "this root may not mount (no CAP_SYS_ADMIN)"
    if not os.path.exists("/dev/loop-control"):
        return "there are no loop devices"
    for program in (f"mkfs.{kind}", "xfs_io", "mount"):
        if not shutil.which(program):
            return f"there is no {program}"
    return None


def may_mount():
    """Whether this process has CAP_SYS_ADMIN, which root in a container often lacks."""
    effective = next(line.split()[1] for line in daemon.read("/proc/self/status").splitlines() if line.startswith("CapEff:"))
    return int(effective, 16) >> 21 & 1 == 1


class Volume:
    """A file system of its own, in a file; `path` is where it is mounted."""

    def __init__(self, kind, mebibytes=None, options="", folder=None):
        self.folder = tempfile.mkdtemp(prefix="tfv-", dir=folder or "/tmp")
        self.kind = kind
        self.options = options
        self.image = os.path.join(self.folder, "image")
        self.path = os.path.join(self.folder, "volume")
        os.mkdir(self.path)
        with open(self.image, "wb") as file:
            file.truncate((mebibytes or MEBIBYTES[kind]) << 20)
        daemon.atexit.register(self.end)
        # On ext4 nothing is kept back for root: full is full.
        daemon.ran(f"mkfs.{kind}", "-q", *(["-m", "0"] if kind == "ext4" else []), self.image)
        self.mount()

    def mount(self):
        daemon.ran("mount", "-t", self.kind, "-o", "loop" + ("," + self.options if self.options else ""), self.image, self.path)

    def unmount(self):
        daemon.ran("umount", self.path)

    def lose_power(self, flush=False):
        """From now on nothing reaches the disk; `flush` lets the file system's own log reach it first, not the files."""
        daemon.ran("xfs_io", "-x", "-c", "shutdown -f" if flush else "shutdown", self.path)

    def power_up(self):
        """What the disk has is all there is. Nobody may have a file open."""
        self.unmount()
        self.mount()

    def end(self):
        daemon.atexit.unregister(self.end)
        subprocess.run(["umount", "-l", self.path], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


class Disk:
    """What a daemon that is started with `variables` meets when it writes under `place`."""

    def __init__(self, folder, place):
        self.path = os.path.join(folder, "disk")
        library = preloaded.library(os.path.join(os.path.dirname(os.path.abspath(__file__)), "disk.c"), folder)
        daemon.write(self.path, bytes(48))
        self.variables = {"LD_PRELOAD": library, "DISK_FILE": self.path, "DISK_PATH": place}

    def put(self, place, number):
        with open(self.path, "r+b") as file:
            file.seek(8 * place)
            file.write(int(number).to_bytes(8, "little"))

    def lies(self, on=True):
        """Syncing says that all went well, and does nothing."""
        self.put(0, on)

    def is_full(self, on=True):
        self.put(1, on)

    def crawls(self, seconds):
        """How long every sync takes."""
        self.put(2, seconds * 1_000_000)

    def fails(self, at):
        """The so manyth sync from now on fails, whoever makes it."""
        self.put(4, at)
