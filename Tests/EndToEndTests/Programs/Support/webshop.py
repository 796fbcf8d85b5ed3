"""The sample shop's pages on another origin than the daemon, under a strict policy; some of its hosts lose answers."""

import collections
import json
import os
import time
import urllib.parse

import daemon
import pages
from daemon import SAMPLE, check

SITE = os.path.join(SAMPLE, "web")
ROTATION = daemon.rotation_with_time_left([86400, 23 * 3600, 22 * 3600])


def plan():
    """The sample's, with what the sample has no use for: the browser's offset from UTC, a field that two dimensions read, an open
    vocabulary, an event that is sampled, and a purpose for backends."""
    text = daemon.read(SITE, "webshop.yaml")
    check(text.count("rotation: 1 day") == 2 and text.count("consent: required") == 1, "the sample's rotations and consents")
    rules = {"p_offset": "utc_offset: {band_hours: 3}", "p_route": "route: [/a/:id, /b]", "p_again": "route: [/a/*]"}
    dimensions = "".join(
        f"  {name}: {{title: {name}, field: {'p_route' if name == 'p_again' else name}, {rule}}}\n" for name, rule in rules.items())
    dimensions += "  p_open: {title: p_open, field: p_open, revealed: {most: 5}}\n"
    described = "question: Is it so?, decision: None., owner: Tests, expires: 2027-10-31, purpose: product"
    metrics = "".join(f"  {name}s: {{title: {name}, events: [probe], {described}, dimensions: [{name}], period: day}}\n" for name in rules)
    metrics += f"  open: {{title: Open, events: [open], {described}, dimensions: [p_open], period: day}}\n"
    metrics += f"  rarely: {{title: Rare, events: [rare], {described}, dimensions: [kind], period: day, sampling: 0.5}}\n"
    metrics += f"  served: {{title: Served, events: [probe, refund], {described[:-7]}served, period: day}}\n"
    served = "\n  served: {explanation: To see., consent: not_required, senders: backends, rotation: 1 hour, retention: 30 days}\n"
    text = text.replace("\ndimensions:\n  page:", f"{served}\ndimensions:\n{dimensions}  page:", 1)
    text = text.replace("metrics:\n  views:", f"metrics:\n{metrics}  views:", 1)
    text = text.replace("consent: required", "consent: required\n    consent_version: 2")
    return text.replace("rotation: 1 day", f"rotation: {daemon.duration(ROTATION)}")


class Site(pages.Server):
    """The shop's files for any path, a page of another site that links to it, and a way to the daemon that loses answers."""

    def __init__(self, house, handler=None):
        super().__init__(handler or Page, house=house, lost=collections.deque(), carried=[], referrers=[], ahead=[])

    def url(self, path="/", host="shop.example"):
        return super().url(path, host)


class Page(pages.Handler):
    def do_GET(self):
        host, path = self.headers["host"].split(":")[0], urllib.parse.urlsplit(self.path).path
        if path.startswith("/v1/") or path == "/throng.js":
            if path != "/throng.js":
                self.server.referrers.append(self.headers.get("referer"))
            return self.carry("GET", None)
        if host in ("search.example", "other.example"):
            links = "".join(f'<a id="{place}" href="{self.server.url(to)}">{to}</a> ' for place, to in enumerate(["/", "/lamp/arc"]))
            return self.answer(200, links.encode(), content_type="text/html")
        if "prerender" in self.headers.get("sec-purpose", ""):
            self.server.ahead.append(path)
        files = {"/shop.css": "text/css", "/shop.js": "text/javascript"}
        name = path[1:] if path in files else "index.html"
        if path == "/favicon.ico":
            return self.answer(404)
        if path == "/ahead":
            page = '<!DOCTYPE html><title>Ahead</title><script type="speculationrules">' + json.dumps(
                {"prerender": [{"source": "list", "urls": ["/lamp/desk"], "eagerness": "immediate"}]}) + (
                '</script><a id="0" href="/lamp/desk">Desk</a>')
            return self.answer(200, page.encode(), content_type="text/html")
        text = daemon.read(SITE, name)
        # A page on flaky.example sends through this server, another one straight to the daemon.
        counter = f"http://flaky.example:{self.server.port}" if host == "flaky.example" else self.server.house.address
        text = text.replace("http://127.0.0.1:8080", counter)
        if host == "memory.example":
            text = text.replace("data-app=", 'data-storage="memory" data-app=')
        if host == "debug.example":
            text = text.replace("data-app=", "data-debug data-app=")
        if path == "/unplanned":
            text = text.replace('data-app="webshop"', 'data-app="unplanned"')
        # Its plan has the second version of a purpose.
        text = text.replace("const version = 1;", "const version = 2;")
        policy = (f"default-src 'none'; script-src 'self' {counter}; connect-src {counter}; style-src 'self'; base-uri 'none';"
                  " form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
        self.answer(200, text.encode(), content_type=files.get(path, "text/html"), content_security_policy=policy)

    def do_POST(self):
        body = self.body()
        self.server.carried.append((time.monotonic(), body))
        self.server.referrers.append(self.headers.get("referer"))
        if self.server.lost:
            fate = self.server.lost.popleft()
            if fate == "busy":
                return self.answer(503, b"{}", retry_after="3", access_control_allow_origin="*",
                                   access_control_expose_headers="retry-after")
            # The daemon counts it, and nobody hears of it; or it does not even get there.
            if fate == "lost":
                self.server.house.post(body, {"origin": self.server.url()[:-1]})
            self.close_connection = True
            return None
        return self.carry("POST", body)

    def carry(self, method, body):
        origin = {"origin": self.server.url()[:-1]}
        status, headers, text = daemon.fetch(self.server.house.port, method, self.path, body or b"", origin, seconds=10)
        self.answer(status, text, content_type=headers.get("content-type"), access_control_allow_origin="*")
