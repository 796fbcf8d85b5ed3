"""Settings come from options, the environment and a file, in that order; what is wrong is named with its place, secrets are
not shown, and a reload says what takes a restart."""

import json
import os
import re
import signal
import subprocess

import daemon
import shop
from daemon import BINARY, check, say, until

SECRET = "hunter" + os.urandom(6).hex()


class Desk:
    """A folder with a file of settings, and what throng says of it."""

    def __init__(self):
        self.folder = daemon.temporary()
        self.plan = self.put("shop.yaml", shop.plan())
        self.file = os.path.join(self.folder, "throng.yaml")

    def put(self, name, text):
        return daemon.write(os.path.join(self.folder, name), text)

    def run(self, *words, text=None, **environment):
        """Exit code, standard output, standard error."""
        if text is not None:
            self.put("throng.yaml", text)
        done = subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=120, env=daemon.environment(**environment))
        return done.returncode, done.stdout, done.stderr

    def show(self, *options, text="", **environment):
        """By key."""
        code, out, err = self.run("doctor", "--show", "--json", "--config", self.file, *options, text=text, **environment)
        found = json.loads(out)
        check(found["problems"] == [] and code == 0, "it ended with", code, err)
        return {each["key"]: each for each in found["settings"]}

    def refused(self, text, *words, options=(), **environment):
        """A start and a look refuse a file in the same words, and nothing is made."""
        data = os.path.join(self.folder, "data")
        code, out, err = self.run("doctor", "--settings", "--config", self.file, "--plan", self.plan, *options, text=text, **environment)
        check(code == 2 and "refuse" in err and not out, "the check of", text, "ended with", code, out, err)
        start = self.run("serve", "--config", self.file, "--plan", self.plan, "--data", data, *options, **environment)
        check(start[0] in (1, 64), "a start with", text, "ended with", start)
        for word in words:
            check(word in err and word in start[2], "of", text, "no", word, "is said:", err, start[2])
        check(not os.path.exists(data), "something was made")
        check(SECRET not in err + start[2], "a secret is told")


def order(desk):
    """Each setting by each way that it has, and the one before wins."""
    defaults = desk.show("--plan", desk.plan)
    check(len(defaults) >= 25 and defaults["plan"]["origin"] == "option", defaults["plan"], len(defaults))
    check(all(each["origin"] == "default" and "value" not in each for key, each in defaults.items() if key != "plan"),
          "defaults have another origin")
    numbers = {key: int(each["default"]) for key, each in defaults.items() if "unit" in each}
    check(len(numbers) >= 6 and all(each["unit"] for each in defaults.values() if "unit" in each), numbers)
    # All levels of a file, nested and dotted names alike in what they mean.
    nested = {}
    for key, value in numbers.items():
        part, rest = key.split(".", 1)
        nested.setdefault(part, {})[rest] = max(1, value - 1)
    text = json.dumps({**nested, "listen": ":7001", "log": "debug", "log-format": "json", "portal": "127.0.0.1:7003",
                       "plan": [desk.plan], "data": "/nowhere/a"})
    by_file = desk.show(text=text)
    for key, value in numbers.items():
        check(by_file[key]["value"] == str(max(1, value - 1)) and by_file[key]["origin"] == "file", by_file[key])
    check(by_file["plan"]["value"] == desk.plan and by_file["plan"]["place"] == desk.file + ":1", by_file["plan"])
    environment = {each["variable"]: str(max(1, numbers[key])) for key, each in defaults.items() if key in numbers}
    environment.update(THRONG_LISTEN=":7002", THRONG_DATA="/nowhere/b", THRONG_PLAN=desk.plan)
    by_environment = desk.show(text=text, **environment)
    for key, value in numbers.items():
        check(by_environment[key]["value"] == str(max(1, value)), by_environment[key])
        check(by_environment[key]["origin"] == "environment", by_environment[key])
    check(by_environment["log"]["origin"] == "file" and by_environment["listen"]["value"] == ":7002", "the rest stays")
    by_option = desk.show("--listen", ":7000", "--data", "/nowhere/c", text=text, **environment)
    check(by_option["listen"]["value"] == ":7000" and by_option["listen"]["origin"] == "option", by_option["listen"])
    check(by_option["data"]["value"] == "/nowhere/c" and by_option["data"]["place"] == "--data", by_option["data"])
    check(by_option["portal"]["place"] == desk.file + ":1" and by_option["flush.seconds"]["origin"] == "environment", "mixed")
    # The variable names a file, the option another one.
    other = desk.put("other.yaml", "metrics: 127.0.0.1:7009\n")
    code, out, _ = desk.run("doctor", "--show", "--plan", desk.plan, THRONG_CONFIG=other)
    check(code == 0 and re.search(r"metrics +127.0.0.1:7009 +" + re.escape(other) + ":1", out), code, out)
    check("intake.windows-bytes" in out and "4294967296 bytes (4 GiB)" in out and "\x1b" not in out, out)
    code, out, _ = desk.run("doctor", "--show", "--plan", desk.plan, "--config", "/dev/null", THRONG_CONFIG=other)
    check(code == 0 and "7009" not in out, "the option does not win:", code, out)
    say(f"{len(defaults)} settings, of which {len(numbers)} are numbers, go by option, environment, file and default")


