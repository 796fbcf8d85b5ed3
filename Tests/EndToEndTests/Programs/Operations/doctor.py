"""throng doctor says what a machine lacks and what to do; throng plan new writes plans that count what its snippets send."""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import threading
import time

import daemon
import shop
from daemon import BINARY, check, say, until


def findings(*words, code=0):
    ended, out, err = daemon.run("doctor", "--json", *words)
    found = json.loads(out)
    check(ended == code, "doctor", words, "ended with", ended, out, err)
    for each in found:
        check(each["state"] == "good" or each.get("cure"), "it says what to do:", each)
    return {each["subject"]: each for each in found}


def before(folder):
    """Nothing runs yet, and nothing is made."""
    plan = os.path.join(folder, "shop.yaml")
    daemon.write(plan, shop.plan())
    data = os.path.join(folder, "data")
    found = findings("--plan", plan, "--data", data, "--metrics", "127.0.0.1:1")
    check(found["data"]["state"] == "good" and "first start" in found["data"]["found"], found)
    check(found["daemon"]["state"] == "look" and "127.0.0.1:1" in found["daemon"]["found"], found)
    check(not os.path.exists(data), "it made the data directory")
    broken = findings("--plan", "/nowhere.yaml", "--data", data, code=2)
    check(broken["settings"]["state"] == "wrong" and "/nowhere.yaml" in broken["settings"]["found"], broken)
    lacking = findings("--plan", plan, "--data", data, "--tls-certificate", "/nowhere.pem", "--tls-key", "/nowhere.key", code=2)
    check(lacking["TLS"]["state"] == "wrong" and "/nowhere" in lacking["TLS"]["found"], lacking)
    code, _, err = daemon.run("doctor", "--settings", "--plan", plan, "--tls-certificate", "/nowhere.pem", "--tls-key", "/nowhere.key")
    check(code == 2 and "/nowhere.pem is not there" in err, "each file that is named is opened:", code, err)
    say("nothing runs yet")


def running(folder):
    """A plan made by answers counts what its snippet by hand sends, and the doctor finds all well."""
    plan = os.path.join(folder, "made.yaml")
    code, out, err = daemon.run(
        "plan", "new", plan, "--title", "My site", "--for", "both", "--learn", "pages,features,purchases", "--partner",
        "Example Board", "--languages", "en,de", "--audience", "3000")
    check(code == 0 and "throng.js" in out and "throng.record" in out, code, out, err)
    check(json.loads(daemon.read(folder, "plan.schema.json"))["$schema"], "the schema lies beside the plan")
    code, _, talk = daemon.run("plan", "check", plan)
    check(code == 0 and "advice:" not in talk and "first: report 'daily'" in talk, code, talk)
    code, _, err = daemon.run("plan", "new", plan, "--for", "web", "--learn", "pages")
    check(code == 1 and "is there already" in err, "a plan is never written over:", code, err)
    code, _, err = daemon.run("plan", "new", os.path.join(folder, "other.yaml"))
    check(code == 64 and "--for" in err, "nobody can be asked:", code, err)
    house = daemon.Daemon(daemon.read(plan), name="made").start()
    until(lambda: f"Clients post to http://127.0.0.1:{house.port}/v1/batches" in house.log_text(), "it does not greet", house.log_text)
    check(f"--data {house.data}" in house.log_text(), "it says what to do next:", house.log_text())
    script = out[out.index("now=$(date"):]
    answer = subprocess.run(["bash", "-c", script.replace(":8080", f":{house.port}")], capture_output=True, text=True, timeout=60)
    counted = json.loads(answer.stdout)
    check(counted["accepted"] == 4 and not counted.get("refused"), "the snippet by hand counts:", script, counted)
    found = findings("--plan", plan, "--data", house.data, "--metrics", f"127.0.0.1:{house.metrics_port}")
    for subject in ("settings", "data", "PostgreSQL", "clock", "uap-core", "daemon"):
        check(found[subject]["state"] == "good", subject, found)
    check(found["backups"]["state"] == "look", "no backup was made:", found)
    version = house.sql("show server_version")[0][0].split()[0]
    check(f"version {version}, which is supported" in found["PostgreSQL"]["found"], version, found["PostgreSQL"])
    house.stop()
    house.clean()
    say("plan new, and a daemon that is well")


