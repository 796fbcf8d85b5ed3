"""The guide by size: each file that it has people copy is taken by who reads it, also with the lines that are for later; each
command that it has them type exists, as do the files that it names; and what it computes is what comes out."""

import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import yaml

import daemon
import stock_proxies
from daemon import check, say
from daemon import read as text

sys.path.insert(0, os.path.join(daemon.ROOT, "Tests/Benchmarks"))

import arithmetic as computed  # noqa: E402

DEPLOY = os.path.join(daemon.ROOT, "Deploy")
PAGES = os.path.join(daemon.ROOT, "Sources", "Throng.docc")
MOST_EXPOSURE = 25  # of 100


def later(settings):
    """With the lines that are for later: those of a key behind a `#`."""
    told = re.sub(r"^( *)#([a-z_-]+: )", r"\1\2", settings, flags=re.M)
    check(told != settings, "nothing is for later in", settings)
    return told


class Desk:
    """A folder that stands for /etc/throng."""

    def __init__(self):
        self.folder = daemon.temporary()
        stock_proxies.settings_files(self.folder)

    def put(self, name, words):
        return daemon.write(os.path.join(self.folder, name), words.replace("/etc/throng", self.folder))

    def plan(self, words, ends=0):
        path = self.put("plan.yaml", words)
        code, said, wrong = daemon.run("plan", "check", path)
        check(code == ends, "the check of", words[:200], "ended with", code, said, wrong)

    def settings(self, words, ends=0):
        code, said, wrong = daemon.run("doctor", "--settings", "--config", self.put("throng.yaml", words))
        check(code == ends, "the check of", words[:200], "ended with", code, said, wrong)


def runs(*words, **more):
    return daemon.ran(*words, seconds=120, **more).stdout


def settings(guide):
    """Each size's plan and settings, as they are, bent, and with what is for later."""
    sizes = sorted(os.listdir(os.path.join(DEPLOY, "sizes")))
    folders = [each for each in sizes if os.path.isdir(os.path.join(DEPLOY, "sizes", each))]
    check(len(folders) >= 3, "there are the sizes", folders)
    desk = Desk()
    for folder in folders:
        def read(*path):
            return text(DEPLOY, "sizes", folder, *path)

        plan, told = read("plan.yaml"), read("throng.yaml")
        app = yaml.safe_load(plan)["app"]["name"]
        # A publisher's is the app's, by another name.
        attesters = text(DEPLOY, "sizes", "one-app", "attesters.yaml")
        desk.put("attesters.yaml", re.sub(r"^example:", app + ":", attesters, flags=re.M))
        desk.plan(plan.replace("rotation:", "rotatoin:", 1), ends=2)
        desk.plan(plan)
        desk.settings(told.replace("plan:", "plna:", 1), ends=2)
        desk.settings(told)
        if folder != "one-site":
            desk.plan(later(plan))
            desk.settings(later(told))
        # Who posts a trial's events by this page's line is counted.
        if folder != "publisher":
            line = re.search(rf"^(seq .*?) \|\n    throng replay .* --app {app} --purpose (\w+) -$", guide, re.M)
            purpose = yaml.safe_load(plan)["purposes"][line[2]]
            events = [json.loads(each) for each in runs("sh", "-c", line[1]).splitlines()]
            counted = {event for metric in yaml.safe_load(plan)["metrics"].values() for event in metric["events"]}
            check(len(events) > 20 and {each["event"] for each in events} <= counted and purpose, "posted are", events[:2])
    say("plans and settings of", len(folders), "sizes are taken, with what is for later, too")


def complaints(folder, paths):
    """What systemd says of files in a folder; it takes unknown keys, and says so."""
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", *paths], capture_output=True, text=True, timeout=120)
    return [line for line in done.stderr.splitlines() if done.returncode or folder in line]


