"""What each stage of ingest takes is what its budget says, and a budget that lies is found out."""

import os
import subprocess
import sys
import tempfile

from daemon import BINARY, ROOT, check, environment, say

BENCHMARKS = os.path.join(ROOT, "Tests", "Benchmarks")
sys.path.append(BENCHMARKS)
import stages  # noqa: E402

STAGES = os.path.join(os.path.dirname(BINARY), "StageBench")


def test():
    path = os.path.join(BENCHMARKS, "budget.txt")
    done = subprocess.run([sys.executable, os.path.join(BENCHMARKS, "stages.py"), "--binary", STAGES, "--budget", path],
                          capture_output=True, text=True, env=environment(), timeout=1200)
    check(done.returncode == 0, done.stderr)
    say("each stage takes what its budget says")
    kept = stages.read_budget(path)
    count = kept["append", 1]
    for lie in (count * 100 // 105, count * 2):
        with tempfile.NamedTemporaryFile("w") as lying:
            lying.write(f"append 1 {lie}\n")
            lying.flush()
            wrong = stages.hold({("append", 1): count}, lying.name, False, "append")
            check(len(wrong) == 1 and "append, batches of 1:" in wrong[0], "a budget that lies is kept:", wrong)
    check(stages.hold(kept, path, False, None) == [], "a budget that does not lie is not kept")
    say("a stage that takes 5 % more than its budget, or half of it, is named")
