"""Each client keeps every requirement of `throng conform`: the Swift one, Python's client and sender, Java's, and in Chromium the beacon, as
a script and a module. A mutant of each requirement breaks it. Python's client puts values where Deploy/conform/vectors.json does,
and refuses by itself what it must; the sender speaks for people by name, and their names stay here."""

import concurrent.futures
import contextlib
import hashlib
import hmac
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile

import daemon
from daemon import ROOT, Failure, check, say

CLIENTS = os.path.join(ROOT, "Deploy", "clients")
DRIVER = os.path.join(CLIENTS, "web", "conform.py")
BEACON = os.path.join(ROOT, "Sources", "ThrongServer", "Web", "throng.js")
PROBE = os.path.join(os.path.dirname(daemon.BINARY), "Probe")
sys.path.insert(0, os.path.join(CLIENTS, "python"))
import throng_buckets  # noqa: E402
import throng_client  # noqa: E402
from throng_sender import Sender  # noqa: E402

ALLOWS = "return allows(purpose, *"
IDENTIFIER = 'self._state["secret"]), purpose, window,'
POST = 'self._post("/v1/batches", batch["body"], '
# Of each client the requirement that a mutant breaks, a file, and what the mutant has in another way there.
MUTANTS = [
    ("java", "clock", "Device.java", "correct(Math.abs(ahead) > 60 ? ahead : 0);", "correct(0);"),
    ("java", "patience", "Device.java", "return pauseOf(what) > 0;", "return false;"),
    ("java", "taken-back", "Throng.java", "            takeBack();\n", ""),
    ("java", "exactly-once", "Folder.java", "if (!state.exists())", "if (state != null)"),
    ("sender", "identifiers", "throng_sender.py", "return identifier(person, purpose, window, text)",
     "return identifier(person, purpose, 0, text)"),
    ("sender", "consent", "throng_sender.py", "if allows(purpose, each.consent, each.signals)]",
     "if allows({**purpose, 'needs_consent': False}, {}, each.signals)]"),
    ("sender", "expired", "throng_sender.py", '.get("may_have_arrived", True))', '.get("nothing"))'),
    ("python", "counted", "throng_client.py", "self._early.append((event, dict(fields or {}), self._now(), self._permissions()))", "pass"),
    ("python", "planned",
     "throng_speaker.py", '"at": quarter(at), "fields": fields}', '"at": quarter(at), "fields": {**fields, "mood": "fine"}}'),
    ("python", "coarsened", "throng_speaker.py", "label = coarse(readers, value)", "label = value"),
    ("python", "windows", "throng_client.py", "window = int(now // rotation)", "window = int(now // rotation) + 1"),
    ("python", "identifiers", "throng_client.py", IDENTIFIER, 'self._state["secret"]), purpose, 0,'),
    ("python", "identifiers", "throng_client.py", IDENTIFIER, 'self._state["secret"]), "all", int(self._now() // 900),'),
    ("python", "no-identifier",
     "throng_client.py", 'if purpose.get("identifier") != "none":\n            body', "if True:\n            body"),
    ("python", "same-bytes", "throng_client.py", POST,
     POST.replace('batch["body"]', 'json.dumps({**json.loads(batch["body"]), "batch": secrets.token_hex(16)})')),
    ("python", "exactly-once", "throng_client.py", "self._folder.save(self._state)", "pass"),
    ("python", "patience", "throng_speaker.py", 'return self._pause_of(self._state["patience"].get(what)) > 0', "return False"),
    ("python", "refused", "throng_client.py", "answer.status in (408, 429):", "answer.status in (408, 422, 429):"),
    ("python", "expired",
     "throng_client.py", 'self._settle(name, returns=not batch["may_have_arrived"])', "self._settle(name, returns=True)"),
    ("python", "consent", "throng_client.py", ALLOWS, ALLOWS.replace("purpose", '{**purpose, "needs_consent": False}'),
     '= state["consent"][name]', '= state["consent"].get(name, 1)'),
    ("python", "consent-version", "throng_client.py", ALLOWS, ALLOWS.replace("purpose", '{**purpose, "consent_version": 1}')),
    ("python", "opt-out", "throng_client.py", ALLOWS, ALLOWS.replace("purpose", '{**purpose, "refused_by": []}')),
    ("python", "taken-back", "throng_client.py", "        self._take_back()\n", ""),
    ("python", "clock", "throng_speaker.py", "self._correct(ahead if abs(ahead) > 60 else 0.0)", "self._correct(0.0)"),
    ("beacon", "clock", "throng.js", "    shift += off;\n", ""),
    ("beacon", "patience", "throng.js", "    const pause = state.after - performance.now();\n", "    const pause = 0;\n"),
    ("beacon", "taken-back", "throng.js", "    for (const [window, id] of used) add(", "    for (const [window, id] of []) add("),
    ("beacon", "exactly-once", "throng.js", "batches: recall(keyOf({ name }) + \" waiting\") }", "batches: [] }"),
]


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
        except BlockingIOError as error:
            check("Another client or process uses this directory" in str(error), error)
            client.close()
        mode = os.stat(os.path.join(folder, "device", "state.json")).st_mode & 0o777
        check(mode == 0o600, "others can read its state:", oct(mode))


