"""The beacon keeps every requirement of `throng conform`, in Chromium, and mutants of it break those that are named."""

import concurrent.futures
import os
import sys
import tempfile

import daemon
from daemon import ROOT, check, say

DRIVER = os.path.join(ROOT, "Deploy", "clients", "web", "conform.py")
SOURCE = os.path.join(ROOT, "Sources", "ThrongServer", "Web", "throng.js")
# By the requirement that it breaks: what the mutant has in another way.
MUTANTS = {
    "clock": ("    shift += off;\n", ""),
    "patience": ("    const pause = state.after - performance.now();\n", "    const pause = 0;\n"),
    "taken-back": ("    for (const [window, id] of used) add(", "    for (const [window, id] of []) add("),
    "exactly-once": ("batches: recall(keyOf({ name }) + \" waiting\") }", "batches: [] }"),
}


def conform(script):
    """The exit code, and the requirements by whether they are kept."""
    os.environ["PYTHONPATH"] = os.path.join(ROOT, ".build", "browser")
    code, out, talk = daemon.run("conform", sys.executable, DRIVER, script, seconds=580)
    kept = {line.split()[1].rstrip(":"): line.startswith("kept") for line in out.splitlines() if line[:1] != " "}
    return code, kept, out + talk


def test():
    with open(SOURCE, encoding="utf-8") as file:
        source = file.read()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        scripts = {"": SOURCE}
        for name, (found, other) in MUTANTS.items():
            check(source.count(found) == 1, "the script has", repr(found), source.count(found), "times")
            scripts[name] = os.path.join(folder, name + ".js")
            with open(scripts[name], "w", encoding="utf-8") as file:
                file.write(source.replace(found, other))
        results = dict(zip(scripts, pool.map(conform, scripts.values())))
    code, kept, words = results.pop("")
    check(code == 0 and len(kept) == 16 and all(kept.values()), "the beacon conforms:", code, words)
    say(f"the beacon keeps {len(kept)} requirements")
    for name, (code, kept, words) in results.items():
        check(code == 1 and kept.get(name) is False, "the mutant of", name, "passes:", code, words)
    say(f"{len(results)} mutants break what they are said to break")


if __name__ == "__main__":
    daemon.main(test)
