"""`throng bench` says how long a daemon's answers took and exits as its help says; the programs behind `Deploy/bench` run to
their end and leave no figure out. How fast anything is, is not looked at."""

import gzip
import itertools
import json
import os
import subprocess
import sys

import daemon
import shop
from daemon import BINARY, ROOT, check, say


def bench(house, *options, to=None, plan=None):
    code, out, talk = daemon.run(
        "bench", "--to", to or f"http://127.0.0.1:{house.port}", "--plan", plan or house.plan, "--seconds", "1",
        "--warm-up", "0", "--json", *options)
    return code, json.loads(out) if out.startswith("{") else None, talk


def steady(house):
    before = house.metrics()
    code, found, talk = bench(house, "--rate", "50", "--events-per-batch", "10")
    check(code == 0, "the exit code is", code, talk)
    check(found["statuses"] == {"202": 50} and found["requests"] == 50, "50 requests are sent and taken:", found)
    times = found["milliseconds"]
    check(0 < times["p50"] <= times["p90"] <= times["p99"] <= times["p999"] <= times["max"], "times rise:", times)
    house.drain()
    after = house.metrics()
    name = "throng_events_accepted_total"
    check(after[name] - before[name] == 500, "the daemon counted", after[name] - before[name], "events, not 500")
    say("a rate is kept and every event counted")


def shares(house):
    devices = os.path.join(house.folder, "devices.ndjson.gz")
    with gzip.open(os.path.join(daemon.SAMPLE, "devices.ndjson.gz")) as sample, gzip.open(devices, "wb") as few:
        few.writelines(itertools.islice(sample, 200))
    code, found, talk = bench(house, "--share", "0.3", "--poisson", "--devices", devices)
    check(code == 0, "the exit code is", code, talk)
    check(abs(found["askedRate"] / found["most"] - 0.3) < 1e-6, "the rate is a share of the most:", found)
    code, found, talk = bench(house, "--most", "--events-per-batch", "1")
    check(code == 0 and found["rate"] > 0 and "askedRate" not in found, "the most has no rate:", code, found, talk)
    say("a share follows the most")


def failures(house):
    code, _, talk = bench(house, "--rate", "5", to="http://127.0.0.1:1")
    check(code == 1 and "127.0.0.1:1" in talk, "no daemon is", code, talk)
    code, _, talk = bench(house, "--rate", "5", to="https://example.com")
    check(code == 64 and "http://" in talk, "TLS is", code, talk)
    code, _, talk = bench(house)
    check(code == 64 and "--rate" in talk, "no rate is", code, talk)
    other = os.path.join(house.folder, "other.yaml")
    with open(house.plan) as file, open(other, "w") as copy:
        copy.write(file.read().replace("name: shop", "name: other"))
    code, found, talk = bench(house, "--rate", "20", plan=other)
    check(code == 2 and found["statuses"] == {"404": 20}, "an unknown app is", code, found, talk)
    say("failures have their exit codes")


def programs():
    """Every program behind Deploy/bench that measures ingest, on few events."""
    folder = os.path.join(ROOT, "Tests", "Benchmarks")
    stages = os.path.join(os.path.dirname(BINARY), "StageBench")
    for name, options in {
        "ingest": ["--binary", BINARY],
        "stages": ["--binary", stages],
        "memory": ["--binary", BINARY, "--bench", stages],
        "members": ["--binary", BINARY],
        "replay": ["--binary", BINARY, "--bench", stages],
        "edge": ["--binary", BINARY, "--probe", os.path.join(os.path.dirname(BINARY), "Probe")],
    }.items():
        report = os.path.join("/tmp", f"throng-benchmarks-{os.getpid()}.json")
        done = subprocess.run(
            [sys.executable, os.path.join(folder, name + ".py"), "--smoke", "--json", report, *options],
            capture_output=True, text=True, env=daemon.environment(), timeout=1200)
        check(done.returncode == 0, name, "ended with", done.returncode, done.stdout[-1500:], done.stderr[-1500:])
        with open(report) as file:
            found = json.load(file)
        os.unlink(report)
        if name == "stages":
            # Instructions of threads that wait for each other are not counted.
            missing = [row for row in found if not row["nanoseconds"] > 0
                       or (not row["instructions"] and row["stage"] != "commit by 32")]
            check(len(found) == 30 and not missing, "stages without a figure:", missing, "of", len(found))
        else:
            lacking = [key for key, value in found["medians"].items() if value is None or value != value]
            check(found["medians"] and found["targets"] and not lacking, name, "lacks", lacking)
            names = {target["name"]: target["is"] for target in found["targets"]}
            check(all(isinstance(value, (int, float)) for value in names.values()), name, names)
            speeds = {key: value for key, value in found["medians"].items() if key.endswith("/s") or "events/s" in key}
            check(all(value > 0 for value in speeds.values()), name, speeds)
        say(f"Deploy/bench {name} has all its figures")


def releases():
    """What Deploy/bench measures of releases and of `throng suppress`, on little: each ends well and prints figures."""
    for name in ("ReleaseBench", "SuppressionBench"):
        done = subprocess.run(
            [os.path.join(os.path.dirname(BINARY), name), "smoke"], capture_output=True, text=True, cwd=ROOT,
            env=daemon.environment(noise=True), timeout=600)
        check(done.returncode == 0, name, "ended with", done.returncode, done.stdout[-1500:], done.stderr[-1500:])
        lines = done.stdout.splitlines()
        check(any(sign.isdigit() for line in lines for sign in line), name, "has no figures:", lines)
        check(not any("nan" in line or "inf" in line for line in lines), "no figures are in", lines)
        say(f"Deploy/bench has the figures of {name}")


def test():
    house = daemon.Daemon(shop.plan()).start()
    steady(house)
    shares(house)
    failures(house)
    check(house.stop() == 0, "the daemon ends with 0")
    programs()
    releases()


if __name__ == "__main__":
    daemon.main(test)
