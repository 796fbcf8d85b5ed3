"""Signed reports reach partners that answer errors, hang, redirect, break off and answer slowly: each file once by its
idempotency key, or the record says loudly that it did not. A daemon that is killed with -9 between sending and writing
down goes on. A report goes by mail through Debian's exim, and its files verify. How several daemons share deliveries is
DeliveryStoreTests', what else verification finds ManifestTests'."""

import json
import os
import re
import time

import daemon
import mail_server
import traced
from daemon import check, say, until
from bad_partner import Partner, certificates

K = 5
ROTATION = daemon.rotation_with_time_left([86400, 23 * 3600, 22 * 3600])
# An hour that is over, so that it can be released at once; one that ended meanwhile would have reports of its own.
HOUR = daemon.hour_with_time_left() - 3600
AT = daemon.instant(HOUR + 1800)
LABEL = time.strftime("%Y-%m-%dT%H-00", time.gmtime(HOUR))
PLACES = ("fine", "errors", "hang", "redirect", "die", "slow", "never", "crash", "tls")
SETTINGS = {
    "THRONG_TEST_SCHEDULE_SECONDS": "1", "THRONG_TEST_DELIVER_SECONDS": "3", "THRONG_TEST_DELIVER_RETRY_SECONDS": "1",
    "THRONG_TEST_DELIVER_TRIES": "5"}


def plan(port, wrong_port, folder):
    reports = "".join(f"  {place}: {{title: {place}, partner: press, insights: [seen], period: hour, schedule: '* * * * *',\n"
                      f"    formats: [csv, json], deliver: [{{put: 'https://127.0.0.1:{wrong_port if place == 'tls' else port}/{place}/',"
                      f" authorization: press}}]}}\n" for place in PLACES)
    return f"""
app: {{name: shop, title: Shop, owner: Tests, contact: tests@example.com, audience: 100, threshold: {K},
  grace: 0 minutes}}
purposes:
  product: {{explanation: To see what is used., consent: not_required, refused_by: [global_privacy_control],
    rotation: {daemon.duration(ROTATION)}, retention: 30 days}}
dimensions:
  os: {{title: System, field: os, list: [iOS, Android], partitions: devices}}
metrics:
  views: {{title: Views, events: [view], question: What is seen?, decision: None., owner: Tests,
    expires: {daemon.expiry()}, purpose: product, dimensions: [os],
    period: hour, measures: {{reach: true}}, contribution_bound: 1000}}
insights:
  seen: {{title: Views by system, metric: views, kind: count, by: [os]}}
partners:
  press: {{title: Press, contact: press@example.com}}
reports:
{reports}  posted: {{title: posted, partner: press, insights: [seen], period: hour, schedule: '* * * * *',
    formats: [csv], deliver: [{{post: 'https://127.0.0.1:{port}/posted'}}, {{folder: {folder}}}]}}
  mailed: {{title: Système, partner: press, insights: [seen], period: hour, schedule: '* * * * *', formats: [html, csv, xlsx],
    deliver: [{{mail: ms.miller@press.example}}, {{mail: gone@press.example}}]}}
"""


def view(house, device, headers={}):
    """Ten views of one device; the daemon's answer."""
    body = {
        "app": "shop", "purpose": "product", "id": f"device {device}", "batch": os.urandom(16).hex(),
        "window": int(time.time()) // ROTATION, "context": {"os": "iOS" if device % 2 else "Android"},
        "events": [{"event": "view", "at": AT}] * 10}
    status, _, answer = house.post(json.dumps(body), headers)
    check(status == 202, status, answer)
    return json.loads(answer)


def records(house):
    return {each["report"]: each for each in json.loads(house.command("report", "show", "--data", house.data, "--json"))}


def unfinished(house):
    """The records that are not over, and the end of the log."""
    open_ones = [each for each in records(house).values() if each["outcome"] not in ("delivered", "undelivered")]
    return json.dumps(open_ones, indent=1) + "\n" + house.log_text()[-3000:]


def once(partner, place):
    """Every file of a report arrived under one key, with one content; returns the files."""
    found = {name: keys for (where, name), keys in partner.inbox.items() if where == place}
    endings = (".csv", ".manifest.json", ".manifest.sig", *([".json"] if place != "posted" else []))
    check(set(found) == {f"{place}-{LABEL}{ending}" for ending in endings}, place, "has", sorted(found))
    for name, keys in found.items():
        check(len(keys) == 1, place, name, "arrived under several keys:", list(keys))
        bodies = next(iter(keys.values()))
        check(len(set(bodies)) == 1, place, name, "arrived with several contents")
    for where, name, key, digest, _ in partner.requests:
        if where == place:
            check(re.fullmatch(r'"[0-9a-f]{64}"', key), "no idempotency key:", key)
            check(key in found[name], place, name, "was sent under another key")
    return {name: next(iter(keys.values()))[0] for name, keys in found.items()}