def conform(command):
    """The exit code, and the requirements by whether they are kept."""
    code, out, talk = daemon.run("conform", *command, seconds=580, variables={"PYTHONPATH": os.path.join(ROOT, ".build", "browser")})
    kept = {line.split()[1].rstrip(":"): line.startswith("kept") for line in out.splitlines() if line[:1] != " "}
    return code, kept, out + talk


def command(client, folder, *changes):
    """What drives a client, or a copy of it in a folder of its own with one file in another way; files lie as they do in the project."""
    if client == "swift":
        return [PROBE, "conform"]
    source = {"sender": "python", "beacon": "web"}.get(client, client)
    place = os.path.join(folder, "Deploy", "clients", source)
    os.makedirs(os.path.dirname(place))
    subprocess.run(["cp", "-r", os.path.join(CLIENTS, source), place], check=True)
    if changes:
        file, *pairs = changes
        path = os.path.join(place, "throng" if client == "java" else "", file)
        text = daemon.read(BEACON if client == "beacon" else path)
        for found, other in zip(pairs[::2], pairs[1::2]):
            check(text.count(found) == 1, file, "has", repr(found), text.count(found), "times")
            text = text.replace(found, other)
        daemon.write(path, text)
    if client == "beacon":
        return [sys.executable, DRIVER, path if changes else BEACON]
    if client != "java":
        return [sys.executable, os.path.join(place, "conform.py"), *["sender"] * (client == "sender")]
    libraries = os.path.join(folder, "libs")
    daemon.ran(os.path.join(place, "build"), libraries)
    return ["java", "-XX:TieredStopAtLevel=1", "-cp", libraries + "/*", "throng.Conform"]


def module(folder):
    """The beacon's module, out of its package."""
    with tarfile.open(daemon.ran(os.path.join(CLIENTS, "npm", "build"), folder).stdout.strip()) as package:
        package.extract("package/index.js", folder)
    return os.path.join(folder, "package", "index.js")


