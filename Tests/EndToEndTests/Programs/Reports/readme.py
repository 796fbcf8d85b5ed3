"""The README, the plan reference and the page on `throng suppress` show what comes out: a plan is checked, its mistake is found, events
are posted, tables are protected, all as they stand there. In what pages show, … stands for anything up to the end of the line."""

import csv
import json
import os
import re
import subprocess
import tempfile

import daemon
from daemon import BINARY, ROOT, SAMPLE, check, say

# Of the page on suppression.
K = 20
ENDING = re.MULTILINE | re.DOTALL


def block(text, before, language):
    """The first block of a language behind some words."""
    found = re.search(rf"{re.escape(before)}.*?^```{language}\n(.*?)^```$", text, ENDING)
    check(found, "the page has such a block:", before, language)
    return found[1]


def said(command, folder, **surroundings):
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=daemon.environment(
            PATH=folder + os.pathsep + os.environ["PATH"], LC_ALL="C.UTF-8", **surroundings),
        text=True, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


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


def plans(text, readme, folder):
    plan = block(text, "<!-- example: notes.yaml -->", "yaml")
    excerpt = block(readme, "<!-- excerpt: notes.yaml -->", "yaml")
    check(excerpt in plan, "the README's lines are the whole plan's:", excerpt)
    daemon.write(os.path.join(folder, "notes.yaml"), plan)
    command, shown = re.search(r"^\$ (throng plan check [^\n]*)\n([^$]*)", block(text, plan[-20:], "console"), ENDING).groups()
    code, output = said(command, folder)
    check(code == 0 and fits(shown.strip().splitlines(), output), f"the plan reference shows of `{command}`:", shown, "it says:", output)
    mistake = block(text, "A mistake names its place", "text")
    place, key = re.fullmatch(r"bad\.yaml:(\d+):\d+: app: unknown key '(\w+)'.*\n", mistake).groups()
    lines = plan.splitlines()
    lines.insert(int(place) - 1, f"  {key}: 20")
    daemon.write(os.path.join(folder, "bad.yaml"), "\n".join(lines))
    code, output = said("throng plan check bad.yaml", folder)
    check(code != 0 and fits([mistake.strip()], output), "the plan reference shows of a mistake:", mistake, "it says:", output)
    say("plan")


def posting(text, folder):
    house = daemon.Daemon(daemon.read(SAMPLE, "shop.yaml")).start()
    script = block(text, "Then post events", "sh")
    check("http://127.0.0.1:8080" in script, "the README posts to the daemon's usual address")
    answer = block(text, "Then post events", "json")
    code, output = said(script.replace(":8080", f":{house.port}"), folder)
    check(code == 0 and json.loads(output) == json.loads(answer), "the README shows:", answer, "it says:", output)
    house.stop()
    house.clean()
    say("event")


def suppressed(text, folder):
    """Commands run as they stand there, and tables are those of the sample and of what comes out."""
    found = commands(text)
    check(len(found) >= 2, "the page has commands:", len(found))
    for command, shown in found:
        code, output = said(command, folder)
        check(code == 0 and fits(shown, output), f"the page shows of `{command}`:\n", "\n".join(shown), "\nit says:\n", output)
    counted, published, another = (table(text, name) for name in ("counted", "published", "another"))
    check(counted == sums(cells(os.path.join(SAMPLE, "countries.csv"))), "the first table is the sample's", counted)
    check(published == cells(os.path.join(folder, "protected.csv")), "the second is what comes out", published)
    check(another == sums(another) and min(another.values()) >= 0, "the third adds up", another)
    check(all(another[cell] == number for cell, number in published.items()), "the third agrees with the second")
    small = [cell for cell, number in counted.items() if number < K]
    check(small and all(another[cell] >= K for cell in small), "in the third nothing is small that was", small)
    say("tables")


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


def cells(path):
    with open(path, newline="") as file:
        return {
            tuple(row[name].replace("Total", "total") for name in ("country", "kind")): int(row["count"])
            for row in csv.DictReader(file) if row["count"]}


def sums(leaves):
    """The leaves of a table with their totals."""
    result = {}
    for (country, kind), number in leaves.items():
        if "total" in (country, kind):
            continue
        for cell in ((country, kind), (country, "total"), ("total", kind), ("total", "total")):
            result[cell] = result.get(cell, 0) + number
    return result


def test():
    readme = daemon.read(ROOT, "README.md")
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(BINARY, os.path.join(folder, "throng"))
        os.symlink(os.path.join(ROOT, "Deploy"), os.path.join(folder, "Deploy"))
        plans(daemon.read(ROOT, "Sources", "Throng.docc", "PlanReference.md"), readme, folder)
        posting(readme, folder)
        suppressed(daemon.read(ROOT, "Sources", "Throng.docc", "Suppress.md"), folder)
