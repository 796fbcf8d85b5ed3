"""`GET /v1/openapi.json` is true: each answer that can be provoked is as it says, and schemathesis finds none that is not."""

import contextlib
import copy
import json
import os
import re
import subprocess
import sys
import time

import bad_requests
import credentials
import daemon
import shop
from daemon import Failure, check, say

PACKAGES = os.path.join(daemon.ROOT, ".build", "schemathesis")
sys.path.insert(0, PACKAGES)
from openapi_spec_validator import validate  # noqa: E402

from described import SENDERS, Description  # noqa: E402
from raw_http import Line  # noqa: E402

# Reasons that are no part of a body, and a daemon that has all that it needs never gives: APIDescriptionTests has them.
NEVER = {(413, "record_too_large"), (503, "no_memory"), (404, "no_credentials")}
# Those of what is sealed are inside of answers: the test of the gateway has them.
NEVER |= {(400, "not_binary_http"), (413, "not_binary_http"), (404, "unknown_path")}
# And the test of who sends has these.
NEVER |= SENDERS
CHECKS = ("not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
          "response_schema_conformance,allow_header_conformance")
PAGE = "https://shop.example"
# 2 · G of P-256, twice, and a proof that leads to the point at infinity: swift-crypto would stop the daemon.
INFINITE = bytes.fromhex("037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978") * 2 + bytes(160)


def plan():
    """The shop's, with a dimension that is revealed, and purposes without identifiers, for proved devices and for a relay."""
    sealed = shop.plan().replace("audience:", "relay: https://relay.example, audience:", 1)
    return sealed.replace("purposes:\n", f"""purposes:
  proved: {{explanation: To count devices., consent: not_required, floor: attested, retention: 400 days,
    rotation: {daemon.duration(shop.ROTATION)}}}
  hidden: {{explanation: To see no address., consent: not_required, transport: oblivious, retention: 400 days}}
  tally: {{explanation: To see how much., consent: not_required, identifier: none, retention: 400 days}}
""", 1).replace("dimensions:\n", """dimensions:
  query: {title: Search term, field: query, revealed: {most: 4}}
""", 1) + f"""
  searches: {{title: Searches, events: [search], question: What is looked for?, decision: None., owner: Tests,
    expires: {shop.plan().split('expires: ')[1][:10]}, purpose: product, dimensions: [query], period: day}}
  shows: {{title: Shows, events: [show], question: How many?, decision: None., owner: Tests,
    expires: {shop.plan().split('expires: ')[1][:10]}, purpose: proved, period: day, measures: {{reach: attested}}}}
  hums: {{title: Hums, events: [hum], question: How many?, decision: None., owner: Tests,
    expires: {shop.plan().split('expires: ')[1][:10]}, purpose: hidden, period: day}}
  pings: {{title: Pings, events: [ping], question: How many?, decision: None., owner: Tests,
    expires: {shop.plan().split('expires: ')[1][:10]}, purpose: tally, dimensions: [channel], period: day,
    contribution_bound: 4}}
"""


