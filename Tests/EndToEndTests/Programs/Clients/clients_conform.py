"""The Swift client, the Python sender and the Java client keep every requirement of `throng conform`, and mutants of the last two break
those that are named. The sender speaks for people by name, and their names stay here."""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

import daemon
from daemon import ROOT, check, say

CLIENTS = os.path.join(ROOT, "Deploy", "clients")
PROBE = os.path.join(os.path.dirname(daemon.BINARY), "Probe")
sys.path.insert(0, os.path.join(CLIENTS, "python"))
from throng_folder import Answer  # noqa: E402
from throng_sender import Sender  # noqa: E402

# By client and the requirement that it breaks: a file, and what the mutant has in another way there.
MUTANTS = {
    ("java", "clock"): ("Device.java", "correct(Math.abs(ahead) > 60 ? ahead : 0);", "correct(0);"),
    ("java", "patience"): ("Device.java", "return pauseOf(what) > 0;", "return false;"),
    ("java", "taken-back"): ("Throng.java", "            takeBack();\n", ""),
    ("java", "exactly-once"): ("Folder.java", "if (!state.exists())", "if (state != null)"),
    ("python", "identifiers"): ("throng_sender.py", "return identifier(person, purpose, window, text)",
                                "return identifier(person, purpose, 0, text)"),
    ("python", "consent"): ("throng_sender.py", "if allows(purpose, each.consent, each.signals)]",
                            "if allows({**purpose, 'needs_consent': False}, {}, each.signals)]"),
    ("python", "expired"): ("throng_sender.py", '.get("may_have_arrived", True))', '.get("nothing"))'),
}


def conform(command):
    """The exit code, and the requirements by whether they are kept."""
    code, out, talk = daemon.run("conform", *command, seconds=580)
    kept = {line.split()[1].rstrip(":"): line.startswith("kept") for line in out.splitlines() if line[:1] != " "}
    return code, kept, out + talk


def command(client, folder):
    if client == "swift":
        return [PROBE, "conform"]
    if client == "python":
        return [sys.executable, os.path.join(folder, "python", "conform.py"), "sender"]
    libraries = os.path.join(folder, "libs")
    done = subprocess.run(
        [os.path.join(folder, "java", "build"), libraries], capture_output=True, text=True, timeout=300)
    check(done.returncode == 0, "the Java client is not built:", done.stderr)
    return ["java", "-XX:TieredStopAtLevel=1", "-cp", libraries + "/*", "throng.Conform"]


def mutant(client, folder, file, found, other):
    """A copy of a client with one thing in another way; its files lie as they do in the project."""
    place = os.path.join(folder, "Deploy", "clients", client)
    subprocess.run(["cp", "-r", os.path.join(CLIENTS, client), place], check=True)
    path = os.path.join(place, "throng" if client == "java" else "", file)
    with open(path, encoding="utf-8") as source:
        text = source.read()
    check(text.count(found) == 1, file, "has", repr(found), text.count(found), "times")
    with open(path, "w", encoding="utf-8") as source:
        source.write(text.replace(found, other))
    return os.path.dirname(place)


def conformance(folder):
    commands = {(client, ""): command(client, CLIENTS if client != "java" else copy(client, folder))
                for client in ("swift", "python", "java")}
    for number, ((client, requirement), (file, found, other)) in enumerate(MUTANTS.items()):
        own = os.path.join(folder, str(number))
        os.makedirs(os.path.join(own, "Deploy", "clients"))
        commands[client, requirement] = command(client, mutant(client, own, file, found, other))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = dict(zip(commands, pool.map(conform, commands.values())))
    for (client, requirement), (code, kept, words) in results.items():
        if requirement:
            check(code == 1 and kept.get(requirement) is False, "the mutant of", client, requirement, "passes:", code, words)
        else:
            check(code == 0 and len(kept) == 16 and all(kept.values()), client, "conforms:", code, words)
    say(f"three clients keep 16 requirements, and {len(MUTANTS)} mutants break what they are said to break")


def copy(client, folder):
    place = os.path.join(folder, "whole", "Deploy", "clients")
    os.makedirs(place)
    subprocess.run(["cp", "-r", os.path.join(CLIENTS, client), place], check=True)
    return place


# People by name

def plan():
    purposes = [{"name": name, "rotation_seconds": 900, "needs_consent": name == "adverts", "refused_by": ["do_not_track"],
                 "context_fields": [], "events": [{"name": "view", "fields": []}]} for name in ("product", "adverts")]
    metrics = [{"name": name, "purpose": name, "events": ["view"], "dimensions": [], "sums": [], "sampling": 1, "period": "day",
                "contribution_bound": 10} for name in ("product", "adverts")]
    return {"app": "shop", "time_zone": "UTC", "version": "1", "purposes": purposes, "dimensions": [], "metrics": metrics}


def names():
    now, asked = [1_795_435_800.0], []

    def transport(method, url, body, headers):
        if method == "GET":
            return Answer(200, {}, json.dumps(plan()).encode())
        asked.append((url.split("/v1/")[1].split("?")[0], json.loads(body)))
        return Answer(202, {}, b'{"accepted":1,"refused":[]}')

    sender = Sender("https://count.example.com", "shop", clock=lambda: now[0], transport=transport)

    def said(person, **more):
        """What leaves for an event of a person, by purpose."""
        before = len(asked)
        sender.record(person, "view", **more)
        check(sender.send() is None, "all is answered:", sender.status)
        return {body["purpose"]: body["id"] for _, body in asked[before:]}

    alice, bob = said("alice", consent={"adverts": 1}), said("bob")
    check(set(alice) == {"product", "adverts"} and set(bob) == {"product"}, "who agreed counts:", alice, bob)
    check(len({*alice.values(), *bob.values()}) == 3, "each has an identifier for each purpose:", alice, bob)
    check(said("alice", consent={"adverts": True}) == alice, "in a window it is one")
    check(said("bob", signals=["do_not_track"]) == {} and sender.status.dropped == {"not_allowed": 1}, "an opt-out holds")
    sender.take_back("alice", "adverts")
    sender.send()
    check([each for each in asked if each[0] == "withdraw"] == [
        ("withdraw", {"app": "shop", "purpose": "adverts", "window": 1_994_928, "id": alice["adverts"]})], "it is taken back:", asked)
    again = said("alice", consent={"adverts": 1})
    check(again["product"] == alice["product"] and again["adverts"] != alice["adverts"], "who agrees again is another:", again)
    now[0] += 900
    check(not {*said("alice").values()} & {*alice.values()}, "in the next window it is another")
    now[0] += 1800
    sender.send()
    check(not sender._keys and not sender._used, "what windows had is forgotten with them")
    check("alice" not in json.dumps(asked) and len(sender.log) == len(asked), "no name leaves")
    say("people by name are others in each window and purpose, and their names stay here")


def test():
    names()
    with tempfile.TemporaryDirectory() as folder:
        conformance(folder)


if __name__ == "__main__":
    daemon.main(test)
