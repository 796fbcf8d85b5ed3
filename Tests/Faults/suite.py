"""Runs rows of the fault suite, each with its negative controls, and says what was lost, doubled or left unexplained.

Usage: suite.py [ROW…] [--quick] [--trials N] [--seed N] [--json FILE] [--list]

Ends with 0 if every row holds and every control was seen to fail; 1 if not; 2 if all that was run holds, and a row says why this machine
can't run it, which does not count as held. With CI in the environment a row that a machine could run and doesn't has failed."""

import argparse
import importlib
import json
import os
import random
import subprocess
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import oracle  # noqa: E402
import daemon  # noqa: E402
from daemon import Failure, say  # noqa: E402


# Set once this program has a mount namespace of its own.
OWN_MOUNTS = "THRONG_FAULTS_OWN_MOUNTS"


def keep_mounts_to_ourselves():
    """Goes on in a mount namespace of its own: one that somebody else makes meanwhile would take a copy of our volumes with it,
    and hold on to them after they were unmounted."""
    apart = ["unshare", "--mount"]
    if os.getuid() == 0 and OWN_MOUNTS not in os.environ and subprocess.run([*apart, "true"], capture_output=True).returncode == 0:
        os.environ[OWN_MOUNTS] = "yes"
        os.execvp(apart[0], [*apart, sys.executable, *sys.argv])


def rows():
    found = []
    for name in sorted(os.listdir(HERE)):
        module = importlib.import_module(name[:-3]) if name.endswith(".py") and name != "suite.py" else None
        found += getattr(module, "ROWS", [])
    return sorted(found, key=lambda row: [int(part) if part.isdigit() else part for part in row.name.split(".")])


def told(error):
    return error if isinstance(error, Failure) else "".join(traceback.format_exception(error))


def run(row, arguments):
    """One row's line of the report."""
    line = {"row": row.name, "title": row.title, "seed": arguments.seed, "controls": []}
    try:
        obstacle = row.obstacle()
    except Failure as failure:
        say(f"row {row.name} could be run here and was not: {failure}")
        return {**line, "outcome": "FAILED", "words": [f"could be run here and was not: {failure}"]}
    if obstacle:
        say(f"row {row.name} is not run: {obstacle}")
        return {**line, "outcome": "not run", "words": [obstacle]}
    started = time.monotonic()
    trials = arguments.trials or (row.quick if arguments.quick else row.trials)
    say(f"row {row.name}: {row.title}; {trials} trials, seed {arguments.seed}")
    tally = oracle.Tally()
    held = True
    try:
        row.run(tally, trials, random.Random(f"{arguments.seed} {row.name}"))
    except Exception as error:
        held = False
        tally.wrong(told(error))
    line.update(trials=tally.trials, acknowledged=tally.acknowledged, lost=tally.lost, doubled=tally.doubled, unexplained=tally.unexplained)
    held = held and tally.trials > 0 and tally.lost == tally.doubled == tally.unexplained == 0
    for control in row.controls:
        seen = oracle.Tally()
        # A broken promise harms somebody only where somebody is there just then.
        for attempt in range(5):
            try:
                control.run(seen, random.Random(f"{arguments.seed} {row.name} {control.title} {attempt}"))
            except Exception as error:
                seen.note("FAILED:", told(error))
            found = getattr(seen, control.sees)
            if found > 0:
                break
        say(f"row {row.name}, control ({control.title}): {control.sees} {found}")
        held = held and found > 0
        line["controls"].append({
            "title": control.title, "must be": control.sees, "lost": seen.lost, "doubled": seen.doubled,
            "unexplained": seen.unexplained, "words": seen.words})
    line.update(outcome="held" if held else "FAILED", words=tally.words, seconds=round(time.monotonic() - started, 1))
    return line


def table(lines):
    words = [["row", "trials", "seed", "acknowledged", "lost", "doubled", "unexplained", "control", "outcome", "s"]]
    for line in lines:
        controls = "; ".join(f"{each['title']}: {each['must be']} {each[each['must be']]}" for each in line["controls"])
        words.append([str(line.get(key, "-")) for key in ("row", "trials", "seed", "acknowledged", "lost", "doubled", "unexplained")]
            + [controls or "-", line["outcome"], str(line.get("seconds", "-"))])
    widths = [max(len(row[place]) for row in words) for place in range(len(words[0]))]
    for row in words:
        print("  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip())
    for line in lines:
        for each in line["words"]:
            print(f"row {line['row']}: {each}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help="such as 1 or 2.xfs; 2 takes all that begin with 2")
    parser.add_argument("--quick", action="store_true", help="the few trials of Deploy/test")
    parser.add_argument("--trials", type=int, help="so many trials a row, whatever it asks for")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of everything that is chosen by chance")
    parser.add_argument("--json", metavar="FILE", help="where the report goes as JSON")
    parser.add_argument("--list", action="store_true", help="only name the rows")
    arguments = parser.parse_args()
    chosen = [row for row in rows() if not arguments.rows
              or any(row.name == each or row.name.startswith(each + ".") for each in arguments.rows)]
    if arguments.list or not chosen:
        for row in chosen or rows():
            print(f"{row.name:8} {row.trials:4} trials  {row.title}")
        return 0 if chosen else 64
    lines = [run(row, arguments) for row in chosen]
    table(lines)
    if arguments.json:
        daemon.write(arguments.json, json.dumps({"at": daemon.instant(), "rows": lines}, indent=2))
    outcomes = {line["outcome"] for line in lines}
    return 1 if "FAILED" in outcomes else 2 if "not run" in outcomes else 0


if __name__ == "__main__":
    keep_mounts_to_ourselves()
    sys.exit(main())