def each_error(house, description):
    """Each error that the document has is provoked, and each answer is as it says."""
    for _, body, headers, *_ in bad_requests.table():
        description.check("POST", "/v1/batches", *house.post(body, headers))
    where = {"app": "shop", "window": shop.window()}
    named = {**where, "purpose": "product"}
    text = json.dumps
    requests = [
        ("POST", "/v1/batches", text(shop.batch()), {"origin": "https://stranger.example"}),
        ("POST", "/v1/batches", text(shop.batch(purpose="tally", events=[shop.event("ping")])), {}),
        ("POST", "/v1/batches", text(shop.batch("AAAA", "proved", [shop.event("show")], proof="AAAA")), {}),
        ("POST", "/v1/batches", text(shop.batch(purpose="hidden", events=[shop.event("hum")])), {}),
        ("POST", "/v1/batches", text(shop.batch()), {"origin": PAGE}), ("OPTIONS", "/v1/batches", None, {"origin": PAGE}),
        ("POST", "/v1/preview", text(shop.batch(events=[shop.event(), shop.event("nothing")])), {}),
        ("POST", "/v1/preview", b"x", {}), ("OPTIONS", "/v1/preview", None, {}),
        ("POST", "/v1/withdraw", text({**named, "id": "a"}), {}), ("OPTIONS", "/v1/withdraw", None, {}),
        ("POST", "/v1/withdraw", text({**where, "purpose": "tally", "id": "a"}), {}),
        ("POST", "/v1/reveals", text({**named, "dimension": "query", "value": "apple pie"}), {}),
        ("POST", "/v1/reveals", text({**named, "dimension": "query", "value": "a@b.example"}), {}),
        ("POST", "/v1/reveals", text({**where, "purpose": "marketing", "dimension": "x", "value": "y"}), {"sec-gpc": "1"}),
        *[("POST", "/v1/firsts", text(body), headers) for body, headers in firsts()], ("OPTIONS", "/v1/firsts", None, {}),
        ("OPTIONS", "/v1/reveals", None, {}), ("OPTIONS", "/v1/plan/shop", None, {}),
        ("OPTIONS", "/v1/ohttp", None, {}), ("GET", "/v1/ohttp-keys", None, {}), ("POST", "/v1/ohttp", b"x", {}),
        ("POST", "/v1/ohttp", b"x", {"content-type": "message/ohttp-req"}),
        ("POST", "/v1/ohttp", bytes(100), {"content-type": "message/ohttp-req"}),
        ("POST", "/apps/shop", "event=view&channel=email", {"content-type": "application/x-www-form-urlencoded"}),
        ("POST", "/apps/shop", "event=view&channel=" + "x" * 70_000, {}), ("POST", "/apps/nowhere", "event=view", {}),
        ("GET", "/nowhere", None, {}), ("GET", "/v1/plan/nowhere", None, {}), ("GET", "/v1/label/nowhere", None, {}),
        ("GET", "/apps/nowhere", None, {}),
        ("GET", "/v1/batches", None, {}), ("DELETE", "/", None, {}), ("PUT", "/v1/plan/shop", None, {})]
    requests += asked(house)
    for path in ("/", "/apps/shop", "/v1/plan/shop", "/v1/label/shop", "/throng.js", "/throng-oblivious.js", "/throng-panel.js",
                 "/v1/openapi.json", "/healthz", "/readyz"):
        requests.append(("GET", path, None, {}))
        tag = house.get(path)[1].get("etag")
        if tag:
            requests.append(("GET", path, None, {"if-none-match": tag}))
    seen = set()
    for method, path, body, headers in requests:
        found = house.exchange(method, path, body, headers)
        description.check(method, path, *found)
        seen.add((method, description.template(path), found[0]))
    for head in (b"GET /healthz HTTP/1.1\r\n\r\n", b"GET /healthz HTTP/1.1\r\nhost x\r\n\r\n",
                 b"POST /v1/batches HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n"):
        with Line(house.port) as line:
            line.socket.sendall(head)
            description.check(*head.decode().split()[:2], *line.answer())
    crowded(house, description)
    # Each operation, with what it answers when all is well.
    for path, item in description.document["paths"].items():
        for method in set(item) - {"parameters"}:
            good = [status for status in item[method]["responses"] if status < "400"]
            for status in good if path != "/v1/reveals" else []:
                check((method.upper(), path, int(status)) in seen or method == "post", method, path, status, "was not seen")
    check(description.errors() - description.provoked == NEVER, "not provoked:", description.errors() - description.provoked)
    say(f"{len(description.provoked)} errors were provoked, and each answer is as described")


