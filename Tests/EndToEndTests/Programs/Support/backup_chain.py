"""Backups of a house, one after the other, with their keys kept elsewhere; and what can be read in them later."""

import os
import shutil

import daemon
from daemon import check


class Chain:
    """The backups are where nothing forgets; of the keys there is one copy, in the place of which each export puts the next."""

    def __init__(self, house):
        self.house = house
        self.folder = os.path.join(house.folder, "elsewhere")
        os.mkdir(self.folder)
        daemon.write(self.at("line"), house.clock.run("backup", "keys", "--new-recovery-key", "--data", house.data)[1])
        self.names = []

    def at(self, name):
        return os.path.join(self.folder, name)

    def add(self, name):
        """Another one. What is old by now goes with a round of the daemon; until then a backup leaves it out, and says so."""
        words = ("backup", "--data", self.house.data, "--to", self.at(name), "--keys-to", self.at("keys"))

        def is_made():
            code, out, talk = self.house.clock.run(*words)
            check(code == 0 or code == 2 and "should have been gone" in talk + out, *words, code, out, talk)
            if code:
                os.remove(self.at(name))
            return code == 0
        daemon.until(is_made, "something is never gone:", name, seconds=300, pause=0.5)
        self.names.append(name)

    def export(self):
        self.house.command("backup", "keys", "--data", self.house.data, "--to", self.at("keys"))

    def texts(self, name, keys="keys"):
        """What a backup opens with the keys that are left: a dump of its database, and its files; nothing without any."""
        copy, socket = self.at("copy"), self.house.data + "/postgres"
        self.house.sql("create database copy")
        try:
            code, out, talk = self.house.clock.run(
                "restore", self.at(name), "--data", copy, "--database", f"host={socket} user=postgres dbname=copy",
                "--keys", self.at(keys), "--recovery-key", self.at("line"))
            if code == 1 and "is not among these keys" in talk:
                return {}
            check(code in (0, 2), "restore ended with", code, out, talk)
            files = b"".join(text for _, text in daemon.files(copy))
            contents = self.house.sql("select encode(contents, 'escape') from throng.run_file", database="copy")
            return {f"backup {name}: the dump": self.house.dump("copy"),
                    f"backup {name}: files": files.decode(errors="replace"),
                    f"backup {name}: files of reports": "\n".join(row[0] or "" for row in contents)}
        finally:
            self.house.sql("drop database copy with (force)")
            shutil.rmtree(copy, ignore_errors=True)
