"""What a browser sends for another site's page changes nothing: no counter and no session, by no POST that there is."""

import json
import urllib.parse

import daemon
import door
import shop
from daemon import check, say
from line import ask

OWN = "https://shop.example"
# What browsers say of a page of another site, of one that has no origin, and of a page beside this one.
FOREIGN = (["Origin: https://evil.example"], ["Origin: null"], ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"],
           ["Origin: null", "Sec-Fetch-Site: cross-site"], ["Origin: https://shop.example.evil.example"],
           ["Origin: http://shop.example"], ["Origin: https://shop.example:8443", "Sec-Fetch-Site: same-site"])
# What a form can send.
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain")


def counters(house):
    house.drain()
    return house.sql("select count(*), coalesce(sum(value), 0) from throng.counter")[0]


def posts(house):
    """Every address that takes POST, by what the daemon says of itself, and a body that does something."""
    described = json.loads(ask(house.port, "GET", "/v1/openapi.json")[2])["paths"]
    found = {path for path, methods in described.items() if "post" in methods}
    bodies = {
        "/v1/batches": door.batch, "/v1/preview": door.preview, "/v1/reveals": door.reveal, "/v1/withdraw": door.withdrawal,
        "/v1/ohttp": lambda: b"sealed", "/v1/credentials": lambda: b"{}", "/v1/firsts": lambda: b"{}",
        "/apps/{app}": lambda: b"event=view"}
    check(found == set(bodies), "addresses that take POST are", found)
    return {path.replace("{app}", "shop"): body for path, body in bodies.items()}


def clients(house):
    all_posts = posts(house)
    check(ask(house.port, "POST", "/v1/batches", door.batch(identifier="known"), f"Origin: {OWN}")[0] == 202, "the page's own")
    before = counters(house)
    tried, wrong = 0, []
    for path, body in all_posts.items():
        for headers in FOREIGN:
            for form in FORMS:
                status, answered, answer = ask(house.port, "POST", path, body(), f"content-type: {form}", *headers)
                tried += 1
                # A page of what is counted tries an event, and counts nothing.
                expected = 403 if path.startswith("/v1/") else 200
                if status != expected and not (path.startswith("/apps/") and status in (400, 413, 415)):
                    wrong.append((path, headers, form, status, answer[:100]))
                if answered.get("access-control-allow-origin"):
                    wrong.append((path, headers, answered))
    check(not wrong, len(wrong), "of", tried, "are answered in another way:", wrong[:5])
    check(counters(house) == before, "what another site's page sent is counted")
    # The control: the same without these headers, and from a page that is listed, is counted.
    for headers in ([], [f"Origin: {OWN}", "Sec-Fetch-Site: cross-site"]):
        ask(house.port, "POST", "/v1/batches", door.batch(), *headers)
        after = counters(house)
        check(after != before, "nothing is counted at all")
        before = after
    say(f"{tried} posts of other sites' pages to {len(all_posts)} addresses change nothing")


def people(house):
    """A sign-in or a sign-out that another site's form asks for is none."""
    def command(*words):
        code, out, err = daemon.run(*words, "--data", house.data)
        check(code == 0, words, "ended with", code, err)
        return out.strip()

    token = command("token", "new", "--plan", house.plan, "--operator")
    form = urllib.parse.urlencode({"token": token}).encode()
    port, wrong = house.portal_port, []
    own = [f"Origin: http://127.0.0.1:{port}", "Sec-Fetch-Site: same-origin", "content-type: application/x-www-form-urlencoded"]

    def post(path, body, *headers, cookie=None):
        extra = [f"cookie: {cookie}"] if cookie else []
        return ask(port, "POST", path, body, *headers, *extra, host=f"host: 127.0.0.1:{port}")

    status, headers, _ = post("/sign-in", form, *own)
    check(status == 303, "signing in is answered with", status)
    # Names of cookies keep their letters; what reads headers here does not.
    cookie = headers["set-cookie"].split(";")[0].replace("__host-", "__Host-")

    def is_in():
        return ask(port, "GET", "/operator", b"", f"cookie: {cookie}")[0]

    check(is_in() == 200, "the cookie opens nothing:", is_in())
    for foreign in FOREIGN + (["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: none"], ["Sec-Fetch-Site: same-site"]):
        for kind in FORMS:
            status, headers, _ = post("/sign-in", form, f"content-type: {kind}", *foreign)
            if status != 403 or "set-cookie" in headers:
                wrong.append(("/sign-in", foreign, kind, status))
            status, headers, _ = post("/sign-out", b"", f"content-type: {kind}", *foreign, cookie=cookie)
            if status != 403 or "set-cookie" in headers or is_in() != 200:
                wrong.append(("/sign-out", foreign, kind, status))
    check(not wrong, len(wrong), "forms of other sites do something:", wrong[:5])
    status, headers, _ = post("/sign-out", b"", *own, cookie=cookie)
    check(status == 303 and is_in() == 401, "after signing out the cookie gets", is_in())
    say("no other site signs anybody in or out")


def test():
    house = door.House(THRONG_INTAKE_ORIGINS=OWN).start()
    clients(house)
    people(house)
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