def conformance(folder):
    """Those that conform, and mutants of them that do not."""
    kinds = [(client, None) for client in ("swift", "python", "sender", "java", "beacon")] + MUTANTS
    commands = [command(client, os.path.join(folder, str(number)), *changes) for number, (client, _, *changes) in enumerate(kinds)]
    kinds.append(("module", None))
    commands.append([sys.executable, DRIVER, module(folder)])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(conform, commands))
    for (client, requirement, *_), (code, kept, words) in zip(kinds, results):
        if requirement:
            check(code == 1 and kept.get(requirement) is False, "the mutant of", client, requirement, "passes:", code, words)
        else:
            check(code == 0 and len(kept) == 16 and all(kept.values()), client, "does not conform:", code, words)
    say(f"six clients keep 16 requirements, and {len(MUTANTS)} mutants break what they are said to break")
    # A program that ends, one that says something else, and one that is not there.
    for words, said in ((["-c", "pass"], "ended"), (["-c", "input(); print('no')"], "another line"), (["/nowhere.py"], "ended")):
        code, _, talk = conform([sys.executable, *words])
        check(code == 1 and said in talk, words, code, talk)


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
            return throng_client.Answer(200, {}, json.dumps(plan()).encode())
        asked.append((url.split("/v1/")[1].split("?")[0], json.loads(body)))
        return throng_client.Answer(202, {}, b'{"accepted":1,"refused":[]}')

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


def forgets():
    """A device that is forgotten takes back what it sent and is another one; what the plan lacks is said."""
    asked = []

    def transport(method, url, body, headers):
        if method == "POST":
            asked.append((url.split("/v1/")[1].split("?")[0], json.loads(body)["id"]))
        return throng_client.Answer(*(202, {}, b'{"accepted":1,"refused":[]}') if body else (200, {}, json.dumps(plan()).encode()))

    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as talk:
        client = throng_client.Client("https://count.example.com", "shop", folder, context={"colour": "red"}, transport=transport)
        client.set_consent("advert", True)
        for step in (client.forget, client.forget, client.close):
            client.record("view")
            client.send()
            step()
    check([path for path, _ in asked] == ["batches", "withdraw", "batches", "withdraw", "batches"], "it takes back", asked)
    check(asked[0] == ("batches", asked[1][1]) and len({name for _, name in asked}) == 3, "it is the same device:", asked)
    check("no purpose advert; it has product, adverts" in talk.getvalue() and "no field colour" in talk.getvalue(), talk.getvalue())
    say("a device that is forgotten takes back what it sent")


def restarts():
    """A person by name is the same one after a restart, and takes back what a former process sent: the folder has keys, and nobody."""
    now, asked = [1_795_435_800.0], []

    def transport(method, url, body, headers):
        if method == "GET":
            return throng_client.Answer(200, {}, json.dumps(plan()).encode())
        asked.append((url.split("/v1/")[1].split("?")[0], json.loads(body)["id"]))
        return throng_client.Answer(202, {}, b'{"accepted":1,"refused":[]}')

    def process(folder, *steps):
        """What a process sends, which does these steps and ends."""
        del asked[:]
        sender = Sender("https://count.example.com", "shop", directory=folder, clock=lambda: now[0], transport=transport)
        for step in steps:
            step(sender)
            sender.send()
        sender.close()
        text = daemon.read(folder, "state.json")
        check("alice" not in text and not any(name in text for _, name in asked), "somebody is stored:", text)
        return list(asked)

    def views(sender):
        sender.record("alice", "view")

    def leaves(sender):
        sender.take_back("alice")

    with tempfile.TemporaryDirectory() as folder:
        [(_, first)] = process(folder, views)
        check(process(folder, views) == [("batches", first)], "after a restart she is another one", asked)
        with contextlib.redirect_stderr(io.StringIO()) as talk:
            _, (_, second) = found = process(folder, leaves, views)
        check(not talk.getvalue(), "what is taken back is said to stay:", talk.getvalue())
        check(found[0] == ("withdraw", first) and second != first, "what a former process sent stays:", found)
        check(sorted(process(folder, leaves)) == sorted([("withdraw", first), ("withdraw", second)]), "some of it stays:", asked)
        now[0] += 2700
        check(process(folder, leaves) == [] and json.loads(daemon.read(folder, "state.json"))["windows"] == [], "keys stay on disk")
    say("people by name take back what was sent before a restart, and nobody is stored")


