"""What a daemon's traces may say."""

import json
import os
import re
import time

from daemon import check, say

# All that traces may say, but for what the plan and the program have no word for.
SPANS = {"request", "journal commit", "flush", "release", "report", "delivery"}
FACTS = {"http.route", "http.request.method", "http.response.status_code", "http.request.body.size", "throng.records",
         "throng.cells", "throng.attempts", "throng.app", "throng.metric", "throng.period", "throng.report"}


def expect_traces(house, chosen):
    """Requests, commits and flushes are there, told by nothing but names of closed lists, templates of routes and numbers.

    `chosen` is the trace's identifier that clients have sent.
    """
    deadline = time.monotonic() + 300
    while True:
        text = ""
        if os.path.exists(house.settings["THRONG_TRACES_FILE"]):
            with open(house.settings["THRONG_TRACES_FILE"]) as file:
                text = file.read()
        spans = [span for line in text.splitlines() for resource in json.loads(line)["resourceSpans"]
                 for scope in resource["scopeSpans"] for span in scope["spans"]]
        if {"request", "journal commit", "flush"} <= {span["name"] for span in spans}:
            break
        check(time.monotonic() < deadline, "of traces there are only", {span["name"] for span in spans})
        time.sleep(0.2)
    check({span["name"] for span in spans} <= SPANS, "spans are called", {span["name"] for span in spans})
    facts = [(each["key"], *each["value"].values()) for span in spans for each in span["attributes"]]
    check({each[0] for each in facts} <= FACTS, "they say", {each[0] for each in facts})
    status, _, described = house.get("/v1/openapi.json")
    check(status == 200, "the routes are not described")
    routes = {re.sub(r"\{\w+\}", "*", path) for path in json.loads(described)["paths"]}
    found = {re.sub(r"[:{]\w+\}?", "*", value) for key, value in facts if key == "http.route"}
    check("/v1/batches" in found and "/v1/plan/*" in found and found <= routes, "they name routes", found - routes, found)
    texts = {value for key, value in facts if key in ("http.request.method",)}
    check(texts <= {"GET", "HEAD", "POST", "OPTIONS", "_OTHER"} and "POST" in texts, "methods are", texts)
    statuses = {int(value) for key, value in facts if key == "http.response.status_code"}
    check({202, 400, 404} <= statuses, "they were answered with", statuses)
    check(all(set(span) <= {"traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano",
                            "attributes", "status"} for span in spans), "spans have other members")
    check(chosen not in text and chosen[:16] not in text, "a client's trace was taken over")
    metrics = house.get("/metrics", port=house.metrics_port)[2].decode()
    exported = int(re.search(r'throng_spans_total\{outcome="exported"\} (\d+)', metrics)[1])
    check(exported >= len(spans) and 'throng_spans_total{outcome="dropped"} 0' in metrics, "metrics count", exported)
    say(f"{len(spans)} spans say what they may, of {len(found)} routes")