def units():
    """systemd takes the units that are copied, with the files that change them."""
    folder = Desk().folder
    for path in glob.glob(os.path.join(DEPLOY, "systemd", "throng*")):
        daemon.write(os.path.join(folder, os.path.basename(path)), text(path).replace("/usr/local/bin/throng", daemon.BINARY))
    paths = sorted(glob.glob(os.path.join(folder, "throng*")))
    check(len(paths) == 3, "units are", paths)
    backup = text(DEPLOY, "systemd", "throng-backup.service")
    for words, kind in ((text(DEPLOY, "systemd", "throng.service"), "Type=notify"), (backup, "Type=oneshot")):
        check({"User=throng", "LimitCORE=0", "MemorySwapMax=0", kind} <= set(words.splitlines()), "a unit lacks one of its lines:", words)
    # A unit that is over takes what its user shares in memory along, and PostgreSQL's is the daemon's.
    check("\nRemoveIPC=yes" not in backup, "a backup ends the daemon's PostgreSQL")
    for size in ("one-app", "publisher"):
        for unit, part in (("throng", "systemd/port-443.conf"), ("throng-backup", f"sizes/{size}/backup.conf")):
            os.makedirs(os.path.join(folder, unit + ".service.d"), exist_ok=True)
            shutil.copy(os.path.join(DEPLOY, part), os.path.join(folder, unit + ".service.d", "part.conf"))
        check(not complaints(folder, paths), "systemd says", complaints(folder, paths))
        # The command, as a shell gets it.
        database = re.search(r"^Environment=(DATABASE=--database=(.*))$", text(DEPLOY, "sizes", size, "backup.conf"), re.M)
        line = re.search(r"^ExecStart=/bin/sh -c '(.*)'$", backup, re.M)[1].replace("$$", "$").replace("%%", "%")
        with tempfile.TemporaryDirectory() as bin:
            daemon.write(os.path.join(bin, "throng"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n", 0o755)
            words = runs("/bin/sh", "-c", line, env={"PATH": bin + ":/usr/bin:/bin", "DATABASE": database[1][9:]}).splitlines()
        check("--database=" + database[2] in words, "a backup reads", words)
        check(re.fullmatch(r"/var/backups/throng/[\dT-]+", words[words.index("--to") + 1]), "a backup is made by", words)
        known(["throng", *words])
    daemon.write(os.path.join(folder, "throng-backup.service.d", "bent.conf"), "[Service]\nProtectSytem=strict\n")
    check(complaints(folder, paths), "systemd does not see a mistake")
    for unit in ("throng.service", "throng-backup.service"):
        runs("systemd-analyze", "security", "--offline=yes", f"--threshold={MOST_EXPOSURE}", os.path.join(folder, unit))
    hook = re.search(r"^```sh\n(#!/bin/sh\n.*?)^```", text(PAGES, "TLSAndProxies.md"), re.M | re.S)[1]
    check(text(DEPLOY, "sizes", "certbot-hook") == hook, "the hook that is copied is not the one that is shown")
    say("systemd takes the units; the hook is the one that is shown")


def put_together(guide):
    """haproxy and Prometheus take what the page's own lines make for three daemons."""
    with tempfile.TemporaryDirectory() as folder:
        line = re.search(r"^(sed .*proxy/haproxy-daemons.cfg) \| sudo tee", guide, re.M)[1]
        config = runs("sh", "-c", line, cwd=DEPLOY)
        open(os.path.join(folder, "throng.map"), "w").close()
        both = stock_proxies.certificate(folder)[2]
        path = os.path.join(folder, "haproxy.cfg")
        for words, ends in ((config, 0), (config.replace("use-server", "use-sever"), 1)):
            daemon.write(path, words.replace("/etc/haproxy/throng.map", os.path.join(folder, "throng.map")).replace(
                "/etc/haproxy/count.example.com.pem", both))
            daemon.ran("haproxy", "-c", "-f", path, ends=ends)
        line = re.search(r"^(sed 's/targets.*prometheus.yaml) \|", guide, re.M)[1]
        words = runs("sh", "-c", line, cwd=DEPLOY)
        check(len(yaml.safe_load(words)["scrape_configs"][0]["static_configs"][0]["targets"]) == 3, words)
        shutil.copy(os.path.join(DEPLOY, "grafana", "alerts.yaml"), folder)
        runs("promtool", "check", "config", daemon.write(os.path.join(folder, "prometheus.yml"), words))
    say("haproxy and Prometheus take what is put together")


def figures(guide):
    """What the page computes is what comes out, by the bytes that it names and that the pages behind it have."""
    pair, metric, batch = map(int, re.search(r"10 × (\d+) \+ 5 × (\d+) \+ 5 × (\d+) = 445 bytes", guide).groups())
    told = re.search(r"`throng_open_pairs`.*?to (\d+) bytes each.*?to (\d+) an identifier and metric.*?to (\d+) a batch",
                     text(PAGES, "Watching.md"))
    check((pair, metric, batch) == tuple(map(int, told.groups())), "figures of memory are", told.groups())
    event = int(re.search(r"Count on (\d+) bytes an event", text(PAGES, "Settings.md"))[1])
    check(f"[{event} bytes an event, of three windows]" in guide, "an event takes", event)
    device = 10 * pair + 5 * metric + 5 * batch
    check(device == 445 and event == computed.Figures.journal_event, "a device takes", device, event)
    check((pair, metric, batch) == (computed.Figures.pair, computed.Figures.identifier, computed.Figures.batch), "figures")
    rows = computed.table([5e6, 5e7, 5e8, 1e9], computed.Devices(), computed.Machine(), computed.Figures())
    check(rows in guide, "the page has another table than", rows)
    say("what is computed is what comes out")


COMMANDS = {}


def known(words):
    """A command of throng's, with options that it has."""
    if not COMMANDS:
        COMMANDS.update(json.loads(daemon.run("--experimental-dump-help")[1])["command"])
    at, said = COMMANDS, " ".join(words)
    for word in words[1:]:
        below = {each["commandName"]: each for each in at.get("subcommands", [])}
        if word in below:
            at = below[word]
        elif word.startswith("-") and word != "-":
            default = [each for each in at.get("subcommands", []) if each["commandName"] == at.get("defaultSubcommand")]
            options = {"-" * (1 if name["kind"] == "short" else 2) + name["name"]
                       for one in [at, *default] for each in one.get("arguments", []) for name in each.get("names", [])}
            check(word.split("=")[0] in options, "no", word, "has", said)
    check(at is not COMMANDS, "no command is", said)


def commands(guide):
    """What people type exists: throng's commands, and files in what the package brings."""
    package = text(DEPLOY, "package")
    shipped = re.search(r"^ *cp -r (Deploy/sizes .*) \"\$work/examples\"$", package, re.M)[1].split()
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", guide, re.M | re.S))
    found = 0
    for part in re.split(r"\n(?=\S)|&&|\|(?= |\n)|;|\$\(", blocks.replace("\\\n", " ")):
        part = re.sub(r"\s#\s.*| [12]?>.*| &$", "", part.strip())
        part = re.sub(r"^(until )?(sudo (-u throng )?)?", "", part)
        if re.match(r"throng ", part):
            known(shlex.split(part))
            found += 1
    check(found > 15, "commands of throng's are", found)
    for wrong in (["throng", "serve", "--plna", "x"], ["throng", "demon", "list"]):
        try:
            known(wrong)
        except daemon.Failure:
            continue
        check(False, "it is not seen that there is no", wrong)
    files = set(re.findall(r"(?<=[ '\"(])(?:sizes|systemd|proxy|grafana|patroni)/[\w./-]+", blocks))
    check(len(files) > 8, "files are", files)
    for each in files:
        check(os.path.exists(os.path.join(DEPLOY, each)), "there is no", each)
        check("Deploy/" + each.split("/")[0] in shipped, "the package has no", each)
    # Each file that a size has stands in the guide by its name.
    paths = glob.glob(os.path.join(DEPLOY, "sizes", "**"), recursive=True) + glob.glob(os.path.join(DEPLOY, "systemd", "*"))
    names = {os.path.relpath(path, daemon.ROOT) for path in paths if os.path.isfile(path)} - {"Deploy/systemd/throng.service"}
    check(len(names) > 10, "there are", names)
    for name in sorted(names):
        check(f"`{name}`" in guide, "the guide does not name", name)
    say(found, "commands and", len(files | names), "files are there")


def test():
    guide = text(PAGES, "Operations.md")
    settings(guide)
    units()
    put_together(guide)
    figures(guide)
    commands(guide)
