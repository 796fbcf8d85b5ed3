"""A plan is put in force while a daemon runs: what widens or splits needs a yes, a bad one changes nothing, and what clients send
meanwhile is counted once."""

import json
import os
import signal
import threading
import time

import daemon
import shop
from daemon import check, say


def apply(house, text, *arguments):
    """The exit code, and all that was said."""
    path = os.path.join(house.folder, "new.yaml")
    with open(path, "w") as file:
        file.write(text)
    code, out, err = daemon.run("plan", "apply", path, "--data", house.data, *arguments)
    return code, out + err


def in_force(house):
    with open(os.path.join(house.data, "plans", "shop.yaml")) as file:
        return file.read()


def wait(house, words, seconds=30):
    deadline = time.monotonic() + seconds
    while words not in house.log_text():
        check(house.process.poll() is None, "it ended with", house.process.poll())
        check(time.monotonic() < deadline, "never said:", words, house.log_text()[-2000:])
        time.sleep(0.05)


class Crowd(threading.Thread):
    """A client that sends one event after the other, again until each is taken, while `goes_on`."""

    def __init__(self, house):
        super().__init__()
        self.house, self.goes_on, self.taken, self.refused = house, True, 0, 0

    def run(self):
        while self.goes_on:
            body = json.dumps(shop.batch(f"crowd {self.taken}"))
            while True:
                try:
                    status = self.house.post(body)[0]
                except OSError:
                    status = 503
                if status == 202:
                    break
                self.refused += 1
                time.sleep(0.02)
            self.taken += 1


def test():
    plan = shop.plan()
    house = daemon.Daemon(plan).start()
    process = house.process.pid
    check(house.post(json.dumps(shop.batch("first")))[0] == 202, "it counts")

    code, words = apply(house, plan)
    check(code == 0 and "already" in words, code, words)

    code, words = apply(house, plan.replace("metrics:", "metric:"))
    check(code == 2 and in_force(house) == plan, "a plan with a problem:", code, words)
    with open(house.plan, "w") as file:
        file.write("app: 3")
    house.process.send_signal(signal.SIGHUP)
    wait(house, "a plan can't be used")
    check(house.post(json.dumps(shop.batch("second")))[0] == 202, "it counts on")
    check(in_force(house) == plan, "the plan is the old one")
    with open(house.plan, "w") as file:
        file.write(plan)
    say("what is no plan changes nothing")

    longer = plan.replace("retention: 30 days", "retention: 60 days")
    check(longer != plan, "the plan keeps numbers for 30 days")
    os.chmod(house.plan, 0o640)
    code, words = apply(house, longer)
    check(code == 4 and "widens" in words and "--yes" in words, code, words)
    code, words, _ = daemon.run("plan", "diff", "--running", os.path.join(house.folder, "new.yaml"), "--data", house.data)
    check(code == 4 and "widens" in words, code, words)
    with open(house.plan) as file:
        check(file.read() == plan and in_force(house) == plan, "nothing was changed")
    say("what widens waits for a yes")

    crowd = Crowd(house)
    crowd.start()
    try:
        time.sleep(0.5)
        for text in (longer, plan, longer):
            code, words = apply(house, text, "--yes")
            check(code == 0 and "counts by the new plan" in words, code, words, house.log_text()[-3000:])
            check(in_force(house) == text and os.stat(house.plan).st_mode & 0o777 == 0o640, "the file keeps its mode")
            time.sleep(0.5)
    finally:
        crowd.goes_on = False
        crowd.join()
    check(house.process.poll() is None and house.process.pid == process, "it is the same process")
    check(crowd.taken > 20, "few events came:", crowd.taken)
    house.drain()
    check(shop.counted(house) == crowd.taken + 2, "counted", shop.counted(house), "of", crowd.taken + 2)
    say(f"three plans in force while {crowd.taken} events came, each counted once; {crowd.refused} tries had to come again")

    code, words = apply(house, longer.replace("title: Views", "title: What is looked at"))
    check(code == 0, "words alone need no yes:", code, words)
    check(house.stop() == 0, "it stops gracefully")
    code, words = apply(house, longer, "--yes")
    check(code == 0 and "next start" in words, code, words)
    check(house.start().stop() == 0, "and starts by it")
    check(in_force(house) == longer, "the next start counts by it")


if __name__ == "__main__":
    daemon.main(test)