def documented(desk):
    """Settings has each setting, by its option or its variable, with the default that it has."""
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", daemon.read(daemon.ROOT, "Sources", "Throng.docc", "Settings.md"), re.M)
    defaults = desk.show("--plan", desk.plan)
    for key, each in defaults.items():
        name = each.get("option") or each["variable"]
        found = [default for names, default in rows if re.search(rf"`{name}[` ]", names)]
        check(found, "Settings has no", name)
        if "unit" in each:
            check(each["default"] in found, f"of {name} Settings says {found}, and it is {each['default']}")
    check(not [each for each, _ in rows if re.search(r"`THRONG_\w+`", each)
               and re.search(r"`(THRONG_\w+)`", each)[1] not in {one["variable"] for one in defaults.values()}], "what is not there")
    say(f"Settings has all {len(defaults)}, with their defaults")


def lists(desk):
    """A list, or one text."""
    for text in ("intake: {origins: [https://a.example, https://b.example]}", "intake:\n  origins: https://a.example https://b.example\n"):
        found = desk.show("--plan", desk.plan, text=text)["intake.origins"]
        check(found["value"] == "https://a.example https://b.example", found)
    second = desk.put("news.yaml", shop.plan().replace("name: shop", "name: news"))
    found = desk.show(text=f"# two apps\n\nplan:\n  - {desk.plan}\n  - {second}\n")["plan"]
    check(found["value"] == f"{desk.plan} {second}" and found["place"] == desk.file + ":3", found)
    check(not found["restart"], "plans are reloaded")
    found = desk.show(THRONG_PLAN=f"{desk.plan}:{second}")["plan"]
    check(found["value"] == f"{desk.plan} {second}" and found["origin"] == "environment", found)
    say("lists are lists")


