"""Places for trials: a house and its clients, on a disk that can be broken where a row asks for one."""

import os

from clients import Crowd
from house import House, Postgres, comes
from oracle import judge
from volume import Disk, Volume


class Site:
    """A house and its clients; with a kind of file system its data directory is on a volume of its own."""

    def __init__(self, chance, kind=None, mebibytes=None, **settings):
        self.volume = Volume(kind, mebibytes) if kind else None
        data = os.path.join(self.volume.path, "data") if kind else None
        self.house = House(Postgres.shared(), data=data, **settings)
        self.disk = Disk(self.house.folder, self.volume.path) if kind else None
        self.crowd = Crowd(self.house, chance)

    def load(self, seconds, pause=0.005, most=None):
        """Clients post until the daemon has ended, for so long, until cells are short, or until there are so many batches."""
        house, crowd = self.house, self.crowd
        crowd.start(pause=pause)
        comes(lambda: house.has_ended or not crowd.has_room or most and len(crowd.batches) > most, seconds, pause=0.003)

    def darken(self, flush=False):
        """The power goes, and takes what was not synced; then it is back. The exit code of the daemon, if it had ended before."""
        code = self.house.process.poll()
        self.volume.lose_power(flush)
        if code is None:
            self.house.kill()
        self.crowd.stop()
        self.volume.power_up()
        return code

    def settle(self, tally):
        """Everything that is still unsaid is said, then the oracle looks."""
        if self.house.has_ended:
            self.house.restart()
        self.crowd.retry()
        # An orderly stop flushes, which is quicker than to wait for the next flush.
        self.house.finish()
        return judge(self.crowd, tally)

    def end(self):
        self.house.end()
        if self.volume:
            self.volume.end()


def sites(make, count, most):
    """So many trials, each with its site: a new one after so many, or where the last one has no more cells."""
    site = None
    for trial in range(count):
        if site is None or trial % most == 0 or not site.crowd.has_room:
            if site:
                site.end()
            site = make()
        yield trial, site
    if site:
        site.end()


def no_watermark(tally, chance):
    """A control of several rows: PostgreSQL forgets how far the journal has been counted, but not what: that is flushed again."""
    site = Site(chance)
    site.house.forget_watermarks()
    site.house.restart()
    site.crowd.run(clients=2, pause=0.02, most=10)
    site.house.await_doubles()
    judge(site.crowd, tally)
    site.end()
