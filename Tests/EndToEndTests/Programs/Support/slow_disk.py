"""A journal whose disk takes its time to sync, and counts how often it was asked to: a small library before the C library's."""

import os

import daemon
import preloaded

SOURCE = os.path.join(daemon.ROOT, "Tests", "Faults", "disk.c")


class SlowDisk:
    def __init__(self, house, seconds):
        self.path = os.path.join(house.folder, "disk")
        numbers = [0, 0, int(seconds * 1_000_000), 0, 0, 0]
        daemon.write(self.path, b"".join(number.to_bytes(8, "little") for number in numbers))
        house.settings.update(
            LD_PRELOAD=preloaded.library(SOURCE, house.folder), DISK_FILE=self.path, DISK_PATH=os.path.join(house.data, "journal"))

    @property
    def syncs(self):
        return int.from_bytes(daemon.read_bytes(self.path)[40:48], "little")
