"""A daemon with pages: who signs in, what they ask for, and how the pages look."""

import csv
import io
import json
import os
import re
import urllib.parse

import daemon
from browser import By
from daemon import BINARY, SAMPLE, check
from page_look import look, undress

LOOKS = (("light", 1280, "screen", "light"), ("narrow", 320, "screen", "dark"))
ALL_LOOKS = (*LOOKS, ("dark", 1280, "screen", "dark"), ("print", 800, "print", "light"))


def sample_plan():
    return daemon.read(SAMPLE, "shop.yaml")


def demonstrate(folder, plan=os.path.join(SAMPLE, "shop.yaml"), size=("--audience", "4000", "--days", "3"), before=(), surroundings=None):
    """The data directory that a demonstration of the sample shop leaves."""
    daemon.ran(*before, BINARY, "try", plan, "--crowd", SAMPLE, *size, "--data", folder, "--once", "--json",
               env=surroundings or daemon.environment())


class PagedHouse(daemon.Daemon):
    """Of the sample shop, on a demonstration's data directory, or of another plan."""

    def __init__(self, data=None, plan=None, name="shop"):
        super().__init__(plan or sample_plan(), name)
        self.data = data or self.data
        self.portal_port = daemon.free_ports(1)[0]

    @property
    def address(self):
        return f"http://127.0.0.1:{self.portal_port}"

    def ask(self, method, path, cookie=None, body=None, **headers):
        """Status, headers by lower-case names, body."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers.update({"cookie": cookie} if cookie else {})
        headers.update({"content-type": "application/x-www-form-urlencoded"} if body is not None else {})
        return self.exchange(method, path, body, headers, port=self.portal_port)

    def token(self, *words):
        return self.command("token", "new", "--plan", self.plan, "--data", self.data, *words).split("\n")[0]

    def tokens(self):
        return json.loads(daemon.run("token", "list", "--json", "--data", self.data)[1])

    def sign_in(self, token, **headers):
        return self.ask("POST", "/sign-in", body=urllib.parse.urlencode({"token": token}), **headers)

    def cookie(self, token):
        status, headers, _ = self.sign_in(token)
        check(status == 303 and headers["location"] == "/", status, headers)
        return headers["set-cookie"].split(";")[0]

    def paste(self, sql):
        """What psql answers as throng_analyst: rows as the CSV has them."""
        done = daemon.ran(
            "psql", "-X", "-q", "--csv", "-v", "ON_ERROR_STOP=1", "-h", self.data + "/postgres", "-U", "throng_analyst", "-d", "throng",
            "-f", "-", input=sql, seconds=60,
            env=dict(os.environ, PGTZ="UTC", PGOPTIONS="-c default_transaction_read_only=on", PGCLIENTENCODING="UTF8"))
        head, *rows = csv.reader(io.StringIO(done.stdout))
        return head, [[re.sub(r"^(\d{4}-\S+) (\S+)\+00$", r"\1T\2Z", cell) for cell in row] for row in rows]


def enter(browser, house, token, place):
    """As people do it, whoever was there before."""
    browser.cdp("Network.clearBrowserCookies")
    browser.open(house.address + "/")
    browser.driver.find_element(By.NAME, "token").send_keys(token)
    browser.click(".door button")
    browser.until(f"return location.pathname === '{place}'")


def choose(browser, name, value):
    """As people choose among numbers: a select and a button."""
    browser.run("[...document.querySelectorAll('select')].find(each => each.name === arguments[0]).value = arguments[1]", name, value)
    browser.click(".chooser button")


def pictures(browser, page, looks=LOOKS):
    for name, width, media, scheme in looks:
        look(browser, name, width, media, scheme, page)
    undress(browser)
