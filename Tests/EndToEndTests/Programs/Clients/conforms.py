"""The Python client and the beacon, in Chromium, as a script and as a module, keep every requirement of `throng conform`, and each mutant of them breaks one that is
named; the Python client puts values where Deploy/conform/vectors.json does, and refuses by itself what it must."""

import concurrent.futures
import hashlib
import hmac
import json
import os
import subprocess
import sys
import tarfile
import tempfile

import client_mutants
import daemon
from daemon import ROOT, Failure, check, say

CLIENT = os.path.join(ROOT, "Deploy", "clients", "python")
DRIVER = os.path.join(ROOT, "Deploy", "clients", "web", "conform.py")
BEACON = os.path.join(ROOT, "Sources", "ThrongServer", "Web", "throng.js")
sys.path.insert(0, CLIENT)
import throng_buckets  # noqa: E402
import throng_client  # noqa: E402

# By the requirement that it breaks: what a mutant of the beacon has in another way.
BEACONS = {
    "clock": ("    shift += off;\n", ""),
    "patience": ("    const pause = state.after - performance.now();\n", "    const pause = 0;\n"),
    "taken-back": ("    for (const [window, id] of used) add(", "    for (const [window, id] of []) add("),
    "exactly-once": ("batches: recall(keyOf({ name }) + \" waiting\") }", "batches: [] }"),
}


def vectors():
    """The Python client does what the vectors say; VectorTests hold Swift against the same file, beacon_vectors the beacon."""
    document = json.loads(daemon.read(ROOT, "Deploy", "conform", "vectors.json"))
    count = 0
    for each in document["buckets"]:
        for case in each["values"]:
            found = throng_buckets.bucket(each["rule"], each["labels"], case["value"])
            check(found == case["label"], each["dimension"], repr(case["value"]), "lands in", found, "not", case["label"])
            check(throng_buckets.bucket(each["rule"], each["labels"], found) == found, "a label stays:", found)
            count += 1
    for each in document["identifiers"]:
        found = throng_client.identifier(bytes.fromhex(each["secret"]), each["purpose"], each["window"])
        check(found == each["identifier"], each, found)
    for each in document["windows"]:
        check(each["unix"] // each["rotation_seconds"] == each["window"], each)
    for each in document["hashes"]:
        text = "\0".join(["throng revealed", each["app"], each["purpose"], each["dimension"], str(each["window"])])
        code = hmac.new(hashlib.sha256(text.encode()).digest(), each["value"].encode(), hashlib.sha256).hexdigest()
        check(each["hash"] == "#" + code[:32], each)
    say(f"{count} values land where the vectors say")


def rules():
    """What the Python client refuses by itself, and that its folder is one client's."""
    with tempfile.TemporaryDirectory() as folder:
        for address in ("http://count.example.com", "ftp://127.0.0.1", "count.example.com"):
            try:
                throng_client.Client(address, "shop", os.path.join(folder, "nobody"))
            except ValueError:
                continue
            raise Failure("a client speaks to", address)
        client = throng_client.Client("http://127.0.0.1:9", "shop", os.path.join(folder, "device"))
        check(client.status.waiting == 0 and "no plan" in client.status.problem, client.status)
        client.set_consent("product", True)
        try:
            throng_client.Client("http://127.0.0.1:9", "shop", os.path.join(folder, "device"))
            raise Failure("two clients have one folder")
        except BlockingIOError:
            client.close()
        mode = os.stat(os.path.join(folder, "device", "state.json")).st_mode & 0o777
        check(mode == 0o600, "others can read its state:", oct(mode))


def conform(*command):
    """The exit code, and the requirements by whether they are kept."""
    code, out, talk = daemon.run(
        "conform", sys.executable, *command, seconds=580, variables={"PYTHONPATH": os.path.join(ROOT, ".build", "browser")})
    kept = {line.split()[1].rstrip(":"): line.startswith("kept") for line in out.splitlines() if line[:1] != " "}
    return code, kept, out + talk


def beacons(folder):
    """The program that drives each mutant of the beacon, with the requirement that it breaks."""
    source = daemon.read(BEACON)
    for requirement, (found, other) in BEACONS.items():
        check(source.count(found) == 1, "the script has", repr(found), source.count(found), "times")
        path = daemon.write(os.path.join(folder, requirement + ".js"), source.replace(found, other))
        yield (DRIVER, path), requirement


def module(folder):
    """The beacon's module, out of its package."""
    done = subprocess.run(
        [os.path.join(ROOT, "Deploy", "clients", "npm", "build"), folder], capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, "the module is not built:", done.stderr)
    with tarfile.open(done.stdout.strip()) as package:
        package.extract("package/index.js", folder)
    return os.path.join(folder, "package", "index.js")


def clients():
    """Those that conform, and mutants of them that do not."""
    with tempfile.TemporaryDirectory() as folder:
        for command in ((os.path.join(CLIENT, "conform.py"),), (DRIVER, BEACON), (DRIVER, module(folder))):
            code, kept, words = conform(*command)
            check(code == 0 and len(kept) == 16 and all(kept.values()), "a client does not conform:", code, words)
    say(f"the Python client, the beacon and its module keep {len(kept)} requirements")
    wrong = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        mutants = [((client_mutants.__file__, kind.__name__), broken) for kind, broken in client_mutants.BREAKS.items()]
        mutants += beacons(folder)
        for (command, broken), (code, kept, words) in zip(mutants, pool.map(lambda each: conform(*each[0]), mutants)):
            if code != 1 or kept.get(broken) is not False:
                wrong.append((command, code, broken, words[-1500:]))
    check(not wrong, "mutants pass:", *wrong)
    say(f"{len(mutants)} mutants break what they are said to break")
    # A program that ends, one that says something else, and one that is not there.
    for command, word in ((["-c", "pass"], "ended"), (["-c", "input(); print('no')"], "another line"), (["/nowhere.py"], "ended")):
        code, _, words = conform(*command)
        check(code == 1 and word in words, command, code, words)


def test():
    vectors()
    rules()
    clients()


if __name__ == "__main__":
    daemon.main(test)
