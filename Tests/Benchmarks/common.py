"""What benchmarks have in common: where things are, plans, figures and their tables, and their command lines."""

import argparse
import csv
import gzip
import json
import os
import re
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../EndToEndTests/Programs/Support"))

import daemon  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = daemon.ROOT
DEVICES = os.path.join(ROOT, "Deploy/sample/devices.ndjson.gz")
# Debian's libeatmydata1, by its multiarch folder.
EATMYDATA = "libeatmydata.so"


class Settings:
    """What a smoke run does without: real devices, which take a while to read, and warming up."""

    devices = ["--devices", DEVICES]
    # Seconds that `throng bench` sends before it measures.
    warm_up = 2

    @classmethod
    def shorten(cls):
        cls.devices, cls.warm_up = [], 0


def say(*words):
    print(f"[{time.strftime('%H:%M:%S')}]", *words, file=sys.stderr, flush=True)


def plan_in(folder, name="plan.yaml", **words):
    """A benchmark's plan with an expiry date that lies ahead, and further words filled in."""
    plan = daemon.read(HERE, name)
    words["EXPIRES"] = daemon.expiry()
    for word, text in words.items():
        plan = plan.replace(word, text)
    path = os.path.join(folder, words.get("APP", "") + name)
    daemon.write(path, plan)
    return path


def cube(folder, app, buckets):
    """A plan whose metric has as many cells as the buckets' third power."""
    # One of the buckets is `other`.
    lists = ", ".join(f"b{number}: [v{number}]" for number in range(buckets - 1))
    return plan_in(folder, "cube.yaml", APP=app, LISTS="{" + lists + "}")


def event_names(plan):
    """The sample's shopping events in their order, those that the plan counts."""
    allowed = set(re.search(r"events: \[([^]]*)\]", plan)[1].replace(",", " ").split())
    with gzip.open(os.path.join(ROOT, "Deploy/sample/shop.csv.gz"), "rt", newline="") as file:
        return [row["event"] for row in csv.DictReader(file) if row["event"] in allowed]


def lines(*command, whole=False, **options):
    """What a program says as JSON: an object a line, or one as a whole."""
    done = daemon.ran(*command, seconds=None, **{"env": None, **options})
    return json.loads(done.stdout) if whole else [json.loads(line) for line in done.stdout.splitlines()]


class Figures:
    """What a run measured, and what it has to reach."""

    def __init__(self):
        self.values, self.targets = {}, []

    def note(self, name, value):
        self.values.setdefault(name, []).append(value)

    def notes(self, subject, **values):
        """Several of one subject, by their names with _ for a space, and the unit after __."""
        for name, value in values.items():
            self.note(f"{subject}: {name.replace('__', ', ').replace('_', ' ')}", value)

    def median(self, name):
        return statistics.median(self.values[name])

    def target(self, name, value, must=None, aim=None, at_most=False):
        """A figure with what it must reach and what it aims at; a ceiling where at_most says so."""
        def reaches(bound):
            return bound is None or (value <= bound if at_most else value >= bound)
        verdict = "aim" if aim is not None and reaches(aim) else "must" if must is not None and reaches(must) else (
            "no" if must is not None else "")
        self.targets.append({"name": name, "is": value, "must": must, "aim": aim, "at_most": at_most, "reaches": verdict})

    def show(self, path=None):
        if self.values:
            print(f"\n{'figure':58} {'median':>13} {'lowest':>13} {'highest':>13}")
            for name, each in self.values.items():
                print(f"{name:58} {number(self.median(name)):>13} {number(min(each)):>13} {number(max(each)):>13}")
        if self.targets:
            print(f"\n{'target':58} {'is':>10} {'must':>9} {'aim':>9}  reaches")
            for each in self.targets:
                sign = "≤ " if each["at_most"] else "≥ "
                bounds = ["" if bound is None else sign + number(bound) for bound in (each["must"], each["aim"])]
                print(f"{each['name']:58} {number(each['is']):>10} {bounds[0]:>9} {bounds[1]:>9}  {each['reaches']}")
        if path:
            medians = {name: self.median(name) for name in self.values}
            found = {"processors": os.cpu_count(), "medians": medians, "rounds": self.values, "targets": self.targets}
            daemon.write(path, json.dumps(found, indent=1))


def main(document, run, programs=(), **arguments):
    """Reads a command line, has a benchmark run in a folder of its own, and shows its figures. An argument is what it is usually, what
    it is with --smoke, and words on it; programs are paths of what is built beside throng."""
    parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("binary", *programs):
        parser.add_argument("--" + name, required=True)
    for name, (usual, _, words) in arguments.items():
        parser.add_argument("--" + name, default=usual, help=words, **(
            {"action": "store_true"} if usual is False else {"type": type(usual)}))
    parser.add_argument("--json")
    parser.add_argument("--smoke", action="store_true", help="little of all, to see that it runs")
    options = parser.parse_args()
    if options.smoke:
        for name, (_, smoke, _) in arguments.items():
            setattr(options, name, smoke)
        Settings.shorten()
    for name in ("binary", *programs):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    daemon.BINARY = options.binary
    figures = Figures()
    run(options, daemon.temporary(), figures)
    figures.show(options.json)


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.1f}" if abs(value) >= 100 else f"{value:,.2f}"
