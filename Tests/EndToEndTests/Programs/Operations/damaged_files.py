"""Every small file of a data directory, damaged: what is needed to count rightly stops the start with the file, the byte and the cure;
the daemon sets all else aside, says so, and counts on exactly."""

import glob
import json
import os

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
        return self.command(*words, "--data", self.data, ends=ends)

    def send(self, *devices):
        for device in devices:
            body = json.dumps(shop.batch(device, key=self.key))
            # A new key is in force once the daemon has looked for it.
            until(lambda: self.post(body)[0] == 202, "a batch is not taken")

    def refused(self):
        """What a start says that is refused."""
        return daemon.ran(*self.arguments(), ends=1, seconds=60).stderr


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
        whole = daemon.read_bytes(path)
        # DamagedFileTests try every byte, every length, files of other kinds and folders.
        for place in (84 if number % 2 else 31, len(whole) - 1):
            daemon.write(path, flipped(whole, place))
            said = house.refused()
            check(f"{path} is damaged at byte {place}:" in said, pattern, "byte", place, "is told as", said)
            check("version" not in said and "DecodingError" not in said, said)
        daemon.write(path, whole)
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
        whole = daemon.read_bytes(path)
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