def verified(house, partner, places):
    """What arrived verifies with throng and with openssl, and nothing else does."""
    keys = os.path.join(house.data, "signing", "keys.json")
    for place in places:
        folder = os.path.join(house.folder, "inbox-" + place)
        os.mkdir(folder)
        for name, body in once(partner, place).items():
            daemon.write(os.path.join(folder, name), body)
        house.command("verify", folder, "--key", keys)
    manifest, signature = (os.path.join(folder, f"{place}-{LABEL}.manifest.{end}") for end in ("json", "sig"))
    public = daemon.write(os.path.join(house.folder, "public.pem"), house.command("key", "list", "--pem", "--data", house.data))
    done = daemon.ran("openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", public, "-in", manifest, "-sigfile", signature)
    check("Verified Successfully" in done.stdout, "openssl says", done.stdout, done.stderr)
    check(daemon.run("verify", folder, "--key", public)[0] == 0, "with the PEM too")

    document = json.loads(daemon.read(manifest))
    import jsonschema
    jsonschema.validate(document, json.loads(daemon.read(daemon.ROOT, "Schema", "manifest.schema.json")))
    # Its events came in a window that need not have begun in its hour; and 420 are too few to say anything of.
    check("coverage" not in document, "coverage:", document)
    data = bytearray(daemon.read_bytes(manifest))
    data[100] ^= 1
    daemon.write(manifest, bytes(data))
    code, text, _ = daemon.run("verify", folder, "--key", keys)
    check(code == 1 and "bad" in text, "a flipped bit is found:", text)
    check(daemon.run("verify", folder + "-none", "--key", keys)[0] == 2, "no folder is 2")
    check(daemon.run("verify", folder, "--key", manifest)[0] == 2, "no key is 2")
    check(daemon.run("verify", folder)[0] == 64, "a wrong command line is 64")
    say("what arrived verifies with throng and with openssl")


def mailed(house, post, record):
    """One mail has the report in words and as files that verify; the other one is refused for good, once, and said so."""
    states = {each["target"]: each for each in record["deliveries"]}
    gone = states.pop("mail address 2 at press.example")
    check(record["outcome"] == "undelivered" and gone["state"] == "failed" and gone["tries"] < 3, "a bounce is tried again:", gone)
    check("(550)" in gone["lastError"] and [each["state"] for each in states.values()] == ["sent"], record)
    until(lambda: post.mails(), "no mail arrives:", post.log)
    # A daemon that was killed meanwhile sends it again, under the same Message-ID.
    mail, = {each["message-id"]: each for each in post.mails()}.values()
    check(mail["subject"].startswith("Système: ") and mail["auto-submitted"] == "auto-generated", mail.items())
    key = next(iter(states.values()))["idempotencyKey"]
    check(mail["message-id"] == f"<{key}@shop.example>" and "ms.miller@press.example" in mail["to"], mail.items())
    text, page = (mail.get_body((kind,)).get_content() for kind in ("plain", "html"))
    for words in ("Views by system", f"mailed-{LABEL}.html", "throng verify", "tests@example.com"):
        check(words in text and words in page, "the mail does not say", words, text, page)
    check("http" not in page and "src=" not in page and "<script" not in page, "the page loads something:", page)
    inbox = os.path.join(house.folder, "inbox-mailed")
    os.mkdir(inbox)
    for part in mail.iter_attachments():
        daemon.write(os.path.join(inbox, part.get_filename()), part.get_payload(decode=True))
    check(sorted(os.listdir(inbox)) == [f"mailed-{LABEL}.{end}" for end in ("csv", "html", "manifest.json", "manifest.sig", "xlsx")],
          os.listdir(inbox))
    house.command("verify", inbox, "--key", os.path.join(house.data, "signing", "keys.json"))
    told = house.log_text() + house.dump() + house.get("/metrics", port=house.metrics_port)[2].decode()
    check("miller" not in told and mail_server.PASSWORD not in told, "an address or the password is in log, database or metrics")
    check(" P=esmtpsa X=TLS1" in post.log(), "the mail went in the clear:", post.log())
    say("a mail arrives over STARTTLS, its files verify, and an address that is refused for good is told and left alone")


