"""A journal whose disk takes its time to sync, and counts how often it was asked to: a small library before the C library's."""

import os
import shutil
import subprocess

import daemon
from daemon import check

SOURCE = os.path.join(daemon.ROOT, "Tests", "Faults", "disk.c")


class SlowDisk:
    def __init__(self, house, seconds):
        self.path = os.path.join(house.folder, "disk")
        library = os.path.join(house.folder, "disk.so")
        compiler = shutil.which("clang") or shutil.which("cc")
        check(compiler, "there is no C compiler")
        done = subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, SOURCE], capture_output=True, text=True)
        check(done.returncode == 0, done.stderr)
        numbers = [0, 0, int(seconds * 1_000_000), 0, 0, 0]
        with open(self.path, "wb") as file:
            file.write(b"".join(number.to_bytes(8, "little") for number in numbers))
        house.settings.update(LD_PRELOAD=library, DISK_FILE=self.path, DISK_PATH=os.path.join(house.data, "journal"))

    @property
    def syncs(self):
        with open(self.path, "rb") as file:
            return int.from_bytes(file.read()[40:48], "little")
