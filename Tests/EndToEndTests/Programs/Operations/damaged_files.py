"""Every small file of a data directory, damaged: what is needed to count rightly stops the start with the file, the byte and the cure;
the daemon sets all else aside, says so, and counts on exactly."""

import glob
import json
import os
import subprocess

import daemon
import shop
from daemon import check, say, until

# The files whose damage stops the start.
NEEDED = ("daemon.id", "windows/*.key", "installation.secret", "app-keys")
# The files whose damage does not, all at once; with what their first line says that they are.
SPARED = {
    "attachment": "attachment", "believed": "believed-time", "credentials/*.key": "credential-key", "flushed/*.key": "flush-key",
    "gateway.secret": "gateway-secret", "layouts/*.layout": "layout", "members": "members", "oblivious/*.key": "gateway-key",
}


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
            body = json.dumps(shop.batch(device, key=self.key))
            # A new key is in force once the daemon has looked for it.
            until(lambda: self.post(body)[0] == 202, "a batch is not taken")

    def refused(self):
        """What a start says that is refused."""
        done = subprocess.run(self.arguments(), capture_output=True, text=True, timeout=60, env=daemon.environment())
        check(done.returncode == 1, "a start ended with", done.returncode, done.stderr)
        return done.stderr


def read(path):
    with open(path, "rb") as file:
        return file.read()


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


def stopped(house):
    for number, pattern in enumerate(NEEDED):
        path = house.at(pattern)
        whole = read(path)
        # DamagedFileTests try every byte and every length.
        for place in (84 if number % 2 else 31, len(whole) - 1):
            daemon.write(path, flipped(whole, place))
            said = house.refused()
            check(f"{path} is damaged at byte {place}:" in said, pattern, "byte", place, "is told as", said)
            check("version" not in said and "DecodingError" not in said, said)
        shapes = (
            (b"", "at byte 0: it is empty"), (whole[:40], "at byte 40: it ends there"),
            (whole[:-3], f"at byte {len(whole) - 3}: it ends there"), (bytes(len(whole)), "at byte 0: all is zero"),
            (whole + whole, f"at byte {len(whole)}: {len(whole)} bytes more"), (b'{"keys": []}\n', "at byte 0: it does not begin"),
            (read(house.at("gateway.secret")), "but the secret that vouches"))
        for data, words in (shapes[number], shapes[(number + 4) % len(shapes)]):
            daemon.write(path, data)
            said = house.refused()
            check(path in said and words in said, pattern, "is told as", said)
        daemon.write(path, whole)
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
        daemon.write(path, flipped(whole, places[path], 0x10))
    house.start()
    said = house.log_text()
    for path, place in places.items():
        check(f"{path} is damaged at byte {place}:" in said, path, "byte", place, "is not said:\n", said[-4000:])
    house.send("a", "b", "c")
    house.drain()
    check((shop.counted(house), shop.devices(house)) == (5, 3), "counted are", shop.counted(house), shop.devices(house))
    say("what is not needed is said, and counting goes on")
    return places


def test():
    house = furnished()
    house.kill()
    stopped(house)
    spared(house)
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