def refusals(desk):
    """File and line or name, what was found, what is allowed, what to do."""
    refused = desk.refused
    refused("intake:\n  windows-byte: 3\n", f"{desk.file}:2: intake.windows-byte", "did you mean intake.windows-bytes?")
    own = desk.put("own.yaml", shop.plan().replace("name: shop", "name: news") + """
insights: {by_channel: {title: Views, metric: views, kind: count, by: [channel]}}
partners: {bank: {title: Bank, contact: bank@example.com}}
reports: {daily: {title: Daily, partner: bank, insights: [by_channel], period: day, deliver: [{folder: out}]}}
""")
    refused("members: {listen: 127.0.0.1:0}\n", "daily", "the folder out", "absolute", options=("--plan", own))
    refused("flush: {seconds: often}\n", f"{desk.file}:1: flush.seconds", "'often'", "a whole number of seconds from 1 to 3600")
    refused("flush: {seconds: [1]}\n", "found a list", "from 1 to 3600")
    refused("flush: 3\n", f"{desk.file}:1: flush", "found '3'", "keys with values")
    refused("listen: {host: x}\n", "found a mapping", "a text")
    refused("log: loud\n", "'loud'", "trace, debug, info")
    refused("listen: nowhere\n", f"{desk.file}:1: listen", "host and a port", "'nowhere'")
    refused("log: info\nlog: debug\n", f"{desk.file}:1: log is written twice")
    refused("intake: {\n", desk.file, "no YAML")
    refused("intake: {proxies: 10.0.0.1/8}\n", f"{desk.file}:1: intake.proxies", "no bits behind its length")
    refused("tls: {certificate: /nowhere.pem}\n", "go together", f"{desk.file}:1: tls.certificate")
    refused("", "THRONG_FLUSH_SECONDS", "from 1 to 3600", "'x'", THRONG_FLUSH_SECONDS="x")
    refused("", "THRONG_FLUSH_SECOND", "does not know", THRONG_FLUSH_SECOND="3")
    refused("traces: 'https://collector.example/v1/traces'\n", f"{desk.file}:1: traces", "on this machine")
    # All at once.
    refused("flush: {seconds: 0}\njournal: {cap-bytes: 1}\n", f"{desk.file}:1: flush.seconds", f"{desk.file}:2: journal.cap-bytes")
    refused("", "--listen", "--metrics", options=("--listen", "x", "--metrics", "y"))
    for words in (("--config", "/nowhere.yaml"), ()):
        code, _, err = desk.run("doctor", "--show", "--plan", desk.plan, *words, THRONG_CONFIG="/nowhere.yaml")
        check(code == 64 and "/nowhere.yaml: there is no such file" in err, code, err)
    code, _, err = desk.run("doctor", "--settings", "--config", desk.file, text="plan: /nowhere/shop.yaml\n")
    check(code == 2 and "/nowhere/shop.yaml" in err, code, err)
    code, out, err = desk.run("doctor", "--settings", "--config", desk.file, text=f"plan: {desk.plan}\n")
    check(code == 0 and not out and "would take" in err, code, out, err)
    say("what is wrong is named with its place, all of it at once, and nothing is made")


def secrets(desk):
    """No password is ever shown, however it is written."""
    strings = [
        f"postgresql://throng:{SECRET}@db.example:5433/count?sslmode=require",
        f"postgresql:///count?host=db.example&user=throng&password={SECRET}&sslpassword={SECRET}",
        f"host=db.example user=throng password={SECRET}", f"host=db.example password='{SECRET} and more'",
    ]
    for number, database in enumerate(strings):
        for words, text, environment in ((["--database", database], "", {}), ([], "", {"THRONG_DATABASE": database}),
                                         ([], json.dumps({"database": database}), {})):
            form = ["--json"] if number % 2 else []
            code, out, err = desk.run(
                "doctor", "--show", "--config", desk.file, "--plan", desk.plan, *form, *words, text=text, **environment)
            check(code == 0 and "db.example" in out, code, out, err)
            check(SECRET not in out + err and "and more" not in out + err, "a password is shown:", out, err)
    for broken in (f"postgresql://throng:{SECRET}@[db", f"host=x password='{SECRET}", f"host=x {SECRET}",
                   # Signs that end a password, and should have been encoded.
                   f"postgresql://throng:x@{SECRET}@db.example/count", f"postgresql://throng:{SECRET}@x@db.example/count",
                   f"postgresql://throng:x/{SECRET}@db.example/count"):
        code, out, err = desk.run("doctor", "--show", "--plan", desk.plan, "--config", "/dev/null", "--database", broken)
        check(code == 2 and "--database" in err and SECRET not in out + err, "of a broken one it says", code, out, err)
    for text in (f"database: [{SECRET}]\n", f"database: {{password: {SECRET}}}\n"):
        code, out, err = desk.run("doctor", "--show", "--plan", desk.plan, "--config", desk.file, text=text)
        check(code == 2 and f"{desk.file}:1: database" in err and SECRET not in out + err, code, out, err)
    for words in (["--advertise", f"http://u:{SECRET}@h:1", "--members", ":7"], ["--listen", f"http://u:{SECRET}@h"]):
        code, out, err = desk.run("doctor", "--show", "--plan", desk.plan, "--config", "/dev/null", *words)
        check(SECRET not in out + err, "an address shows its password:", out, err)
    say("no password is shown, in whatever way it is written")


