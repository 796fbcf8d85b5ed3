"""The page on `throng suppress` shows what the program says: its commands run as they stand there, and its tables are
those of the sample and of what comes out. In the page's output, … stands for anything up to the end of the line."""

import csv
import os
import re
import subprocess
import tempfile

import daemon
from daemon import BINARY, ROOT, SAMPLE, check, say

K = 20
PAGE = os.path.join(ROOT, "Sources", "Throng.docc", "Suppress.md")


def commands(text):
    """The page's console blocks: each command, and what it prints."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def fits(shown, printed):
    parts = [re.escape(line).replace("…", "[^\n]*") for line in shown]
    return re.fullmatch("\n".join(parts), printed.strip()) is not None


def run(text, folder):
    os.symlink(os.path.join(ROOT, "Deploy"), os.path.join(folder, "Deploy"))
    os.symlink(BINARY, os.path.join(folder, "throng"))
    surroundings = daemon.environment(PATH=folder + os.pathsep + os.environ["PATH"], LC_ALL="C.UTF-8")
    found = commands(text)
    check(len(found) >= 2, "the page has commands:", len(found))
    for command, shown in found:
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=surroundings, text=True, timeout=120,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        check(fits(shown, done.stdout), f"the page shows of `{command}`:\n", "\n".join(shown), "\nit says:\n", done.stdout)
        check(done.returncode == 0, f"`{command}` ended with", done.returncode)
        say(command)


def table(text, name):
    """A table of the page: country and kind to its number; what is not published is missing."""
    rows = re.search(rf"^\| {name} \|(.*?)\n\|[-:|]+\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    check(rows, "the page has a table", name)
    kinds = [kind.strip() for kind in rows[1].strip(" |").split("|")]
    cells = {}
    for line in rows[2].splitlines():
        country, *numbers = [field.strip(" *") for field in line.strip("|").split("|")]
        cells.update({(country, kind): int(number) for kind, number in zip(kinds, numbers) if number != "·"})
    return cells


def read(path):
    with open(path, newline="") as file:
        return {
            tuple(row[name].replace("Total", "total") for name in ("country", "kind")): int(row["count"])
            for row in csv.DictReader(file) if row["count"]}


def sums(cells):
    """The leaves of a table with their totals."""
    result = {}
    for (country, kind), number in cells.items():
        if "total" in (country, kind):
            continue
        for cell in ((country, kind), (country, "total"), ("total", kind), ("total", "total")):
            result[cell] = result.get(cell, 0) + number
    return result


def test():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        run(text, folder)
        counted, published, another = (table(text, name) for name in ("counted", "published", "another"))
        check(counted == sums(read(os.path.join(SAMPLE, "countries.csv"))), "the first table is the sample's", counted)
        check(published == read(os.path.join(folder, "protected.csv")), "the second is what comes out", published)
    check(another == sums(another) and min(another.values()) >= 0, "the third adds up", another)
    check(all(another[cell] == number for cell, number in published.items()), "the third agrees with the second")
    small = [cell for cell, number in counted.items() if number < K]
    check(small and all(another[cell] >= K for cell in small), "in the third nothing is small that was", small)
    say("tables")


if __name__ == "__main__":
    daemon.main(test)
