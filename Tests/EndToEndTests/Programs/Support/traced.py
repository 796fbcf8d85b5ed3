"""What a daemon's traces may say."""

import copy
import json
import os
import re

from daemon import check, read, say, until

# All that traces may say, but for what the plan and the program have no word for.
SPANS = {"request", "journal commit", "flush", "release", "report", "delivery"}
NUMBERS = {"http.response.status_code", "http.request.body.size", "throng.records", "throng.cells", "throng.attempts"}
PLANNED = {"throng.app", "throng.metric", "throng.report"}
METHODS = {"GET", "HEAD", "POST", "OPTIONS", "_OTHER"}
MEMBERS = {"traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes", "status"}


def spans_of(path):
    """All spans of a file, as far as it is written."""
    if not os.path.exists(path):
        return []
    return [span for line in read(path).splitlines() for resource in json.loads(line)["resourceSpans"]
            for scope in resource["scopeSpans"] for span in scope["spans"]]


def refusals(spans, routes, plan, chosen=()):
    """What spans say that they may not: each is told by names of closed lists, templates of routes, words of the plan and numbers.

    `routes` are templates with * for parameters, `plan` is its text, `chosen` what clients have sent as a trace's identifier."""
    wrong = [f"a span is called {span['name']!r}" for span in spans if span["name"] not in SPANS]
    for span in spans:
        wrong += [f"a span has {each!r}" for each in set(span) - MEMBERS]
        if not (re.fullmatch("[0-9a-f]{32}", span["traceId"]) and re.fullmatch("[0-9a-f]{16}", span["spanId"])):
            wrong.append("identifiers have another shape")
        if {span["traceId"], span["spanId"], span.get("parentSpanId")} & set(chosen):
            wrong.append("a client's trace was taken over")
        if set(span.get("status", {})) - {"code"}:
            wrong.append("a status has a text")
        for each in span["attributes"]:
            key, (form, value) = each["key"], *each["value"].items()
            if key in NUMBERS:
                is_right = form == "intValue" and value.isdigit()
            elif key == "http.route":
                is_right = re.sub(r"[:{]\w+\}?", "*", value) in routes
            elif key == "http.request.method":
                is_right = value in METHODS
            elif key == "throng.period":
                is_right = re.fullmatch(r"\d{4}(-\d\d|-W\d\d)(-\d\d([T ]\d\d([-:]\d\d)?)?)?", value)
            else:
                is_right = key in PLANNED and re.search(rf"\b{re.escape(value)}\b", plan)
            if not is_right:
                wrong.append(f"{span['name']} says {key} = {value!r}")
    return wrong


def wait_for(house, names):
    """The spans, once each of these names is among them."""
    def found():
        return spans_of(house.settings["THRONG_TRACES"])
    until(lambda: names <= {span["name"] for span in found()}, "of traces there are only", lambda: {span["name"] for span in found()},
          seconds=300, pause=0.2)
    return found()


def facts_of(spans):
    return [(each["key"], *each["value"].values()) for span in spans for each in span["attributes"]]


def routes_of(house):
    status, _, described = house.get("/v1/openapi.json")
    check(status == 200, "the routes are not described")
    return {re.sub(r"\{\w+\}", "*", path) for path in json.loads(described)["paths"]}


def expect_traces(house, chosen):
    """Requests, commits and flushes are there, and say nothing that they may not.

    `chosen` is the trace's identifier that clients have sent."""
    spans = wait_for(house, {"request", "journal commit", "flush"})
    routes, plan = routes_of(house), read(house.plan)
    wrong = refusals(spans, routes, plan, (chosen, chosen[:16]))
    check(not wrong, "traces say what they may not:", *wrong[:20])
    facts = facts_of(spans)
    found = {value for key, value in facts if key == "http.route"}
    check({"/v1/batches"} < found and any(each.startswith("/v1/plan/") for each in found), "they name routes", found)
    check("POST" in {value for key, value in facts if key == "http.request.method"}, "methods are missing")
    check({"202", "400", "404"} <= {value for key, value in facts if key == "http.response.status_code"}, "statuses are missing")
    metrics = house.get("/metrics", port=house.metrics_port)[2].decode()
    exported = int(re.search(r'throng_spans_total\{outcome="exported"\} (\d+)', metrics)[1])
    check(exported >= len(spans) and 'throng_spans_total{outcome="dropped"} 0' in metrics, "metrics count", exported)
    expect_refused(spans, routes, plan, chosen)
    say(f"{len(spans)} spans say what they may, of {len(found)} routes; what says more is found")


def expect_refused(spans, routes, plan, chosen):
    """What is looked for would be found: an identifier, an address, a value, a path, a header, a text of an error."""
    request = next(span for span in spans if span["name"] == "request")
    for key, value in (("throng.identifier", "an-identifier"), ("client.address", "203.0.113.7"), ("throng.app", "203.0.113.7"),
                       ("throng.metric", "a-value"), ("http.route", "/v1/plan/a-value"), ("http.request.method", "a-value"),
                       ("throng.period", "a-value"), ("http.request.body.size", "a-value"), ("user_agent.original", "Mozilla/5.0")):
        bent = copy.deepcopy(request)
        bent["attributes"] = [each for each in bent["attributes"] if each["key"] != key]
        check(not refusals([bent], routes, plan), "a span that says less is refused")
        bent["attributes"].append({"key": key, "value": {"stringValue": value}})
        check(refusals([bent], routes, plan), "a span may say", key, value)
    for change in ({"name": "GET /a-value"}, {"traceId": chosen}, {"parentSpanId": chosen[:16]}, {"links": []}, {"events": []},
                   {"status": {"code": 2, "message": "a-value"}}):
        check(refusals([{**request, **change}], routes, plan, (chosen, chosen[:16])), "a span may have", change)


def expect_deliveries(house, secrets):
    """Releases, reports and deliveries are told by the plan's names, and not by where they go or by what lets them in."""
    spans = wait_for(house, {"release", "report", "delivery"})
    wrong = refusals(spans, routes_of(house), read(house.plan))
    check(not wrong, "traces say what they may not:", *wrong[:20])
    text = read(house.settings["THRONG_TRACES"])
    check(not [each for each in secrets if each in text], "traces say where reports go, or how")
    failed = [span for span in spans if span["name"] == "delivery" and span.get("status") == {"code": 2}]
    check(failed and len(failed) < sum(span["name"] == "delivery" for span in spans), "tries all end alike")
    say(f"{len(spans)} spans of releases, reports and deliveries name what the plan does, and no place")