def addresses(desk):
    """An address where a path is meant is refused before anything is made: an option, a variable, a file, any command."""
    s3 = "s3://bucket/reports"
    for words, environment, place in (
            (["doctor", "--settings", f"--plan={s3}"], {}, "--plan"), (["serve", "--plan", desk.plan, "--data", s3], {}, "--data"),
            (["doctor", "--settings", "--plan", desk.plan], {"THRONG_DATA": s3}, "THRONG_DATA"),
            (["backup", "--to", s3], {}, "--to"), (["plan", "check", s3], {}, "command line")):
        code, _, err = desk.run(*words, **environment)
        check(code in (2, 64) and place in err and "a path on this machine is allowed" in err, words, "says", code, err)
        check(not os.path.exists("s3:"), words, "makes a folder")
    code, _, err = desk.run("doctor", "--settings", "--config", desk.file, text=f"plan: {desk.plan}\ndata: {s3}\n")
    check(code in (2, 64) and f"{desk.file}:2: data" in err and "a path on this machine" in err, code, err)
    # Other texts may be anything.
    code, _, err = desk.run("doctor", "--settings", "--plan", desk.plan, "--config", "/dev/null", "--advertise", "http://h:7",
                            "--members", ":7")
    check("a path on this machine" not in err, code, err)
    say("an address is not taken for a folder")


class House(daemon.Daemon):
    """One that is told everything by its file."""

    def write(self, **more):
        daemon.write(os.path.join(self.folder, "throng.yaml"), json.dumps({
            "plan": [self.plan], "data": self.data, "listen": f"127.0.0.1:{self.port}",
            "metrics": f"127.0.0.1:{self.metrics_port}", **more}))

    def arguments(self):
        return [BINARY, "serve", "--config", os.path.join(self.folder, "throng.yaml")]

    def reload(self, words):
        """Sends SIGHUP and waits until the log says something once more."""
        before = self.log_text().count(words)
        self.process.send_signal(signal.SIGHUP)
        self.said(words, seconds=300, times=before + 1)


def reloads():
    house = House(shop.plan())
    house.write()
    house.start()
    check(house.post(json.dumps(shop.batch("by a file")))[0] == 202, "it does not count")
    check("settings were read" in house.log_text(), house.log_text())
    house.reload("nothing changes")
    check("take a restart" not in house.log_text(), "nothing was changed, and a restart is asked for")
    house.write(flush={"seconds": 2}, intake={"idle-seconds": 90})
    house.reload("settings have changed that take a restart")
    line = next(line for line in house.log_text().splitlines() if "take a restart" in line)
    check("flush.seconds" in line and "intake.idle-seconds" in line and "listen" not in line, line)
    house.write(flush={"seconds": 0})
    house.reload("a plan can't be used, or a setting")
    check("throng.yaml:1: flush.seconds" in house.log_text(), "the place is not told")
    check(house.post(json.dumps(shop.batch("still")))[0] == 202, "it does not count on")
    # Which plans there are is read anew.
    second = daemon.write(os.path.join(house.folder, "news.yaml"), shop.plan().replace("name: shop", "name: news"))
    house.write(plan=[house.plan, second])
    house.reload("an app is new")
    until(lambda: house.answers("/v1/plan/news"), "the new app is not served", seconds=300)
    check(house.stop() == 0, "it does not stop in order")
    house.clean()
    say("a file alone runs a daemon; a reload reads plans, and says what takes a restart")


def test():
    desk = Desk()
    order(desk)
    documented(desk)
    lists(desk)
    refusals(desk)
    secrets(desk)
    addresses(desk)
    reloads()