def visited(headers, *settings):
    """What the doctor says of one request."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def knock():
        for _ in range(200):
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
                    line.sendall(headers)
                    line.recv(100)
                    return
            except OSError:
                time.sleep(0.1)

    thread = threading.Thread(target=knock)
    thread.start()
    surroundings = daemon.environment(**dict(settings))
    done = subprocess.run([BINARY, "doctor", "--proxy", "--json", "--listen", f"127.0.0.1:{port}"], capture_output=True, text=True,
                          timeout=120, env=surroundings)
    thread.join()
    found = json.loads(done.stdout)[0]
    check("192.0.2." not in done.stdout + done.stderr, "an address of a client is shown:", done.stdout, done.stderr)
    check((done.returncode == 2) == (found["state"] == "wrong"), done.returncode, found)
    return found["state"], found["found"]


def proxies():
    get = b"GET / HTTP/1.1\r\nHost: x\r\n"
    believed = ("THRONG_INTAKE_FORWARDERS", "127.0.0.1")
    for headers, settings, state, words in (
            (get + b"X-Forwarded-For: 192.0.2.1\r\n\r\n", (believed,), "good", "an address"),
            (get + b"X-Forwarded-For: 192.0.2.1:4711\r\n\r\n", (believed,), "good", "an address with a port"),
            (get + b'Forwarded: for="[2001:db8::1]:99";proto=https\r\n\r\n', (believed,), "good", "an address with a port"),
            (get + b"X-Forwarded-For: 192.0.2.1\r\n\r\n", (), "wrong", "intake.forwarders is not set"),
            (get + b"X-Forwarded-For: unknown\r\n\r\n", (believed,), "wrong", "unknown"),
            (get + b"\r\n", (believed,), "wrong", "says nothing of its client"),
            (get + b"X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.2\r\n\r\n", (believed,), "look", "two headers"),
            (b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + get + b"\r\n", (believed,), "wrong", "version 1"),
            (b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes(12) + get + b"\r\n", (), "wrong", "intake.proxies is not set")):
        found = visited(headers, *settings)
        check(found[0] == state and words in found[1], headers, "is said to be", found)
    say("what proxies send, as it arrives")


def commands():
    """A command that is none names the one that was meant."""
    for words, meant in ((["sevre"], "throng serve"), (["plan", "chek"], "throng plan check"), (["config"], "--help")):
        code, _, err = daemon.run(*words)
        check(code == 64 and meant in err and re.search("There is no command", err), words, code, err)
    say("commands that are none")


def examples_of(command):
    """The examples at the end of the help of a command and its commands, each as words."""
    text = command.get("discussion", "").replace("\\\n", "")
    for line in re.split(r"^EXAMPLES?$", text, flags=re.M)[1:][-1:]:
        yield from (shlex.split(each, comments=True)[1:] for each in line.strip().split("\n"))
    for child in command.get("subcommands", []):
        yield from examples_of(child)


def examples(folder):
    """The examples of the help that need nothing but a plan are run; HelpTests parses them all."""
    def is_alone(words):
        return words[:2] in (["plan", "check"], ["plan", "label"]) or "--title" in words or words[:2] == ["doctor", "--settings"] \
            or words[:2] == ["plan", "diff"] and "--running" not in words
    told = json.loads(daemon.run("--experimental-dump-help")[1])["command"]
    # The one that makes the plan comes first.
    found = sorted((words for words in examples_of(told) if is_alone(words)), key=lambda words: "--title" not in words)
    check(len(found) >= 7, "examples are", found)
    for words in found:
        done = subprocess.run([BINARY, *words], cwd=folder, capture_output=True, text=True, timeout=600, env=daemon.environment())
        check(done.returncode == 0, "the example", words, "ended with", done.returncode, done.stdout[-1000:], done.stderr[-1000:])
        shutil.copy(os.path.join(folder, "plan.yaml"), os.path.join(folder, "before.yaml"))
    say(len(found), "examples of the help do what they say")


def test():
    folder = daemon.temporary()
    before(folder)
    running(folder)
    proxies()
    commands()
    examples(folder)
