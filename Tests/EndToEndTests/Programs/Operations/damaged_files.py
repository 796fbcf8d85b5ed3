"""Every small file of a data directory, damaged: what is needed to count rightly stops the start with the file, the byte and the cure;
the daemon sets all else aside, says so, and counts on exactly."""

import glob
import json
import os
import subprocess

import daemon
import shop
from daemon import check, say

# The files whose damage stops the start.
NEEDED = ("daemon.id", "windows/*.key", "installation.secret", "app-keys")
# The files whose damage does not, all at once; with what their first line says that they are.
SPARED = {
    "attachment": "attachment", "believed": "believed-time", "credentials/*.key": "credential-key", "flushed/*.key": "flush-key",
    "gateway.secret": "gateway-secret", "layouts/*.layout": "layout", "members": "members", "oblivious/*.key": "gateway-key",
}
# Those of commands.
ASKED = ("backup.recovery", "backup.keys/*.key")
# What is no small file, or another program's.
OTHERS = ("journal/", "postgres/", "plans/", "lock", "backup.keys.lock", "flushed/0000000000.flushes", "checkpoint")
HEAD = 90


class House(daemon.Daemon):
    def at(self, pattern):
        """The first file of a pattern."""
        found = sorted(glob.glob(os.path.join(self.data, pattern)))
        check(found, "there is no", pattern, "in", os.listdir(self.data))
        return found[0]

    def throng(self, *words, ends=0):
        status, out, error = daemon.run(*words, "--data", self.data, seconds=60)
        check(status == ends, words, "ended with", status, out, error)
        return out + error

    def send(self, *devices):
        for device in devices:
            status, _, answer = self.post(json.dumps(shop.batch(device, key=self.key)))
            check(status == 202, "a batch is answered", status, answer)

    def refused(self):
        """What a start says that is refused."""
        done = subprocess.run(self.arguments(), capture_output=True, text=True, timeout=60, env=daemon.environment())
        check(done.returncode == 1, "a start ended with", done.returncode, done.stderr)
        return done.stderr


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "r+b") as file:
        file.truncate()
        file.write(data)


def flipped(data, place, bit=1):
    return data[:place] + bytes([data[place] ^ bit]) + data[place + 1:]


def furnished():
    house = House(shop.plan())
    house.start()
    house.key = daemon.run("app", "key", "new", "shop", "--name", "ios", "--data", house.data)[1].strip()
    house.throng("backup", "keys", "--new-recovery-key")
    house.throng("backup", "make", "--to", os.path.join(house.folder, "copy"))
    house.send("a", "b")
    house.drain()
    return house


def listed(house):
    """Everything that lies there is one of those named above, and says what it is."""
    for folder, _, names in os.walk(house.data):
        for name in names:
            path = os.path.join(folder, name)
            place = os.path.relpath(path, house.data)
            if not place.startswith(OTHERS):
                check(read(path).startswith(b"throng "), place, "does not say what it is:", read(path)[:40])


def stopped(house):
    for number, pattern in enumerate(NEEDED):
        path = house.at(pattern)
        whole = read(path)
        # DamagedFileTests try every byte and every length.
        for place in (9, 84 if number % 2 else 31, len(whole) - 1):
            write(path, flipped(whole, place))
            said = house.refused()
            check(f"{path} is damaged at byte {place}:" in said, pattern, "byte", place, "is told as", said)
            check("version" not in said and "DecodingError" not in said, said)
        shapes = (
            (b"", "at byte 0: it is empty"), (whole[:40], "at byte 40: it ends there"),
            (whole[:-3], f"at byte {len(whole) - 3}: it ends there"), (bytes(len(whole)), "at byte 0: all is zero"),
            (whole + whole, f"at byte {len(whole)}: {len(whole)} bytes more"), (b'{"keys": []}\n', "at byte 0: it does not begin"),
            (read(house.at("gateway.secret")), "but the secret that vouches"))
        for data, words in (shapes[number], shapes[(number + 4) % len(shapes)]):
            write(path, data)
            said = house.refused()
            check(path in said and words in said, pattern, "is told as", said)
        write(path, whole)
    path = house.at("windows/*.key")
    os.rename(path, path + ".kept")
    os.mkdir(path)
    said = house.refused()
    check(f"{path} is a directory" in said, "a directory is told as", said)
    os.rmdir(path)
    os.rename(path + ".kept", path)
    for name in ("daemon.id", "installation.secret"):
        path = os.path.join(house.data, name)
        os.rename(path, path + ".kept")
        said = house.refused()
        check(f"{path} is missing" in said, name, "is told as", said)
        os.rename(path + ".kept", path)
    say("what is needed stops the start, with file, byte and cure")


def spared(house):
    places = {}
    for number, pattern in enumerate(SPARED):
        path = house.at(pattern)
        whole = read(path)
        places[path] = len(whole) - 1 - number % 7 if number % 2 else 7 + number
        write(path, flipped(whole, places[path], 0x10))
    house.start()
    said = house.log_text()
    for path, place in places.items():
        check(f"{path} is damaged at byte {place}:" in said, path, "byte", place, "is not said:\n", said[-4000:])
    house.send("a", "b", "c")
    house.drain()
    check((shop.counted(house), shop.devices(house)) == (5, 3), "counted are", shop.counted(house), shop.devices(house))
    say("what is not needed is said, and counting goes on")
    return places


def asked(house):
    for pattern in ASKED:
        path = house.at(pattern)
        whole = read(path)
        write(path, flipped(whole, HEAD + 20))
        said = house.throng("backup", "keys", "--to", os.path.join(house.folder, "keys"), ends=1)
        check(f"{path} is damaged at byte {HEAD + 20}:" in said, pattern, "is told as", said)
        write(path, whole)
    say("commands say it, too")


def test():
    house = furnished()
    listed(house)
    house.kill()
    stopped(house)
    spared(house)
    asked(house)
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
