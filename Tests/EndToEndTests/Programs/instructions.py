"""What each stage of ingest takes is what its budget says, and a budget that lies is found out."""

import os
import subprocess
import sys
import tempfile

import daemon
from daemon import BINARY, ROOT, check, environment, say

BENCHMARKS = os.path.join(ROOT, "Tests", "Benchmarks")
STAGES = os.path.join(os.path.dirname(BINARY), "StageBench")


def held(budget, *options):
    return subprocess.run(
        [sys.executable, os.path.join(BENCHMARKS, "stages.py"), "--binary", STAGES, "--budget", budget, *options],
        capture_output=True, text=True, env=environment(), timeout=1200)


def budget():
    path = os.path.join(BENCHMARKS, "budget.txt")
    done = held(path)
    check(done.returncode == 0, done.stderr)
    say("each stage takes what its budget says")
    with open(path) as file:
        lines = [line for line in file if line.startswith("append ") or line.startswith("#")]
    check(len(lines) > 3, "the budget lacks a stage")
    for change in (lambda count: count * 100 // 105, lambda count: count * 2):
        with tempfile.NamedTemporaryFile("w") as bent:
            for line in lines:
                if line.startswith("append ") and line.split()[1] == "1":
                    line = f"append 1 {change(int(line.split()[2]))}\n"
                bent.write(line)
            bent.flush()
            done = held(bent.name, "--only", "append")
            check(done.returncode == 1 and "append, batches of 1:" in done.stderr, "a budget that lies is kept:", done.stderr)
    say("a stage that takes 5 % more than its budget, or half of it, is named")


if __name__ == "__main__":
    daemon.main(budget)
