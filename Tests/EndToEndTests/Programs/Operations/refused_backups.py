"""A backup that is damaged, cut, mixed with another, or never came to its end is refused, and what a command left that was
killed looks like nothing whole."""

import os
import re
import shutil

import daemon
from backed_up_house import DAY, furnished
from daemon import check, say, until


def damaged(house):
    """Neither check nor restore takes it, and both say where; nothing is left. RestorationTests have whatever else can happen to one."""
    house.backup("good")
    house.throng("restore", "--check", house.at("good"), "--data", house.data)
    data = daemon.read_bytes(house.at("good"))
    folder = house.at("new")
    for place, word in ((0, "is no backup"), (100, "chunk 0"), (len(data) - 1, "no whole backup")):
        daemon.write(house.at("bad"), data[:place] + bytes([data[place] ^ 1]) + data[place + 1:])
        for said in (house.restore("bad", to=folder, ends=1),
                     house.throng("restore", "--check", house.at("bad"), "--data", house.data, ends=1)):
            check(word in said, word, "is not said:", said)
        check(not os.path.exists(folder) and not os.path.exists(folder + ".restoring"), "something is left")
    house.restore("good", to=folder)
    shutil.rmtree(folder)
    say("what is changed is refused, and named")


def keys(house):
    """Another recovery key, keys from before the backup, and keys that are forgotten. RecoveryKeyTests have the rest of it."""
    shutil.copy(house.at("keys"), house.at("old keys"))
    other = daemon.run("backup", "keys", "--new-recovery-key", "--data", house.data, "--replace")[1]
    house.backup("later")
    check("does not open" in house.restore("later", to=house.at("new"), ends=1), "the former recovery key opens it")
    daemon.write(house.at("line"), other)
    said = house.restore("later", to=house.at("new"), keys="old keys", ends=1)
    check("does not open" in said, "the old ones are for the old key", said)
    # Keys that were made for a backup after the export.
    shutil.copy(house.at("keys"), house.at("old keys"))
    day = house.sql("select (extract(epoch from now())::bigint + 123 * 86400) / 86400")[0][0]
    house.sql(f"""insert into throng.coverage values ('gone', to_timestamp({day}::bigint * 86400), 'accepted', 1)""")
    house.clock.move(house.clock.now() + 60)
    house.throng("backup", "--data", house.data, "--to", house.at("latest"))
    said = house.restore("latest", to=house.at("new"), keys="old keys", ends=1)
    check("1 keys are missing" in said and "older backup" in said, said)
    house.export()
    house.restore("latest", to=house.at("new"))
    shutil.rmtree(house.at("new"))
    code, _, talk = daemon.run("backup", "keys", "--forget", "--data", house.data, stdin="no\n")
    check(code == 1 and "Nothing was destroyed" in talk, code, talk)
    code, _, talk = daemon.run("backup", "keys", "--forget", "--data", house.data, stdin="forget\n")
    check(code == 0 and "destroyed" in talk and os.listdir(os.path.join(house.data, "backup.keys")) == [], code, talk)
    house.backup("anew")
    check("is not among these keys" in house.restore("latest", to=house.at("new"), ends=1), "nobody can read it any more")
    say("keys that are not the backup's are told from those that are gone; all of them can be forgotten at once")


def killed(house):
    for point in ("backup_table:1", "backup_table:20", "before_file_named:1"):
        house.backup("cut", ends=-9, point=point)
        check(not os.path.exists(house.at("cut")), "a backup that never came to its end has a name")
        left = [name for name in os.listdir(house.elsewhere) if name.startswith("cut")]
        if left:
            said = house.restore(left[0], to=house.at("new"), ends=0 if point.startswith("before_file") else 1)
            if point.startswith("before_file"):
                # All of it was written; only its name is not.
                shutil.rmtree(house.at("new"))
            else:
                check("is no" in said, said)
    house.backup("cut")
    house.throng("restore", "--check", house.at("cut"), "--data", house.data)
    left = [name for name in os.listdir(house.elsewhere) if name.startswith("cut")]
    check(left == ["cut"], left)
    folder = house.at("new")
    for point in ("restore_table:1", "restore_table:25", "before_directory_named:1"):
        house.restore("cut", to=folder, ends=-9, point=point)
        check(not os.path.exists(folder), "a data directory that was cut short has a name")
        check(os.path.exists(folder + ".restoring"), "the test is none")
    house.restore("cut", to=folder)
    check(not os.path.exists(folder + ".restoring"), "what was left is gone")
    check(os.path.exists(folder + "/daemon.id"), "it is whole")
    shutil.rmtree(folder)
    # A database of the operator's is filled whole, or not at all.
    database = f"host={house.data}/postgres user=postgres dbname=own"
    house.sql("create database own")
    house.restore("cut", "--database", database, to=folder, ends=-9, point="restore_table:25")
    house.restore("cut", "--database", database, to=folder)
    shutil.rmtree(folder)
    check("not empty" in house.restore("cut", "--database", database, to=folder, ends=1), "a database is not written over")
    say("what was killed left nothing that looks whole, and is done again")


def ahead(house):
    """A backup by a clock that is ahead, or with no daemon for long, lacks what should have been gone by then, and says so. Once age has
    taken it, with the keys, a backup from before is restored without it, and a house of it knows that age took it."""
    folder = os.path.join(house.data, "backup.keys")
    house.backup("before")
    had = len(os.listdir(folder))
    check(house.stop() == 0, "serve stops gracefully")
    house.clock.move(house.clock.now() + 30 * DAY)
    said = house.backup("ahead", ends=2)
    check("Not in it, because it should have been gone by now" in said, said)
    check(re.search(r"released_cell, gone, until [0-9-]+: \d+ rows", said), said)
    house.start()
    until(lambda: len(os.listdir(folder)) < had, "keys of what is old stay", seconds=400)
    until(lambda: house.metrics().get('throng_retention_overdue_steps{app="gone"}') == 0, "something is overdue", seconds=400)
    house.export()
    check(house.stop() == 0, "serve stops gracefully")
    house.lose_all()
    said = house.restore("before", ends=2)
    check("released_cell, gone, until" in said and re.search(r"counter, gone, with counter_d_\d+ +\d+ rows", said), said)
    house.start()
    taken = house.sql("select dropped, sum(cells) from throng.decay group by 1 order by 1")
    check(taken and all(name == "kind" and int(cells) > 0 for name, cells in taken), taken)
    check("digest differs" not in house.log_text(), "what is left of releases is read")
    say("what should have been gone when a backup is made, or restored, is not in it, which is said")


def test():
    house = furnished()
    house.backup("first")
    damaged(house)
    keys(house)
    killed(house)
    ahead(house)
