"""`throng --version` says which versions of everything the program has; files, tables and addresses agree."""

import glob
import json
import os
import re
import shutil
import subprocess

import daemon
import shop
from daemon import ROOT, check, say


def told():
    code, output, errors = daemon.run("--version")
    check(code == 0 and errors == "", "throng --version ends with", code, errors)
    first, *lines = output.strip().splitlines()
    check(re.fullmatch(r"throng \d+\.\d+\.\d+", first), "the first line is the program's version:", first)
    return first.removeprefix("throng "), dict(re.split(r"  +", line, maxsplit=1) for line in lines)


def schema(name):
    return json.loads(daemon.read(ROOT, "Schema", name + ".schema.json"))["$id"].rsplit(":", 1)[1]


def test():
    throng, versions = told()
    say("throng", throng, versions)
    check(list(versions) == ["plan", "wire", "journal", "database", "report", "manifest", "proof", "backup", "built with"],
          "a line each:", list(versions))

    released = re.search(r"^## \[?(\d+\.\d+\.\d+)", daemon.read(ROOT, "CHANGELOG.md"), re.MULTILINE)
    check(released and released[1] == throng, "the changelog's latest release is", released and released[1])

    check(versions["plan"] == schema("plan"), "the plan's schema is of version", schema("plan"))
    check(versions["report"] == "throng-report/" + schema("report"), "the report's schema is", schema("report"))
    check(versions["manifest"] == "throng-manifest/" + schema("manifest"), "the manifest's is", schema("manifest"))
    check(versions["proof"] == "throng-retention-proof/" + schema("proof"), "the proof's is", schema("proof"))
    if shutil.which("swift"):
        compiler = subprocess.run(["swift", "--version"], capture_output=True, text=True, timeout=120).stdout
        number = versions["built with"].removeprefix("Swift ").removesuffix(" or later")
        check(f"Swift version {number}" in compiler, "the compiler says", compiler)

    house = daemon.Daemon(shop.plan()).start()
    version = int(versions["wire"].removeprefix("v"))
    check(house.get(f"/v{version}/plan/shop")[0] == 200, "the plan is at", versions["wire"])
    check(house.get(f"/v{version + 1}/plan/shop")[0] == 404, "and at no later version")
    check(house.post(json.dumps(shop.batch()))[0] == 202, "a batch is counted")
    newest = max(glob.glob(os.path.join(house.data, "journal", "*.journal")))
    magic = daemon.read_bytes(newest)[:8].decode()
    check(versions["journal"] == magic, "the journal begins with", magic)
    applied = house.sql("select max(version) from throng.migration")[0][0]
    check(versions["database"] == "schema " + applied, "the database is at", applied)
    check(house.stop() == 0, "serve stops gracefully")
