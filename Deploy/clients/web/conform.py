"""Drives throng.js in Chromium for `throng conform python3 Deploy/clients/web/conform.py [SCRIPT]`: a step a line, as JSON,
each answered with ok. SCRIPT is a file or an address such as https://count.example.com/throng.js, or the index.js of the module; the
source otherwise.

It takes selenium from PyPI, and Chromium with its chromedriver. A beacon's process is a page, and its folder a tab: a start in a
folder that is known is the next page of its tab, and a page whose program is killed goes without a word. So that killing this
program does not kill the tabs, a keeper has them: a process of its own, which ends with `throng conform`.
"""

from __future__ import annotations

import http.client
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from typing import Any

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Sources/ThrongServer/Web/throng.js")

# The clock, the signals and the network of a page, before anything else runs in it. A page that is dead does nothing any more.
WORLD = """(() => {
    let time = NOW, past = 0;
    Date.now = () => time;
    performance.now = () => past;
    window.signals = SIGNALS;
    Object.defineProperty(Navigator.prototype, "globalPrivacyControl", {get: () => signals.includes("global_privacy_control")});
    Object.defineProperty(Navigator.prototype, "doNotTrack", {get: () => signals.includes("do_not_track") ? "1" : "0"});
    for (const [name, side] of [["width", 390], ["height", 844]]) Object.defineProperty(Screen.prototype, name, {get: () => side});
    window.flying = window.requests = 0;
    const ask = fetch;
    window.fetch = (...request) => {
        if (window.isDead) return new Promise(() => {});
        flying++;
        requests++;
        return ask(...request).finally(() => setTimeout(() => flying--, 20));
    };
    for (const name of ["pagehide", "visibilitychange"])
        addEventListener(name, (event) => window.isDead && event.stopImmediatePropagation(), true);
    window.passTo = (instant) => { past += instant - time; time = instant; };
})()"""
# The page's own part: a script's tag, or a module's start.
SCRIPT_PAGE = b'<!DOCTYPE html><script src="/throng.js" data-app="conform"></script>'
MODULE_PAGE = (b'<!DOCTYPE html><script type="module">import {start} from "/throng.js"; '
               b'start({server: location.origin, app: "conform"});</script>')
# Sends until there is nothing more to be sent now.
SEND = """const done = arguments[0];
(async () => {
    for (let round = 0, silent = 0; silent < 2 && round < 20; round++) {
        const before = requests;
        throng.flush();
        do await new Promise((next) => setTimeout(next, 25)); while (flying);
        silent = requests == before ? silent + 1 : 0;
    }
    done();
})();"""


class Site(http.server.ThreadingHTTPServer):
    """The page with the script, and the way to the daemon of the trial that is under way."""

    daemon_threads = True

    def __init__(self, script: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Page)
        self.script, self.daemon = script, ""
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Page(http.server.BaseHTTPRequestHandler):
    server: Site
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def answer(self, status: int, kind: str, body: bytes, headers: dict[str, str]) -> None:
        self.send_response_only(status)
        all_headers = {"content-type": kind, "content-length": str(len(body)), "cache-control": "no-store", **headers}
        for name, value in all_headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        path = urllib.parse.urlsplit(self.path).path
        if path.startswith("/v1/"):
            return self.carry("GET", None)
        if path == "/throng.js":
            return self.answer(200, "text/javascript; charset=utf-8", self.server.script, {})
        return self.answer(200, "text/html", MODULE_PAGE if b"export const start" in self.server.script else SCRIPT_PAGE, {})

    def do_POST(self) -> None:
        self.carry("POST", self.rfile.read(int(self.headers["content-length"])))

    def carry(self, method: str, body: Any) -> None:
        """Asks the daemon; where it does not answer, neither does this."""
        line = http.client.HTTPConnection(self.server.daemon, timeout=30)
        try:
            line.request(method, self.path, body)
            answer = line.getresponse()
            found = answer.read()
        except (OSError, http.client.HTTPException):
            self.close_connection = True
            return
        finally:
            line.close()
        kept = {name: value for name, value in answer.getheaders() if name.lower() in ("date", "retry-after")}
        self.answer(answer.status, answer.getheader("content-type", ""), found, kept)


