"""Three daemons of one database, a plan that is edited in the middle, and one daemon that is forgotten: what is published is safe
under both plans, reports come from the one in force, and who is behind says so. People who sign in at one are known at all."""

import http.client
import json
import os
import signal
import time
import urllib.parse

import daemon
import fleet
from daemon import check, say

HOUR = 3600
ROTATION = 60
# The edit removes where views come from, brings taps, and raises k. Hours, so that one is over.
PLAN = """
app: {name: shop, title: TITLE, owner: Tests, contact: tests@example.com, audience: 1000, threshold: THRESHOLD, grace: 1 hour}
purposes:
  product: {explanation: To see what is used., consent: not_required, rotation: ROTATION, retention: 30 days}
dimensions:
  os: {title: System, field: os, list: [ios, android], partitions: devices}
CHANNEL
metrics:
  views: {title: Views, events: [view], question: What is seen?, decision: None., owner: Tests, expires: EXPIRES,
    purpose: product, dimensions: [os], period: hour, measures: {reach: true}}
METRIC
insights:
  by_system: {title: Views by system, metric: views, kind: count, by: [os]}
partners:
  bank: {title: Bank, contact: bank@example.com}
reports:
  hourly: {title: TITLE, partner: bank, insights: [by_system], period: hour, schedule: "* * * * *", formats: [json],
    deliver: [{folder: OUT}]}
"""
CHANNEL = "  channel: {title: Channel, field: channel, list: [email, direct]}"
SOURCES = """  sources: {title: Sources, events: [view], question: From where?, decision: None., owner: Tests, expires: EXPIRES,
    purpose: product, dimensions: [channel], period: hour}"""
TAPS = """  taps: {title: Taps, events: [tap], question: What is tapped?, decision: None., owner: Tests, expires: EXPIRES,
    purpose: product, dimensions: [os], period: hour}"""


def plan(out, threshold, title, channel, metric):
    text = PLAN.replace("CHANNEL", channel).replace("METRIC", metric).replace("TITLE", title).replace("THRESHOLD", str(threshold))
    expires = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 200 * 86400))
    return text.replace("ROTATION", daemon.duration(ROTATION)).replace("EXPIRES", expires).replace("OUT", out).lstrip()


class Member(fleet.Member):
    """With pages."""

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, THRONG_SCHEDULE_SECONDS="1", **settings)
        self.portal_port = daemon.free_ports(1)[0]

    def arguments(self):
        return super().arguments() + ["--portal", f"127.0.0.1:{self.portal_port}"]

    def edit(self, text):
        with open(self.plan, "w") as file:
            file.write(text)

    def restart(self):
        check(self.stop() == 0, self.name, "stops gracefully")
        return self.start()

    def ready(self):
        check(self.get("/readyz")[2] == b"ready\n", "clients are not told of plans")
        status, _, words = self.get("/readyz", port=self.metrics_port)
        check(status == 200, self.name, "is ready:", status, words)
        return words.decode()

    def in_force(self):
        return self.metrics().get('throng_plan_in_force{app="shop"}')

    def page(self, method, path, cookie=None, body=None):
        line = http.client.HTTPConnection("127.0.0.1", self.portal_port, timeout=30)
        headers = {"cookie": cookie} if cookie else {}
        if body is not None:
            headers |= {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}
        try:
            line.request(method, path, body, headers)
            answer = line.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()
        finally:
            line.close()


def until(holds, *words, seconds=60):
    deadline = time.monotonic() + seconds
    while not holds():
        check(time.monotonic() < deadline, "never:", *words)
        time.sleep(0.2)


def post(member, devices, name, event="view", **fields):
    """One event of each device, three hours ago, in the window after this one; which of them counted."""
    window = int(time.time()) // ROTATION + 1
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(time.time()) // HOUR * HOUR - 3 * HOUR + 60))
    counted = 0
    for device in range(devices):
        body = {
            "app": "shop", "batch": os.urandom(16).hex(), "purpose": "product", "window": window, "context": {},
            "id": f"{name} {device}", "events": [{"event": event, "at": at, "fields": {"os": "ios", **fields}}]}
        status, _, answer = member.post(json.dumps(body))
        check(status == 202, "posted:", status, answer)
        counted += json.loads(answer)["accepted"]
    return counted


def leader(house):
    rows = house.postgres.sql("select daemon from throng.lease where name = 'schedule' and until > now()")
    return rows[0][0] if rows else None


