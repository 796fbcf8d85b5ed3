"""Started by root, Throng follows nothing that another user can have put in its way: PostgreSQL's user, who owns a folder within the
data directory, or anybody who may write into the data directory or a folder above it."""

import os
import pwd
import shutil

import daemon
import shop
from daemon import check, say


def as_user(name, *command):
    user = pwd.getpwnam(name)
    daemon.ran("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--", *command)


def facts(path):
    found = os.lstat(path)
    return found.st_uid, found.st_gid, oct(found.st_mode), os.listdir(path) if os.path.isdir(path) else open(path).read()


class Precious:
    """What belongs to root and must stay as it is."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "precious")
        os.mkdir(self.folder, 0o755)
        self.file = os.path.join(folder, "secrets")
        daemon.write(self.file, "what only root may change\n")
        self.before = facts(self.folder), facts(self.file)

    def check(self, *when):
        after = facts(self.folder), facts(self.file)
        check(after == self.before, *when, "changed", self.before, "to", after)


def serve(house):
    """Starts, and stops as soon as it is ready; its exit code and what it said."""
    try:
        house.start()
    except daemon.Failure:
        return house.process.wait(60), house.log_text()
    return house.stop(), house.log_text()


def links():
    house = daemon.Daemon(shop.plan()).start()
    check(house.stop() == 0, "the first start")
    root = house.data + "/postgres"
    # What earlier versions left there.
    as_user("postgres", "touch", root + "/command.log")
    for name, is_folder in (("log", True), ("command.log", False), ("data/postgresql.conf", False), ("data/pg_hba.conf", False),
                            ("log/start.log", False), ("data/postmaster.pid", False), ("data", True)):
        precious = Precious(house.folder)
        as_user("postgres", "sh", "-c", f"test ! -e {root}/{name} || mv {root}/{name} {root}/kept")
        as_user("postgres", "ln", "-s", precious.folder if is_folder else precious.file, f"{root}/{name}")
        code, words = serve(house)
        precious.check("a link in place of", name)
        say(f"a link in place of {name}: exit code {code}")
        as_user("postgres", "sh", "-c", f"rm -rf {root}/{name}; test ! -e {root}/kept || mv {root}/kept {root}/{name}")
        shutil.rmtree(precious.folder)
        os.unlink(precious.file)
    # A pipe, which nobody writes to, holds nobody up.
    as_user("postgres", "mkfifo", root + "/data/postmaster.pid")
    serve(house)
    as_user("postgres", "rm", "-f", root + "/data/postmaster.pid")
    check(serve(house)[0] == 0, "afterwards all is as before", house.log_text()[-2000:])
    # The folder itself can't be a link: it lies in one of root's.
    precious = Precious(house.folder)
    os.rename(root, root + ".kept")
    os.symlink(precious.folder, root)
    code, words = serve(house)
    check(code == 1 and f"{root} is to hold PostgreSQL and is a link" in words, "a link in place of it all:", words[-800:])
    precious.check("a link in place of postgres")
    house.clean()


def folders():
    """Data directories that others may change are refused, by the daemon and by commands."""
    house = daemon.Daemon(shop.plan())
    house.is_furnished = False
    precious = Precious(house.folder)

    def refused(words, *path):
        data = os.path.join(house.folder, *path)
        house.data = data
        before = os.listdir(data) if os.path.isdir(data) else None
        code, said = serve(house)
        check(code == 1, data, "was taken:", code, said[-500:])
        check(words in said, data, "is refused, and the message does not say", words, ":", said[-600:])
        check((os.listdir(data) if os.path.isdir(data) else None) == before, "something was made in", data)
        code, _, said = daemon.run("try", os.path.join(daemon.SAMPLE, "shop.yaml"), "--data", data, "--crowd", daemon.SAMPLE, "--once")
        check(code != 0 and words in said, "the demonstration takes it:", code, said[-600:])
        daemon.write(house.log_path, "")

    nobody = pwd.getpwnam("nobody").pw_uid
    for name, mode, owner in (("foreign", 0o755, nobody), ("group", 0o775, 0), ("all", 0o777, 0), ("sticky", 0o1777, 0)):
        path = os.path.join(house.folder, name)
        os.mkdir(path)
        os.chmod(path, mode)
        os.chown(path, owner, owner)
    # Above it, a folder for a group that others are in; and one for a group that is root's alone.
    for name, group in (("grouped", pwd.getpwnam("postgres").pw_gid), ("sticky/alone", 0)):
        os.mkdir(os.path.join(house.folder, name))
        os.chown(os.path.join(house.folder, name), 0, group)
        os.chmod(os.path.join(house.folder, name), 0o2775)
    refused("has mode 2775", "grouped", "data")
    refused("has mode 2775", "sticky", "alone")
    refused(f"belongs to user {nobody}", "foreign")
    refused(f"belongs to user {nobody}", "foreign", "data")
    refused("has mode 775", "group")
    refused("has mode 777", "all", "data")
    refused("has mode 1777", "sticky")
    as_user("nobody", "ln", "-s", precious.folder, os.path.join(house.folder, "sticky", "link"))
    refused(f"is a link of user {nobody}", "sticky", "link")
    refused(f"is a link of user {nobody}", "sticky", "link", "data")
    precious.check("a refused data directory")
    # Below a folder such as /tmp, behind a link of root's, and below one of root's group, it may lie.
    os.symlink(os.path.join(house.folder, "sticky"), os.path.join(house.folder, "link"))
    house.data = os.path.join(house.folder, "link", "alone", "ours")
    check(serve(house)[0] == 0, "a folder of ours in one for all and one for us is refused:", house.log_text()[-800:])
    house.clean()
    say("folders that others may change are refused")


def test():
    if os.getuid() != 0:
        say("only root could follow a link too far: nothing was tried")
        raise SystemExit(2)
    folders()
    links()
    _, words, _ = daemon.run("try", "--help")
    check("/tmp/" not in words, "the demonstration's folder can be guessed and made by anybody:", words)