class Keeper:
    """The browser, and its tabs by folder."""

    def __init__(self, script: bytes) -> None:
        from selenium import webdriver
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
                         "--disable-background-networking", "--disable-blink-features=AutomationControlled",
                         "--accept-lang=de-AT"):
            options.add_argument(argument)
        browser, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
        if browser:
            options.binary_location = browser
        # Where there is no driver, selenium fetches one.
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        self.driver.set_script_timeout(50)
        self.site = Site(script)
        self.folder, self.consents = "", {}

    def do(self, step: dict[str, Any]) -> None:
        what, run = step["do"], self.driver.execute_script
        if what == "start":
            return self.start(step)
        if what == "now":
            run("passTo(arguments[0])", step["now"] * 1000)
        elif what == "consent":
            self.consents[step["purpose"]] = step["given"] and step["version"]
            run("throng.consent(...arguments)", step["purpose"], self.consents[step["purpose"]])
        elif what == "signals":
            run("window.signals = arguments[0]", step["signals"])
        elif what == "record":
            run("throng.record(...arguments)", step["event"], step["fields"])
        elif what == "send":
            self.driver.execute_async_script(SEND)

    def start(self, step: dict[str, Any]) -> None:
        if step["directory"] != self.folder:
            former = self.driver.window_handles
            self.driver.switch_to.new_window("tab")
            tab = self.driver.current_window_handle
            for handle in former:
                self.driver.switch_to.window(handle)
                self.driver.close()
            self.driver.switch_to.window(tab)
            self.folder, self.consents = step["directory"], {}
        else:
            self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": self.world})
        world = WORLD.replace("NOW", str(step["now"] * 1000)).replace("SIGNALS", json.dumps(step["signals"]))
        self.world = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": world})["identifier"]
        self.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Europe/Vienna"})
        self.site.daemon = urllib.parse.urlsplit(step["url"]).netloc
        self.driver.get(f"http://127.0.0.1:{self.site.server_address[1]}/product/7")
        for purpose, answer in self.consents.items():
            self.driver.execute_script("throng.consent(...arguments)", purpose, answer)
        deadline = time.monotonic() + 50
        while self.driver.execute_script("return !requests || flying > 0") and time.monotonic() < deadline:
            time.sleep(0.02)

    def kill(self) -> None:
        """The page does nothing any more, as if it had been killed."""
        self.driver.execute_script("window.isDead = true")

    def serve(self, place: str, parent: int) -> None:
        """Does what drivers say, one after the other, as long as `throng conform` runs."""
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(place)
            door.listen()
            door.settimeout(0.5)
            while runs(parent):
                try:
                    driver = door.accept()[0]
                except TimeoutError:
                    continue
                with driver, driver.makefile("rw") as steps:
                    driver.settimeout(None)
                    for line in steps:
                        self.do(json.loads(line))
                        steps.write("ok\n")
                        steps.flush()
                self.kill()


def runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def keep(place: str, parent: int, script: str) -> None:
    text = urllib.request.urlopen(script).read() if "://" in script else open(script, "rb").read()
    keeper = Keeper(text)
    try:
        keeper.serve(place, parent)
    finally:
        keeper.driver.quit()
        for path in (place, place + ".log"):
            if os.path.exists(path):
                os.unlink(path)


def complain(place: str, words: str) -> None:
    """Ends with what the keeper said last."""
    if os.path.exists(place + ".log"):
        with open(place + ".log", encoding="utf-8", errors="replace") as log:
            words += "\n" + log.read()[-2000:]
    raise SystemExit(words)


def drive(script: str) -> None:
    parent = os.getppid()
    with open(f"/proc/{parent}/stat", encoding="utf-8") as facts:
        started = facts.read().rpartition(")")[2].split()[19]
    # Of this run alone: a process's number comes again, but not with the same start.
    place = os.path.join(tempfile.gettempdir(), f"throng-conform-{parent}-{started}.sock")
    # Nothing of it is this program's, so that whoever waits for the end of what is said does not wait for the keeper.
    keeper_process = None
    if not os.path.exists(place):
        with open(place + ".log", "wb") as log:
            keeper_process = subprocess.Popen(
                [sys.executable, os.path.abspath(__file__), "--keep", place, str(parent), script],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    deadline = time.monotonic() + 55
    while not os.path.exists(place):
        if time.monotonic() > deadline or keeper_process and keeper_process.poll() is not None:
            complain(place, "Chromium did not start: it takes selenium from PyPI, chromium and chromedriver.")
        time.sleep(0.05)
    with socket.socket(socket.AF_UNIX) as keeper:
        keeper.connect(place)
        with keeper.makefile("rw") as steps:
            for line in sys.stdin:
                steps.write(line)
                steps.flush()
                answer = steps.readline().strip()
                if not answer:
                    complain(place, "The page did not take the step " + line)
                print(answer, flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--keep"]:
        keep(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        drive(sys.argv[1] if len(sys.argv) > 1 else SOURCE)
