"""A time of day that a test moves: a daemon and its commands read it through a small library put before the C library's.

Seconds pass as they do outside; `move` jumps. A daemon does nothing for good by a clock that jumped until a person confirms
it, which WrongClockTests are about; for all others, who only want it to be later, it believes its clock whatever it says."""

import os
import time

import daemon
import preloaded


class MovingClock:
    def __init__(self, folder, start, is_believed=True):
        self.path = os.path.join(folder, "clock")
        library = preloaded.library(os.path.join(daemon.HERE, "clock.c"), folder)
        self.variables = {"LD_PRELOAD": library, "CLOCK_FILE": self.path}
        if is_believed:
            self.variables["THRONG_FAULT"] = "trust_clock"
        daemon.write(self.path, bytes(8))
        self.move(start)

    def move(self, to):
        """From now on it is that Unix second, and later."""
        self.ahead = int(to) - int(time.time())
        with open(self.path, "r+b") as file:
            file.write(self.ahead.to_bytes(8, "little", signed=True))

    def now(self):
        return int(time.time()) + self.ahead

    def run(self, *arguments, seconds=600):
        """A throng command at that time: exit code, standard output, standard error."""
        return daemon.run(*arguments, seconds=seconds, variables=self.variables)
