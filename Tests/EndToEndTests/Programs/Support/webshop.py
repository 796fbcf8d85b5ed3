"""The sample shop's pages on another origin than the daemon, under a strict policy; some of its hosts lose answers."""

import collections
import http.client
import http.server
import json
import os
import threading
import time
import urllib.parse

import daemon
from daemon import SAMPLE

SITE = os.path.join(SAMPLE, "web")
ROTATION = daemon.rotation_with_time_left([86400, 23 * 3600, 22 * 3600])


class Site(http.server.ThreadingHTTPServer):
    """The shop's files for any path, a page of another site that links to it, and a way to the daemon that loses answers."""

    daemon_threads = True

    def __init__(self, house):
        super().__init__(("127.0.0.1", 0), Page)
        self.house = house
        self.port = self.server_address[1]
        self.lost = collections.deque()
        self.carried = []
        self.referrers = []
        self.ahead = []
        # By how much this server is ahead. Unit: seconds.
        self.later = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path="/", host="shop.example"):
        return f"http://{host}:{self.port}{path}"


class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def date_time_string(self, timestamp=None):
        return super().date_time_string((time.time() if timestamp is None else timestamp) + self.server.later)

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        host, path = self.headers["host"].split(":")[0], urllib.parse.urlsplit(self.path).path
        if path.startswith("/v1/") or path == "/throng.js":
            if path != "/throng.js":
                self.server.referrers.append(self.headers.get("referer"))
            return self.carry("GET", None)
        if host in ("search.example", "other.example"):
            links = "".join(
                f'<a id="{place}" href="{self.server.url(to)}">{to}</a> ' for place, to in enumerate(["/", "/lamp/arc"]))
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
        with open(os.path.join(SITE, name)) as file:
            text = file.read()
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
        policy = (
            f"default-src 'none'; script-src 'self' {counter}; connect-src {counter}; style-src 'self'; base-uri 'none';"
            " form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
        self.answer(200, text.encode(), content_type=files.get(path, "text/html"), content_security_policy=policy)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
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
        line = http.client.HTTPConnection("127.0.0.1", self.server.house.port, timeout=10)
        line.request(method, self.path, body or b"", {"origin": self.server.url()[:-1]})
        response = line.getresponse()
        text = response.read()
        self.answer(response.status, text, content_type=response.getheader("content-type"),
                    access_control_allow_origin="*")
        line.close()
