"""The README shows what comes out: its plan is checked, its mistake is found, its events are posted, all as they stand
there. In what it shows, … stands for anything up to the end of the line."""

import json
import os
import re
import subprocess
import tempfile

import daemon
from daemon import BINARY, ROOT, SAMPLE, check, say
from pages import fits

ENDING = re.MULTILINE | re.DOTALL


def block(text, before, language):
    """The first block of a language behind some words."""
    found = re.search(rf"{re.escape(before)}.*?^```{language}\n(.*?)^```$", text, ENDING)
    check(found, "the README has such a block:", before, language)
    return found[1]


def said(command, folder, **surroundings):
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=daemon.environment(
            PATH=folder + os.pathsep + os.environ["PATH"], LC_ALL="C.UTF-8", **surroundings),
        text=True, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def plans(text, folder):
    plan = block(text, "<!-- example: notes.yaml -->", "yaml")
    with open(os.path.join(folder, "notes.yaml"), "w") as file:
        file.write(plan)
    command, shown = re.search(
        r"^\$ (throng plan check [^\n]*)\n([^$]*)", block(text, plan[-20:], "console"), ENDING).groups()
    code, output = said(command, folder)
    check(code == 0 and fits(shown.strip().splitlines(), output), f"the README shows of `{command}`:", shown, "it says:", output)
    mistake = block(text, "A mistake names its place", "text")
    place, key = re.fullmatch(r"bad\.yaml:(\d+):\d+: app: unknown key '(\w+)'.*\n", mistake).groups()
    lines = plan.splitlines()
    lines.insert(int(place) - 1, f"  {key}: 20")
    with open(os.path.join(folder, "bad.yaml"), "w") as file:
        file.write("\n".join(lines))
    code, output = said("throng plan check bad.yaml", folder)
    check(code != 0 and fits([mistake.strip()], output), "the README shows of a mistake:", mistake, "it says:", output)
    say("plan")


def posting(text, folder):
    with open(os.path.join(SAMPLE, "shop.yaml")) as file:
        house = daemon.Daemon(file.read()).start()
    script = block(text, "## Post an event", "sh")
    check("http://127.0.0.1:8080" in script, "the README posts to the daemon's usual address")
    answer = block(text, "status 202 and says", "json")
    code, output = said(script.replace(":8080", f":{house.port}"), folder)
    check(code == 0 and json.loads(output) == json.loads(answer), "the README shows:", answer, "it says:", output)
    house.stop()
    house.clean()
    say("event")


def test():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(BINARY, os.path.join(folder, "throng"))
        plans(text, folder)
        posting(text, folder)


if __name__ == "__main__":
    daemon.main(test)
