"""Every query of the dashboards and alerts in Deploy/grafana is run: SQL as an analyst, PromQL by Debian's prometheus on a
running daemon. Grafana itself is not here; its files are checked for what it would trip over."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

import daemon
import small_house
from daemon import check, say

FOLDER = os.path.join(daemon.ROOT, "Deploy", "grafana")


def dashboard(name):
    board = json.loads(daemon.read(FOLDER, "dashboards", name))
    check(board["schemaVersion"] >= 36 and re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", board["uid"]) and board["title"], name)
    panels = board["panels"]
    check(len({panel["id"] for panel in panels}) == len(panels), name, "has two panels with one id")
    variables = {each["name"]: each for each in board["templating"]["list"]}
    kind = variables["source"]["query"]
    taken = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        check(place["x"] + place["w"] <= 24 and not cells & taken, name, panel["title"], "lies on another panel")
        taken |= cells
        if panel["type"] == "row":
            continue
        check(panel["title"] and panel["description"], name, "a panel says nothing")
        check(panel["type"] in ("timeseries", "stat", "table"), name, panel["type"])
        check(len({target["refId"] for target in panel["targets"]}) == len(panel["targets"]) > 0, name, panel["title"])
        for each in [panel, *panel["targets"]]:
            check(each["datasource"] == {"type": kind, "uid": "${source}"}, name, panel["title"], "has no data source")
    used = set(re.findall(r"\$\{?([a-z]\w*)", json.dumps(panels)))
    check(used <= set(variables), name, "uses variables that it does not have:", used - set(variables))
    return board


def provisioned():
    for name in ("dashboards", "datasources"):
        content = yaml.safe_load(daemon.read(FOLDER, "provisioning", name, "throng.yaml"))
        check(content["apiVersion"] == 1 and content["providers" if name == "dashboards" else name], name)


def analyst(ask, views=".*", since="now() - interval '30 days'", until="now()"):
    """Asks every query of the analyst's dashboard of views whose names match.

    ask: from a query to its rows, as texts."""
    board = dashboard("analyst.json")
    asked = 0

    def rows(query, **values):
        for name, value in values.items():
            query = re.sub(rf"\${{?{name}\b}}?", value, query)
        query = re.sub(r"\$__timeFilter\(([^)]*)\)", rf"\1 between {since} and {until}", query)
        query = query.replace("$__timeTo()", until)
        check("$" not in query, "a variable was left:", query)
        return ask(query)

    variables = {each["name"]: each["query"] for each in board["templating"]["list"]}
    chosen = [view for (view,) in rows(variables["view"]) if re.fullmatch(views, view)]
    check(chosen, "no view is called", views)
    for view in chosen:
        [(count,)] = rows(variables["count"], view=view)
        for (kind,) in rows(variables["kind"], view=view):
            margins = [margin for (margin,) in rows(variables["margin"], view=view, kind=kind)]
            check(len(margins) > 1 and "(total)" in margins, view, kind, "has margins", margins)
            for margin in margins:
                for panel in board["panels"]:
                    for target in panel["targets"]:
                        found = rows(target["rawSql"], view=view, kind=kind, margin=margin, count=count)
                        check(found, panel["title"], "has no rows for", margin)
                        check(target["format"] == ("table" if panel["type"] == "table" else "time_series"), panel["title"])
                        asked += 1
                last = next(each for each in board["panels"] if each["title"].startswith("The last period"))
                for bucket, events, devices, share, reason in rows(
                        last["targets"][0]["rawSql"], view=view, kind=kind, margin=margin, count=count):
                    check((events == "") == (reason != "") == (share == ""), bucket, events, share, reason)
    check(asked > 20, "only", asked, "queries were asked")
    say(f"analyst's dashboard: {asked} queries answered of {', '.join(chosen)}")


class Prometheus:
    def __init__(self, house):
        self.folder = os.path.join(house.folder, "prometheus")
        os.mkdir(self.folder)
        config = yaml.safe_load(daemon.read(FOLDER, "prometheus.yaml"))
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["rule_files"] = [os.path.join(FOLDER, "alerts.yaml")]
        config["scrape_configs"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{house.metrics_port}"]
        path = daemon.write(os.path.join(self.folder, "prometheus.yml"), yaml.safe_dump(config))
        (self.port,) = daemon.free_ports(1)
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={path}", f"--storage.tsdb.path={self.folder}/data", "--log.level=error",
             f"--web.listen-address=127.0.0.1:{self.port}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def get(self, path, **query):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?" + urllib.parse.urlencode(query)
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]

    def query(self, expression):
        try:
            return self.get("query", query=expression)["result"]
        except urllib.error.HTTPError as error:
            raise daemon.Failure(expression, error.read().decode())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def expressions(board):
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"].replace("$__rate_interval", "10s").replace("$instance", ".*")


def operator(house):
    board = dashboard("operator.json")
    for command in (["check", "config", "prometheus.yaml"], ["check", "rules", "alerts.yaml"], ["test", "rules", "alerts.test.yaml"]):
        daemon.ran("promtool", *command, cwd=FOLDER)
    alerts = [rule for group in yaml.safe_load(daemon.read(FOLDER, "alerts.yaml"))["groups"] for rule in group["rules"]]
    known = {line.split()[2] for line in house.get("/metrics", port=house.metrics_port)[2].decode().split("\n")
             if line.startswith("# TYPE")}
    known |= {f"throng_flush_seconds_{each}" for each in ("sum", "count")}
    texts = [text for _, text in expressions(board)] + [rule["expr"] for rule in alerts]
    texts.append(board["templating"]["list"][1]["query"]["query"])
    named = set(re.findall(r"\bthrong_\w+", " ".join(texts)))
    check(named <= known, "there are no metrics", named - known)
    check(all(re.match(r"(sum|count|min|max|rate|throng|time|clamp|\()", text) for _, text in expressions(board)), texts)
    prometheus = Prometheus(house)
    try:
        def is_scraped():
            # Something to count, while Prometheus looks on; it is not there yet, or not ready.
            small_house.visit(house, f"guest {time.monotonic()}", "ios", "hall")
            with contextlib.suppress(OSError):
                looks = prometheus.get("query", query="count_over_time(throng_flushes_total[1m])")["result"]
                return looks and int(looks[0]["value"][1]) >= 8
        daemon.until(is_scraped, "Prometheus did not begin", pause=0.2)
        empty = [title for title, text in expressions(board) if not prometheus.query(text)]
        # This daemon has made no report, and its release was made by hand, after it had looked what age leaves.
        check(set(empty) <= {"Since the last release", "Since the last report", "Next step of age"}, "no result for", empty)
        rules = {rule["name"]: rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]}
        check(set(rules) == {rule["alert"] for rule in alerts}, "rules:", set(rules))
        check(all(rule["health"] == "ok" for rule in rules.values()), rules)
        firing = [name for name, rule in rules.items() if rule["state"] == "firing"]
        check(not firing, "a healthy daemon calls for help:", firing)
    finally:
        prometheus.stop()
    say(f"operator's dashboard: {len(texts)} expressions answered, {len(alerts)} alerts")


def test():
    provisioned()
    house = small_house.open_house()

    def ask(query):
        code, out, error = small_house.ask(house, query)
        check(code == 0, query, error)
        return [line.split("|") for line in out.split("\n") if line]

    analyst(ask)
    operator(house)
    check(house.stop() == 0, "serve stops gracefully")
