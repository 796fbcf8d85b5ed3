"""What a batch costs in each stage of ingest: time, allocations and, under callgrind, instructions.

Time is processor time of the thread that counts, the median over the rounds. Instructions are counted by valgrind's
callgrind, which runs a program as it is on a processor of its own making: the same binary and bodies give the same number
again, whatever else the machine does, so a later slowdown shows where it is. Allocations are calls of malloc and its kin.

With --budget it counts instructions alone and compares them with a file: lines of a stage, the events of a batch, and instructions.
A stage that takes more than its line, or less, by 3 % fails. Whoever means it changes the file, with --raise, in the same commit."""

import argparse
import glob
import json
import os
import re
import subprocess
import sys

from common import Settings, daemon, lines, plan_in

# The same hashes in every run, and the same cryptographic code on every processor, so that instruction counts repeat: SSE4 and AES, as
# BoringSSL numbers what processors can do, and nothing newer.
CAPABILITIES = 0x02D80203_07808111
ENVIRONMENT = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1", "OPENSSL_ia32cap": f"{CAPABILITIES:#x}:0x0"}
# A promise that is switched off is looked up wherever one could be.
ENVIRONMENT.pop("THRONG_FAULT", None)


def stages(binary, plan, sizes, amount, batches, rounds, only):
    return lines(*command(binary, plan, sizes, amount, batches, only), "--rounds", str(rounds), env=ENVIRONMENT)


def command(binary, plan, sizes, amount, batches, only):
    choice = [part for size in sizes for part in ("--events", str(size))] + (["--only", only] if only else [])
    return [binary, "stages", "--plan", plan, *Settings.devices, "--amount", str(amount), "--batches", str(batches), *choice]


def instructions(binary, plan, sizes, amount, batches, only, folder):
    """By stage and size: instructions of a batch."""
    # Debian's valgrind can't read what a recent compiler writes for debuggers.
    bare = os.path.join(folder, "StageBench")
    subprocess.run(["objcopy", "--strip-debug", binary, bare], check=True)
    daemon.ran("valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/out",
               *command(bare, plan, sizes, amount, batches, only), seconds=None, env=ENVIRONMENT)
    found = {}
    for path in glob.glob(f"{folder}/out*"):
        text = daemon.read(path)
        named = re.search(r"^desc: Trigger: Client Request: (.*) (\d+) (\d+)$", text, re.MULTILINE)
        # Its summary is a difference that now and then is wrong, even below zero; totals are the sum of what it lists.
        total = re.search(r"^totals: (\d+)", text, re.MULTILINE)
        if named and total:
            found[named[1], int(named[2])] = int(total[1]) / int(named[3])
    return found


# Each event passes these. Of others a thread of its own has a part, and no two runs are alike; "key" is the work of a library.
KEPT = ("append", "count", "decode", "decode and bucket", "replay")
# How far a stage may be from its budget; counts of these repeat to a part of a percent.
TOLERANCE = 0.03


def read_budget(path):
    found = {}
    for line in daemon.read(path).splitlines():
        if not line.startswith("#"):
            stage, events, count = line.rsplit(maxsplit=2)
            found[stage.strip(), int(events)] = int(count)
    return found


def hold(counted, path, raises, only):
    """Compares counts with a budget: what is wrong, or nothing. With `only` the others' lines stay as they are."""
    counted = {key: round(count) for key, count in counted.items() if key[0] in KEPT}
    budget, wrong = read_budget(path), []
    if raises:
        budget.update(counted)
        head = [line for line in daemon.read(path).splitlines(True) if line.startswith("#")]
        daemon.write(path, "".join(head + [f"{stage:28} {events:4} {count:9}\n" for (stage, events), count in sorted(budget.items())]))
    if only:
        budget = {key: count for key, count in budget.items() if key[0] == only}
    for key in sorted(budget.keys() | counted.keys()):
        allowed, found = budget.get(key), counted.get(key)
        if not allowed or not found or abs(found / allowed - 1) > TOLERANCE:
            wrong.append(f"{key[0]}, batches of {key[1]}: {found} instructions; the budget is {allowed}")
    return wrong


def table(rows):
    """A batch's figures, and those of an event but for stages whose work follows something else."""
    names = list(dict.fromkeys(row["stage"] for row in rows))
    sizes = sorted({row["events"] for row in rows})
    by = {(row["stage"], row["events"]): row for row in rows}
    heads = {"A batch": "of {} events", "An event": "in {}s"}
    for title, head in heads.items():
        print(f"\n{title}".ljust(28) + "".join(f"{head.format(size):>33}" for size in sizes))
        print(" " * 27 + f"{'ns':>11}{'instr.':>11}{'mallocs':>11}" * len(sizes))
        for name in names:
            text = f"{name:27}"
            for size in sizes:
                row, parts = by.get((name, size)), size if title == "An event" else 1
                count = row and row.get("instructions")
                text += (f"{row['nanoseconds'] / parts:11,.1f}{f'{count / parts:,.0f}' if count else '':>11}"
                         f"{row['allocations'] / parts:11,.2f}" if row else " " * 33)
            if title == "A batch" or ", a " not in name:
                print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--events", type=int, nargs="+", default=[1, 10, 100], help="events of a batch")
    parser.add_argument("--only", help="one stage")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--no-instructions", action="store_true", help="don't run callgrind, which takes a minute")
    parser.add_argument("--budget", metavar="FILE", help="only compare instructions with those of a file")
    parser.add_argument("--raise", dest="raises", action="store_true", help="write what was counted to the budget's file")
    parser.add_argument("--json")
    parser.add_argument("--smoke", action="store_true", help="few batches, to see that it runs")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    if options.smoke:
        Settings.shorten()
    folder = daemon.temporary()
    plan = plan_in(folder)
    if options.budget:
        counted = instructions(binary, plan, options.events, 20_000, 1000, options.only, folder)
        wrong = hold(counted, options.budget, options.raises, options.only)
        advice = "Find out why; if it is meant, run this with --raise and say why in the commit."
        sys.exit("\n".join([f"{options.budget} is not kept:", *wrong, advice]) if wrong else 0)
    amount, batches, rounds = (500, 20, 1) if options.smoke else (200_000, 20_000, options.rounds)
    rows = stages(binary, plan, options.events, amount, batches, rounds, options.only)
    if not options.no_instructions:
        counted = instructions(binary, plan, options.events, min(amount, 20_000), min(batches, 1000), options.only, folder)
        for row in rows:
            row["instructions"] = counted.get((row["stage"], row["events"]))
    table(rows)
    if options.json:
        daemon.write(options.json, json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
