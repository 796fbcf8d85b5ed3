"""A plan is put in force while a daemon runs: what widens or splits needs a yes, a bad one changes nothing, and what clients send
meanwhile is counted once."""

import json
import os
import signal
import time

import daemon
import fleet
import shop
from daemon import check, say, until


def apply(house, text, *arguments):
    """The exit code, and all that was said."""
    path = os.path.join(house.folder, "new.yaml")
    daemon.write(path, text)
    code, out, err = daemon.run("plan", "apply", path, "--data", house.data, *arguments)
    return code, out + err


def in_force(house):
    return daemon.read(house.data, "plans", "shop.yaml")


def test():
    plan = shop.plan()
    house = daemon.Daemon(plan).start()
    process = house.process.pid
    check(house.post(json.dumps(shop.batch("first")))[0] == 202, "it counts")

    code, words = apply(house, plan)
    check(code == 0 and "already" in words, code, words)

    code, words = apply(house, plan.replace("metrics:", "metric:"))
    check(code == 2 and in_force(house) == plan, "a plan with a problem:", code, words)
    daemon.write(house.plan, "app: 3")
    house.process.send_signal(signal.SIGHUP)
    until(lambda: "a plan can't be used" in house.log_text(), "it never says that the plan can't be used")
    check(house.post(json.dumps(shop.batch("second")))[0] == 202, "it counts on")
    check(in_force(house) == plan, "the plan is the old one")
    daemon.write(house.plan, plan)
    say("what is no plan changes nothing")

    longer = plan.replace("retention: 30 days", "retention: 60 days")
    check(longer != plan, "the plan keeps numbers for 30 days")
    os.chmod(house.plan, 0o640)
    code, words = apply(house, longer)
    check(code == 4 and "widens" in words and "--yes" in words, code, words)
    code, words, _ = daemon.run("plan", "diff", "--running", os.path.join(house.folder, "new.yaml"), "--data", house.data)
    check(code == 4 and "widens" in words, code, words)
    check(daemon.read(house.plan) == plan and in_force(house) == plan, "nothing was changed")
    say("what widens waits for a yes")

    with fleet.Clients(lambda: [("127.0.0.1", house.port)], shop.ROTATION, "applied", threads=2) as clients:
        time.sleep(0.5)
        for text in (longer, plan, longer):
            code, words = apply(house, text, "--yes")
            check(code == 0 and "counts by the new plan" in words, code, words, house.log_text()[-3000:])
            check(in_force(house) == text and os.stat(house.plan).st_mode & 0o777 == 0o640, "the file keeps its mode")
            time.sleep(0.5)
    check(house.process.poll() is None and house.process.pid == process, "it is the same process")
    check(clients.batches > 20 and not clients.unsure, "few batches came:", clients.batches, clients.unsure)
    house.drain()
    check(shop.counted(house) == clients.events + 2, "counted", shop.counted(house), "of", clients.events + 2)
    say(f"three plans in force while {clients.events} events came, each counted once; sent again: {dict(clients.retries)}")

    code, words = apply(house, longer.replace("title: Views", "title: What is looked at"))
    check(code == 0, "words alone need no yes:", code, words)
    check(house.stop() == 0, "it stops gracefully")
    code, words = apply(house, longer, "--yes")
    check(code == 0 and "next start" in words, code, words)
    check(house.start().stop() == 0, "and starts by it")
    check(in_force(house) == longer, "the next start counts by it")