def firsts():
    """Bodies of firsts, one for each reason that there is to refuse one."""
    today = int(time.time() // 86400 * 86400)
    one = {"app": "shop", "metric": "shows", "period": "day", "start": today, "cell": {}, "proof": "A" * 390}
    return [(one, {}), ({**one, "metric": "searches"}, {}), ({**one, "start": today - 40 * 86400}, {}), ({**one, "start": -2**63}, {}),
            ({**one, "cell": {"channel": "email"}}, {}), ({**one, "proof": "?"}, {}), (one, {"sec-gpc": "1"})]


def asked(house):
    """Requests for credentials: two that are answered, and one for each reason that there is to refuse one."""
    device = credentials.Device()
    terms = json.loads(house.get("/v1/credentials/shop")[2])
    given = [device.request(terms)[1] for _ in range(4)]
    device.close()

    def body(request, token="phone", by="command", epoch=terms["epochs"][0]["epoch"]):
        return json.dumps({"app": "shop", "epoch": epoch, "request": request, "attestation": {"by": by, "token": token}})

    bodies = [body(given[0]), body(given[1]), body(given[2]), body(given[3], token="nobody"), body(given[3], by="me"),
              body(given[3], epoch="2020-01"), body(credentials.encoded(INFINITE)), body("x"), "{}"]
    return [("GET", "/v1/credentials/shop", None, {}), ("GET", "/v1/credentials/nowhere", None, {})] + [
        ("POST", "/v1/credentials", each, {}) for each in bodies]


def crowded(house, description):
    """Bodies that never end, until one is turned away."""
    head = f"POST /v1/batches HTTP/1.1\r\nhost: x\r\ncontent-length: {1 << 20}\r\n\r\n".encode()
    with contextlib.ExitStack() as lines:
        for _ in range(24):
            line = lines.enter_context(Line(house.port, 60))
            line.socket.sendall(head + b" " * 900_000)
            line.socket.settimeout(0.3)
            with contextlib.suppress(TimeoutError):
                return description.check("POST", "/v1/batches", *line.answer())
    raise Failure("24 bodies of a mebibyte were all taken")


def controls(house, description):
    """A document that is wrong is found."""
    answers = {"status": ("POST", "/v1/batches", *house.post(b"x")),
               "schema": ("GET", "/healthz", *house.get("/healthz")),
               "header": ("GET", "/", *house.get("/")), "path": ("GET", "/throng.js", *house.get("/throng.js"))}
    for what, answer in answers.items():
        document = copy.deepcopy(description.document)
        paths = document["paths"]
        if what == "status":
            del paths["/v1/batches"]["post"]["responses"]["400"]
        elif what == "schema":
            paths["/healthz"]["get"]["responses"]["200"]["content"]["text/plain; charset=utf-8"]["schema"] = {"const": "well\n"}
        elif what == "header":
            document["components"]["headers"]["Cache"]["schema"] = {"const": "no-store"}
        else:
            del paths["/throng.js"]
        try:
            Description(document).check(*answer)
        except Failure:
            continue
        raise Failure("a document with a wrong", what, "passes")
    say(f"{len(answers)} wrong documents are found")


def schemathesis(house, examples=4, port=None, least=300, header=()):
    """Random requests, good and bad, by the document: no answer that it does not have, and no 5xx."""
    done = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "run", f"http://127.0.0.1:{port or house.port}/v1/openapi.json", "--checks", CHECKS, *header,
         "--phases", "examples,coverage,fuzzing", "--max-examples", str(examples), "--seed", "1", "--continue-on-failure",
         "--suppress-health-check", "all", "--no-color", "--request-timeout", "20", "--warnings", "off"],
        capture_output=True, text=True, timeout=1200, cwd=house.folder,
        env={**daemon.environment(), "PYTHONPATH": f"{PACKAGES}:{daemon.HERE}", "SCHEMATHESIS_HOOKS": "raw_bodies"})
    check(done.returncode == 0, "schemathesis:", (done.stdout + done.stderr)[-5000:])
    tested = re.search(r"(\d+) generated", done.stdout)
    check(tested and int(tested[1]) > least, "too little was asked:", done.stdout[-1500:])
    say(f"schemathesis asked {tested[1]} times")


def test():
    house = daemon.Daemon(plan(), THRONG_INTAKE_ORIGINS=PAGE, THRONG_TEST_INTAKE_BODIES_BYTES=str(8 << 20))
    house.settings["THRONG_ATTESTERS"] = credentials.rules(house.folder, "shop")
    house.start()
    document = json.loads(house.get("/v1/openapi.json")[2])
    validate(document)
    description = Description(document)
    each_error(house, description)
    controls(house, description)
    schemathesis(house)
    check(house.get("/readyz")[0] == 200, "the daemon is as well as before")
    check(house.stop() == 0, "serve stops gracefully")