def test():
    port, wrong_port = daemon.free_ports(2)
    house = daemon.Daemon("", **SETTINGS)
    ca = certificates(house.folder)
    folder = os.path.join(house.folder, "posted")
    daemon.write(house.plan, plan(port, wrong_port, folder))

    # A plan alone sends nothing anywhere.
    done = daemon.ran(*house.arguments(), ends=64, seconds=60)
    check("THRONG_DELIVER_HOSTS" in done.stderr, "an unlisted host stops the start:", done)
    hosts = f"127.0.0.1:{port} 127.0.0.1:{wrong_port}"
    house.settings.update(THRONG_DELIVER_HOSTS=hosts + " press.example", THRONG_DELIVER_PRIVATE_HOSTS=hosts)
    done = daemon.ran(*house.arguments(), ends=64, seconds=60, env=daemon.environment(**house.settings))
    check("THRONG_DELIVER_MAIL" in done.stderr, "a mail without a server stops the start:", done)
    post = mail_server.Exim(house.folder)
    house.settings.update(THRONG_DELIVER_MAIL=f"smtp://throng@0.0.0.0:{post.port} reports@shop.example", THRONG_DELIVER_CA=ca,
                          THRONG_TRACES=os.path.join(house.folder, "traces.jsonl"))

    partner = Partner(house.folder, port, "right")
    other = Partner(house.folder, wrong_port, "wrong")
    os.makedirs(os.path.join(house.data, "secrets"))
    secret = os.path.join(house.data, "secrets", "press")
    daemon.write(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o600), "Bearer of good news\n")
    daemon.write(os.path.join(house.data, "secrets", "smtp"), mail_server.PASSWORD + "\n", 0o600)
    check(daemon.run("key", "new", "--data", house.data)[0] == 0, "a key")
    # What is due is looked for at the start only, so that the hour is whole when it is released.
    house.settings["THRONG_TEST_SCHEDULE_SECONDS"] = "86400"
    house.start()
    for device in range(40):
        view(house, device)
    check(view(house, 1, {"Sec-GPC": "1"})["accepted"] == 0, "an opt-out counts nothing")
    view(house, 2)
    house.drain()
    check(house.stop() == 0, "serve stops gracefully")
    house.settings["THRONG_TEST_SCHEDULE_SECONDS"] = "1"
    partner.on_crash = house.kill
    house.start()

    # The daemon is killed by what it sends: the partner has the file, and the daemon does not know.
    until(lambda: partner.on_crash is None and house.process.poll() is not None, "the daemon is never killed", seconds=90)
    check(dict(house.sql("select kind, sum(events) from throng.coverage group by 1"))
          == {"accepted": "410", "opted_out": "10"}, "what became of events is on record")
    held = records(house)
    check(held["crash"]["outcome"] == "made", "it is under way:", held["crash"])
    check(held["crash"]["deliveries"][0]["files"] == 2, "two files are written down:", held["crash"])
    house.start()

    def over():
        found = records(house)
        is_over = all(each["outcome"] in ("delivered", "undelivered") for each in found.values())
        return found if is_over and len(found) == len(PLACES) + 2 else None

    until(lambda: other.wrong_handshakes >= 2, "no certificate is refused", seconds=90)
    check(not other.inbox, "nothing goes to a wrong certificate")
    other.certificate = "right"
    # What the killed daemon was making at that moment may be taken over after three minutes.
    found = until(over, "deliveries do not end:", lambda: unfinished(house), seconds=300, pause=0.5)
    check(set(found) == {*PLACES, "posted", "mailed"}, found)
    mailed(house, post, found.pop("mailed"))
    for place, record in found.items():
        delivery = record["deliveries"]
        expected = "undelivered" if place == "never" else "delivered"
        check(record["outcome"] == expected, place, "is", record)
        check(all(each["state"] == ("failed" if place == "never" else "sent") for each in delivery), place, delivery)
    check(found["never"]["deliveries"][0]["tries"] == 5, "given up after five tries")
    check("500" in found["never"]["deliveries"][0]["lastError"], "and says why")
    check("a delivery was given up" in house.log_text(), "loudly")
    check(("trap" not in [each[0] for each in partner.requests]), "no redirect was followed")
    for place in ("fine", "errors", "hang", "redirect", "die", "slow", "crash", "posted"):
        once(partner, place)
    once(other, "tls")
    crashed = [name for place, name, *_ in partner.requests if place == "crash"]
    check(len(crashed) == 5 and crashed.count(f"crash-{LABEL}.manifest.sig") == 2, "only the open file again:", crashed)
    check(all(each[4].get("Authorization") == "Bearer of good news" for each in partner.requests if each[0] == "fine"),
          "the secret goes with it")
    check("good news" not in house.log_text(), "and into no log")
    check(partner.requests and all(
        "Authorization" not in each[4] for each in partner.requests if each[0] == "posted"), "only where it belongs")
    say("eight bad partners have everything once, the ninth is on record as given up")
    traced.expect_deliveries(house, ("good news", "127.0.0.1", str(port), folder, "miller", "press.example"))

    before = len(partner.requests)
    time.sleep(2)
    check(len(partner.requests) == before, "nothing is sent afterwards")
    verified(house, partner, ("fine", "errors", "die", "crash"))
    shown = json.loads(house.command("report", "show", f"crash-{LABEL}", "--data", house.data, "--json"))
    check(len(shown["files"]) == 4 and shown["manifest"], shown)
    text = house.command("report", "show", f"never-{LABEL}", "--data", house.data)
    check("undelivered" in text and "500" in text, text)
    check(house.stop() == 0, "serve stops gracefully")