def silence():
    """Of what is recorded, dropped, awaited and taken back a sender says what became, whatever it is given."""
    known, now, away, asked = plan(), [1_795_435_800.0], [False], []
    known["purposes"][0]["events"].append({"name": "sale", "fields": ["price"]})
    known["metrics"].append({**known["metrics"][0], "name": "sales", "events": ["sale"], "sums": [{"field": "price"}]})
    known["purposes"][1]["events"].append({"name": "advert", "fields": []})
    known["metrics"].append({**known["metrics"][1], "name": "shown", "events": ["advert"]})

    def transport(method, url, body, headers):
        if away[0]:
            raise OSError
        asked.append(json.loads(body or b"{}"))
        return throng_client.Answer(*(202, {}, b'{"accepted":1,"refused":[]}') if body else (200, {}, json.dumps(known).encode()))

    sender = Sender("https://count.example.com", "shop", clock=lambda: now[0], transport=transport)
    for value in ("24,90", ["24.9"], 10 ** 400, None):
        sender.record("alice", "sale", {"price": value})
    with contextlib.redirect_stderr(io.StringIO()) as talk:
        sender.record("alice", "advert", consent={"advert": 1})
        for _ in range(3):
            sender.record("al\ud83cice", "sale", {"price": "24.9"})
        sender.take_back("zoe")
        check(sender.send() is None, "all is answered:", sender.status)
    check(sender.status.dropped == {"invalid_value": 4, "not_allowed": 1} and sender.status.counted == 3, sender.status)
    check("price is no number" in talk.getvalue() and "before this process began" in talk.getvalue(), talk.getvalue())
    check("no purpose advert; it has product, adverts" in talk.getvalue(), talk.getvalue())
    for person in (17, "", b"short", None):
        for says in (sender.take_back, lambda who: sender.record(who, "view")):
            try:
                says(person)
            except ValueError as error:
                check("A person is a name as text, or 32 random bytes" in str(error), error)
            else:
                raise Failure("is taken for a person:", person)
    for signals in (["gpc"], "gpc"):
        try:
            sender.record("alice", "view", signals=signals)
        except ValueError as error:
            check("global_privacy_control" in str(error), error)
        else:
            raise Failure("a signal that there is not gets lost")
    sender.record("alice", "view", signals="do_not_track")
    away[0] = True
    sender.record("bob", "view")
    for _ in range(2):
        sender.send()
        check(sender.status.waiting == 1 and "No answer came; the next attempt" in sender.status.problem, sender.status)
    away[0], now[0] = False, now[0] - 3600
    check(sender.send() is None and sender.status.counted == 4 and not sender.status.problem, "set back, it waits:", sender.status)
    for number in range(500):
        sender.record(str(number), "view")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        check(set(pool.map(lambda _: sender.send(), range(4))) == {None} and sender.status.counted == 504, "threads:", sender.status)
    sender.record("carol", "view")
    child = os.fork()
    if not child:
        sender.record("dave", "view")
        sender.send()
        os._exit(0 if sender.status.counted == 1 and sender.status.waiting == 0 else 1)
    check(os.waitpid(child, 0)[1] == 0, "after a fork a process sends what waits in the other one")
    sender.send()
    check(sender.status.counted == 505, "the former process lost something:", sender.status)
    with tempfile.TemporaryDirectory() as folder:
        sender = Sender("https://count.example.com", "shop", directory=folder, transport=transport)
        child = os.fork()
        if not child:
            try:
                sender.record("dave", "view")
            except RuntimeError:
                os._exit(0)
            os._exit(1)
        check(os.waitpid(child, 0)[1] == 0, "two processes have one folder")
        sender.close()
    say("nothing is lost in silence: numbers with a comma, lists, words that the plan lacks, pauses, a clock set back, a fork")


def test():
    vectors()
    rules()
    names()
    forgets()
    restarts()
    silence()
    with tempfile.TemporaryDirectory() as folder:
        conformance(folder)
