"""The README and the plan reference show what comes out: their plan is checked, its mistake is found, events are posted, all
as they stand there. In what they show, … stands for anything up to the end of the line."""

import json
import os
import re
import subprocess
import tempfile

import daemon
from daemon import BINARY, ROOT, SAMPLE, check, say
from suppress_page import fits

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


def plans(text, readme, folder):
    plan = block(text, "<!-- example: notes.yaml -->", "yaml")
    excerpt = block(readme, "<!-- excerpt: notes.yaml -->", "yaml")
    check(excerpt in plan, "the README's lines are the whole plan's:", excerpt)
    with open(os.path.join(folder, "notes.yaml"), "w") as file:
        file.write(plan)
    command, shown = re.search(
        r"^\$ (throng plan check [^\n]*)\n([^$]*)", block(text, plan[-20:], "console"), ENDING).groups()
    code, output = said(command, folder)
    check(code == 0 and fits(shown.strip().splitlines(), output), f"the plan reference shows of `{command}`:", shown, "it says:", output)
    mistake = block(text, "A mistake names its place", "text")
    place, key = re.fullmatch(r"bad\.yaml:(\d+):\d+: app: unknown key '(\w+)'.*\n", mistake).groups()
    lines = plan.splitlines()
    lines.insert(int(place) - 1, f"  {key}: 20")
    with open(os.path.join(folder, "bad.yaml"), "w") as file:
        file.write("\n".join(lines))
    code, output = said("throng plan check bad.yaml", folder)
    check(code != 0 and fits([mistake.strip()], output), "the plan reference shows of a mistake:", mistake, "it says:", output)
    say("plan")


def posting(text, folder):
    with open(os.path.join(SAMPLE, "shop.yaml")) as file:
        house = daemon.Daemon(file.read()).start()
    script = block(text, "Then post events", "sh")
    check("http://127.0.0.1:8080" in script, "the README posts to the daemon's usual address")
    answer = block(text, "Then post events", "json")
    code, output = said(script.replace(":8080", f":{house.port}"), folder)
    check(code == 0 and json.loads(output) == json.loads(answer), "the README shows:", answer, "it says:", output)
    house.stop()
    house.clean()
    say("event")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def test():
    readme = read("README.md")
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(BINARY, os.path.join(folder, "throng"))
        plans(read("Sources", "Throng.docc", "PlanReference.md"), readme, folder)
        posting(readme, folder)


if __name__ == "__main__":
    daemon.main(test)
