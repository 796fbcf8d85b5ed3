"""A backup that is damaged, cut, mixed with another, or never came to its end is refused, and what a command left that was
killed looks like nothing whole."""

import fcntl
import os
import re
import shutil
import struct

import daemon
from backed_up_house import DAY, furnished
from daemon import check, say

HEAD = 40


def frames(data):
    """Where each chunk begins, and how long it is; the list last."""
    found, place = [], HEAD
    [end] = struct.unpack("<Q", data[-16:-8])
    while place <= end:
        name, size = struct.unpack("<II", data[place:place + 8])
        found.append((place, 32 + name + size + 16))
        place += found[-1][1]
    check(place == len(data) - 16, "the frames are all there is", place, len(data))
    return found


def table(data, frame):
    [length] = struct.unpack("<I", data[frame[0]:frame[0] + 4])
    return data[frame[0] + 32:frame[0] + 32 + length].decode()


def refused(house, data, *words):
    """Neither check nor restore takes it, and both say where; nothing is left."""
    with open(house.at("bad"), "wb") as file:
        file.write(data)
    folder = house.at("new")
    for said in (
            house.restore("bad", to=folder, ends=1),
            house.throng("restore", "--check", house.at("bad"), "--data", house.data, ends=1)):
        check(all(word in said for word in words), words, "is not said:", said)
    check(not os.path.exists(folder) and not os.path.exists(folder + ".restoring"), "something is left")


def damaged(house):
    house.backup("good")
    house.backup("second")
    with open(house.at("good"), "rb") as file:
        good = file.read()
    with open(house.at("second"), "rb") as file:
        second = file.read()
    chunks, others = frames(good), frames(second)
    check(len(chunks) > 30, len(chunks))
    house.throng("restore", "--check", house.at("good"), "--data", house.data)

    def flipped(place, bit=1):
        return good[:place] + bytes([good[place] ^ bit]) + good[place + 1:]

    refused(house, flipped(0), "is no backup")
    refused(house, flipped(9), "the list of what is in it")
    refused(house, flipped(30), "is not among these keys")
    for number in (0, 7, len(chunks) // 2, len(chunks) - 2):
        place, size = chunks[number]
        where = f"chunk {number} ({table(good, chunks[number])}) at byte {place}"
        for offset in (0, 4, 16, 32, size // 2 + 16, size - 1):
            refused(house, flipped(place + offset, 128), where, "is damaged")
        refused(house, flipped(place + 8, 4), where, "stands where chunk")
    refused(house, flipped(chunks[-1][0] + 40), "the list of what is in it", f"at byte {chunks[-1][0]}")
    refused(house, flipped(len(good) - 1), "no whole backup")
    refused(house, flipped(len(good) - 16), "the list")

    for length in (0, 39, HEAD, chunks[3][0], chunks[-1][0], len(good) - 17, len(good) - 1):
        refused(house, good[:length], "is no")
    # The list of all is put behind fewer chunks.
    [start, size] = chunks[5]
    without = good[:start] + good[start + size:-16] + struct.pack("<Q", chunks[-1][0] - size) + good[-8:]
    refused(house, without, f"chunk 5 (", f"at byte {start}")
    refused(house, good + b"\0", "no whole backup")
    end = chunks[-1][0]
    more = good[:end] + good[start:start + size] + good[end:-16] + struct.pack("<Q", end + size) + good[-8:]
    refused(house, more, "the list of what is in it")

    def at(data, frame):
        return data[frame[0]:frame[0] + frame[1]]

    first, next_one = chunks[8], chunks[9]
    refused(
        house, good[:first[0]] + at(good, next_one) + at(good, first) + good[next_one[0] + next_one[1]:],
        f"chunk 8 (", "chunk 9")
    # The same rows under the same key at the same place, of another backup.
    number = next(number for number, (one, other) in enumerate(zip(chunks, others)) if one[1] == other[1] and number > 5)
    place, size = chunks[number]
    check(at(good, chunks[number]) != at(second, others[number]), "no two backups have the same bytes")
    refused(
        house, good[:place] + at(second, others[number]) + good[place + size:], f"chunk {number} (", "or is another backup's")
    # Its list, of another backup.
    refused(house, good[:chunks[-1][0]] + second[others[-1][0]:], "the list")
    house.restore("good", to=house.at("new"))
    shutil.rmtree(house.at("new"))
    say("whatever is changed, cut, left out, moved or of another backup is refused, and named")


def keys(house):
    """Other keys, another recovery key, keys from before the backup."""
    shutil.copy(house.at("keys"), house.at("old keys"))
    with open(house.at("line")) as file:
        line = file.read()
    other = daemon.run("backup", "keys", "--new-recovery-key", "--data", house.data, "--replace")[1]
    check(other.startswith("throng-recovery-") and other != line, other)
    house.backup("later")
    said = house.restore("later", to=house.at("new"), ends=1)
    check("does not open" in said, said)
    with open(house.at("line"), "w") as file:
        file.write(other)
    said = house.restore("later", to=house.at("new"), keys="old keys", ends=1)
    check("does not open" in said, "the old ones are for the old key", said)
    house.restore("later", to=house.at("new"))
    shutil.rmtree(house.at("new"))
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
    shutil.copy(house.at("keys"), house.at("old keys"))
    house.backup("anew")
    check("is not among these keys" in house.restore("latest", to=house.at("new"), ends=1), "nobody can read it any more")
    house.restore("latest", to=house.at("new"), keys="old keys")
    shutil.rmtree(house.at("new"))
    house.restore("anew", to=house.at("new"))
    shutil.rmtree(house.at("new"))
    text = house.throng("retention", "status", "--ledger", "--data", house.data, "--json")
    check("the operator had all backups forgotten" in text, text)
    say("keys that are not the backup's are told from those that are gone; all of them can be forgotten at once")


def held(house):
    """While a backup is made no app is deleted and no key destroyed: what it has read must not get a key afterwards."""
    with open(os.path.join(house.data, "backup.keys.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        check("Another command makes a backup" in house.backup("meanwhile", ends=1), "one at a time")
        check("Another command makes a backup" in house.throng("backup", "keys", "--forget", "--yes", "--data", house.data, ends=1), "no")
        check(house.stop() == 0, "serve stops gracefully")
        said = house.throng("app", "delete", "gone", "--yes", "--data", house.data, ends=1)
        check("Another command makes a backup" in said, said)
    house.start()
    check(not os.path.exists(house.at("meanwhile")) and house.visits() == 120, "nothing was done")
    say("nobody forgets keys while a backup is made")


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
    """A backup by a clock that is ahead, or with no daemon for long, lacks what should have been gone by then, and says so."""
    check(house.stop() == 0, "serve stops gracefully")
    now = house.clock.now()
    house.clock.move(now + 30 * DAY)
    said = house.backup("ahead", ends=2)
    check("Not in it, because it should have been gone by now" in said, said)
    check(re.search(r"released_cell, gone, until [0-9-]+: \d+ rows", said), said)
    house.lose_all()
    check("released_cell, gone, until" in house.restore("ahead", ends=2), "it is left out")
    house.start()
    taken = house.sql("select dropped, sum(cells) from throng.decay group by 1 order by 1")
    check(taken and all(name == "kind" and int(cells) > 0 for name, cells in taken), taken)
    check("digest differs" not in house.log_text(), "what is left of releases is read")
    say("what should have been gone when a backup is made is not in it, which is said")


def test():
    house = furnished()
    house.backup("first")
    damaged(house)
    keys(house)
    held(house)
    killed(house)
    ahead(house)


if __name__ == "__main__":
    daemon.main(test)
