"""A device with the Swift library, which looks for values of an open vocabulary."""

import atexit
import json
import os
import subprocess

import daemon
from daemon import check


class Device:
    def __init__(self, house, place, *options):
        self.folder = os.path.join(house.folder, f"device {place}")
        self.process = subprocess.Popen([os.path.join(os.path.dirname(daemon.BINARY), "Probe"), "reveal",
                                         f"http://127.0.0.1:{house.port}/v1/plan/shop", self.folder, *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)

    def search(self, value):
        """Looks for something, and returns what left the device for it."""
        self.process.stdin.write(value + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline().strip()) != "done":
            check(line, "a device ended")
            lines.append(json.loads(line))
        return lines

    def stop(self):
        self.process.stdin.close()
        check(self.process.wait(30) == 0, "a device ended with", self.process.returncode)