def plans(house):
    """By member, whether its plan is the one in force."""
    listed = house.listed()
    return {name: [each["isInForce"] for each in listed[house[name].id]["plans"]] for name in house.members}


def edited(house, former, new):
    """One daemon after the other gets the plan; the third is forgotten, and starts once more with the former one."""
    for name in "abc":
        house[name].edit(former)
        house[name].start()
    check(plans(house) == {"a": [True], "b": [True], "c": [True]}, "all have the plan in force:", plans(house))
    until(lambda: leader(house) in [house[name].id for name in "abc"], "somebody has the lease")
    share = max([house.join(name) for name in "bc"])
    house["a"].edit(new)
    house["a"].process.send_signal(signal.SIGHUP)
    until(lambda: plans(house)["a"] == [True] and plans(house)["b"] == [False], "a has brought the plan into force")
    until(lambda: leader(house) == house["a"].id, "a has the lease, as the others are behind")
    house["b"].edit(new)
    house["b"].restart()
    check(plans(house) == {"a": [True], "b": [True], "c": [False]}, "b has it too:", plans(house))
    house["c"].restart()
    check(plans(house) == {"a": [True], "b": [True], "c": [False]}, "c does not turn it back:", plans(house))
    rows = house.postgres.sql("select arrival, until is null from throng.plan_in_force order by place")
    check(rows == [["first", "f"], ["edited", "t"]], "what was in force:", rows)
    say("an edit goes from daemon to daemon, and a forgotten one does not take it back")
    # Windows that are opened from here on are all three's.
    time.sleep(max(0, (share // ROTATION + 1) * ROTATION + 1 - time.time()))


def told(house):
    """Who is behind says so, everywhere."""
    until(lambda: "counts by another plan" in house["c"].log_text(), "the log says so")
    check("throng plan apply" in house["c"].ready() and house["a"].ready() == "ready\n", "/readyz:", house["c"].ready())
    check([house[name].in_force() for name in "abc"] == [1, 1, 0], "metrics:", [house[name].in_force() for name in "abc"])
    said = house.daemon("list")
    check(said.count("which is not in force") == 1 and "is in force for shop since" in said, "daemon list:", said)
    code, _, words = daemon.run("release", "--plan", house["c"].plan, "--data", house["c"].data, "--database", house.postgres.url)
    check(code == 0 and "is in force since" in words, "by hand it is said, too:", code, words)


def released(house, out):
    """What each daemon counted by its plan, released by the one in force."""
    # What is over is released at once: nobody does so before all of it is counted.
    house.postgres.sql(
        "update throng.lease set daemon = gen_random_uuid(), until = now() + interval '1 hour' where name = 'schedule'")
    time.sleep(2)
    counted = {name: post(house[name], 60, name, event=event, **fields) for name, event, fields in (
        ("a", "view", {}), ("b", "tap", {}), ("c", "view", {"channel": "email"}))}
    check(counted["a"] == 60 and 20 <= counted["b"] < 60 and 0 < counted["c"] < 45, "counted:", counted)
    house.drain()
    house.postgres.sql("delete from throng.lease where name = 'schedule'")
    rows = house.postgres.sql(
        "select metric, count(distinct shard), sum(value) from throng.counter join throng.metric_layout using (metric_id)"
        " where measure = 0 group by metric order by metric")
    # What others posted without a channel is c's "other".
    check(rows[0][:2] == ["sources", "1"] and int(rows[0][2]) > counted["c"], "c counts by its own plan:", rows, counted)
    check(rows[1:] == [["taps", "2", str(counted["b"])], ["views", "3", str(counted["a"] + counted["c"])]],
          "and the others by theirs:", rows, counted)
    until(lambda: not house.postgres.sql("select 1 from throng.open_period where period_end <= now() - interval '1 hour'"),
          "all that is due is released")
    [[least, threshold, by]] = house.postgres.sql(
        "select min(c.count), min(r.threshold), string_agg(distinct r.plan, ' ') from throng.release as r"
        " join throng.released_cell as c using (release_id)")
    check(int(least) >= 20 and int(threshold) >= 20, "k of the plan in force holds for all that was released:", least, threshold)
    [[version]] = house.postgres.sql("select encode(plan, 'hex') from throng.plan_in_force where until is null")
    check(by == version, "what is released is released by the plan in force:", by, version)
    names = [name for [name] in house.postgres.sql(
        "select distinct metric from throng.release join throng.released_cell using (release_id) order by metric")]
    check("taps" in names and "views" in names, "what the edit brought is released:", names)
    files = []
    until(lambda: files.extend(os.listdir(out)) or files, "a report is made")
    for name in os.listdir(out):
        with open(os.path.join(out, name)) as file:
            text = file.read()
        check("Edited" in text and "Former" not in text, "a report comes from the plan in force:", name, text[:300])
    check(leader(house) in (house["a"].id, house["b"].id), "one that has the plan in force has the lease")
    say("what is published is safe under both plans, and reports come from the one in force")


def people(house):
    """Whoever signs in at one daemon is known at the others; who signs out is out everywhere."""
    code, token, words = daemon.run("token", "new", "--operator", "--database", house.postgres.url)
    check(code == 0, "a token:", words)
    form = urllib.parse.urlencode({"token": token.strip()})
    cookies = []
    for name in "abc":
        status, headers, _ = house[name].page("POST", "/sign-in", body=form)
        check(status == 303, name, "lets in:", status)
        cookies.append(headers["set-cookie"].split(";")[0])
    for turn, name in enumerate("abcabcabc"):
        for cookie in cookies:
            status, _, body = house[name].page("GET", "/operator", cookie)
            check(status == 200, name, "knows who signed in elsewhere, in turn", turn, ":", status)
    check("by another plan than the one in force" in body, "the operator's page says who is behind")
    stored = house.postgres.sql("select encode(cookie_hash, 'hex') from throng.portal_session")
    check(len(stored) == 3 and not any(value in cookie for [value] in stored for cookie in cookies), "cookies are kept")
    for [value] in stored:
        status, _, _ = house["a"].page("GET", "/operator", cookies[0].split("=")[0] + "=" + value)
        check(status == 401, "what PostgreSQL keeps opens a page:", status)
    status, headers, _ = house["c"].page("POST", "/sign-out", cookies[0], body="")
    check(status == 303 and "Max-Age=0" in headers["set-cookie"], "signing out:", status, headers)
    for name in "abc":
        check(house[name].page("GET", "/operator", cookies[0])[0] == 401, "who signed out at c is out at", name)
        check(house[name].page("GET", "/operator", cookies[1])[0] == 200, "others are not, at", name)
    # The daemon at which somebody signed in goes, and a look at another one ends what it began.
    check(house["b"].stop() == 0, "b stops gracefully")
    check(house["c"].page("GET", "/operator", cookies[1])[0] == 200, "who signed in at b is in, without b")
    check(house["c"].page("POST", "/sign-out", cookies[1], body="")[0] == 303, "and signs out at c")
    house["b"].start()
    check([house[name].page("GET", "/operator", cookies[1])[0] for name in "abc"] == [401] * 3, "which b knows once it is back")
    code, _, words = daemon.run("token", "revoke", token[7:15], "--database", house.postgres.url)
    check(code == 0 and house["b"].page("GET", "/operator", cookies[2])[0] == 401, "a token that is taken back:", code, words)
    check(not house.postgres.sql("select 1 from throng.portal_session"), "nothing is left of sessions")
    say("people are known at every daemon, and nobody is who signed out at one")


def applied(house, former, new):
    """An operator's word brings any plan into force, and brings a forgotten daemon over."""
    path = os.path.join(house.folder, "applied.yaml")
    for text, name, standing in (
            (former, "c", {"a": [False], "b": [False], "c": [True]}), (new, "c", {"a": [True], "b": [True], "c": [True]})):
        with open(path, "w") as file:
            file.write(text)
        code, out, words = daemon.run("plan", "apply", path, "--data", house[name].data, "--yes")
        check(code == 0 and "which is in force" in words, "applied:", code, out, words)
        check(plans(house) == standing, "after it was applied at", name, ":", plans(house))
    until(lambda: [house[name].in_force() for name in "abc"] == [1, 1, 1], "all are level")
    until(lambda: house["c"].ready() == "ready\n", "/readyz of c")
    until(lambda: not house.postgres.sql(
        "select 1 from throng.layout_terms where until is null group by metric_id having count(*) > 1"),
        "what the former plan asked is over")
    say("an operator's word brings a plan into force")


def test():
    house = fleet.Fleet("", names="")
    out = os.path.join(house.folder, "out")
    os.mkdir(out)
    former, new = plan(out, 5, "Former", CHANNEL, SOURCES), plan(out, 20, "Edited", "", TAPS)
    house.plan = former
    house.members = {name: Member(house, name) for name in "abc"}
    edited(house, former, new)
    told(house)
    released(house, out)
    people(house)
    applied(house, former, new)
    for name in "abc":
        check(house[name].stop() == 0, name, "stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
