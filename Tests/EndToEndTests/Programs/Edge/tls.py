"""TLS as the daemon speaks it: what it offers and refuses, sessions that end with their window, a certificate that is renewed
under load, and handshakes that stall."""

import contextlib
import json
import os
import signal
import ssl
import subprocess
import tempfile
import threading
import time
import warnings

import daemon
import tls_house
import shop
from daemon import check, say, until
from raw_http import request

# Old versions of TLS are tried on purpose.
warnings.simplefilter("ignore", DeprecationWarning)

MINUTE = 60


def handshake(house, *words):
    """What openssl s_client agrees on, or nothing."""
    done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{house.port}", "-CAfile", house.authority.path, *words],
                          input=b"", capture_output=True, timeout=30)
    for text in done.stdout.decode(errors="replace").splitlines():
        if text.startswith("New, ") and "(NONE)" not in text:
            return text.removeprefix("New, ")
    return None


def offers(house):
    old = ("-cipher", "ALL:@SECLEVEL=0")
    for words in (("-tls1_1", *old), ("-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA"), ("-tls1_2", "-cipher", "ALL:!ECDHE:@SECLEVEL=0"),
                  ("-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256", "-sigalgs", "RSA+SHA1")):
        found = handshake(house, *words)
        check(found is None, *words, "is taken:", found)
    for words in (("-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"), ("-tls1_2", "-cipher", "ECDHE-RSA-AES256-GCM-SHA384"),
                  ("-tls1_2", "-cipher", "ECDHE-RSA-CHACHA20-POLY1305"), ("-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256"),
                  ("-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"), ("-tls1_3", "-groups", "P-256")):
        found = handshake(house, *words)
        check(found and ("TLSv1.3" in found) == (words[0] == "-tls1_3"), *words, "is refused, or another:", found)
    context = house.context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with house.line(context) as line:
        check(line.socket.selected_alpn_protocol() == "http/1.1", "it speaks", line.socket.selected_alpn_protocol())
    for port, path in ((house.port, "/"), (house.port, "/v1/plan/shop"), (house.portal_port, "/")):
        status, headers, _ = house.get(path, port=port)
        check(status == 200 and headers.get("strict-transport-security") == "max-age=31536000", path, status, headers)
    status, headers, _ = house.get("/metrics", port=house.metrics_port)
    check(status == 200 and not any("strict" in name.lower() for name in headers), "metrics are spoken plainly:", headers)
    left = house.metrics()["throng_certificate_end_timestamp_seconds"] - time.time()
    check(79 * 86400 < left < 81 * 86400, "the certificate ends in", left, "seconds")
    # Who speaks plain HTTP here gets nothing, and the daemon goes on.
    with house.open() as plain:
        plain.sendall(request("GET", "/healthz"))
        check(tls_house.is_closed(plain, 10), "plain HTTP is kept open")
    check(house.post(shop.body())[0] == 202, "a batch over TLS is refused")
    say("TLS 1.2 and 1.3 with forward secrecy, and nothing else; pages ask for https")


def resumable(house, version, port=None):
    """A session with which the next connection may begin; TLS 1.3 gives it with the first answer."""
    context = house.context(version, version)
    with house.line(context, port=port) as line:
        line.socket.sendall(request("GET", "/healthz" if port is None else "/"))
        line.answer()
        session = line.socket.session
        check(session and session.has_ticket, version, "gives no ticket: the control is missing")
        return context, session


def is_reused(house, context, session, port=None, plain=None):
    with house.line(context, session, port, plain=plain) as line:
        line.socket.sendall(request("GET", "/healthz" if port is None else "/"))
        check(line.answer()[0] == 200, "no answer")
        return line.socket.session_reused


def within(house):
    """What holds within a window; its sessions, and connections that outlast it: silent ones, one that was answered, and one with a
    request that lacks its last bytes."""
    versions = (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)
    kept = [resumable(house, version) for version in versions]
    for context, session in kept:
        check(is_reused(house, context, session), "within a window no session is resumed: the control is missing")
        check(not is_reused(house, context, session, house.portal_port), "a session of clients is resumed where people look")
    people = resumable(house, versions[1], house.portal_port)
    check(is_reused(house, *people, house.portal_port), "people's sessions are not resumed: the control is missing")
    check(not is_reused(house, *people), "a session of people is resumed where clients post")
    early = [house.open() for _ in kept]
    idle = house.line()
    idle.socket.sendall(request("GET", "/healthz"))
    idle.answer()
    body = shop.body()
    across = house.line()
    across.socket.sendall(request("POST", "/v1/batches", body)[:-10])
    return kept, early, idle, across, body[-10:]


def sessions(house):
    for _ in range(5):
        while daemon.seconds_left(MINUTE) < 15:
            time.sleep(0.5)
        end = time.time() + daemon.seconds_left(MINUTE)
        try:
            kept, early, idle, across, rest = within(house)
        except (OSError, daemon.Failure):
            # A window that was over meanwhile proves nothing.
            if time.time() < end:
                raise
        if time.time() < end - 2:
            break
    check(time.time() < end - 2, "a few connections take longer than a window")
    check(not tls_house.is_closed(idle.socket, end - 1 - time.time()), "an idle connection is closed within its window")
    check(tls_house.is_closed(idle.socket, 20), "an idle connection outlives its window")
    across.socket.sendall(rest)
    check(across.answer()[0] == 202, "a request across a window's end is not answered")
    check(tls_house.is_closed(across.socket, 20), "a connection that was busy outlives its window")
    for (context, session), plain in zip(kept, early):
        check(not is_reused(house, context, session), "a session is resumed behind its window")
        check(not is_reused(house, context, session, plain=plain), "a session is resumed by who connected before")
    say("sessions are resumed within a window, at one address, and never behind it; connections end with it")


def serial(house):
    with house.line() as line:
        return line.socket.getpeercert()["serialNumber"]


def hook(house):
    """What certbot runs once it has renewed: the hook that the page shows and that sizes have copied, with a test's folders."""
    text = daemon.read(daemon.ROOT, "Deploy", "sizes", "certbot-hook").replace("-o throng ", "")
    for name, ours, theirs in zip(("fullchain.pem", "privkey.pem"), house.authority.pair("server"), house.authority.pair("next")):
        check(f"/etc/throng/tls/{name}" in text, "the hook has no", name)
        text = text.replace(f"/etc/throng/tls/{name}", ours).replace(f"$RENEWED_LINEAGE/{name}", theirs)
    daemon.ran("sh", "-c", text)


def renewal(house):
    """The certificate changes three times while clients send on kept and on new connections, and nobody notices."""
    faults, sent, seen, stop = [], [0], set(), threading.Event()

    def send(keeps):
        line = None
        while not stop.is_set():
            try:
                if line is None:
                    line = house.line()
                    seen.add(line.socket.getpeercert()["serialNumber"])
                line.socket.sendall(request("POST", "/v1/batches", shop.body()))
                status = line.answer()[0]
                if status != 202:
                    faults.append(status)
                sent[0] += 1
                if not keeps:
                    line.socket.close()
                    line = None
            except (OSError, daemon.Failure) as fault:
                faults.append(repr(fault))
                line = None

    threads = [threading.Thread(target=send, args=(place % 2 == 0,)) for place in range(6)]
    for thread in threads:
        thread.start()
    certificate, key = house.authority.pair("server")
    serials = [serial(house)]
    for number in range(3):
        house.authority.make("next")
        if number == 0:
            # Nobody says that there is another one: it is looked for.
            hook(house)
        else:
            # The certificate first: for a moment the two do not fit, and it is looked at in between.
            tls_house.replace(house.authority.pair("next")[0], certificate)
            house.process.send_signal(signal.SIGHUP)
            house.said("the former one stays in force", times=number)
            check(serial(house) == serials[-1], "what does not fit is in force")
            tls_house.replace(house.authority.pair("next")[1], key)
            house.process.send_signal(signal.SIGHUP)
        house.said("the certificate was read anew", times=number + 1)
        serials.append(serial(house))
        check(serials[-1] not in serials[:-1], "new connections get the former certificate")
    time.sleep(0.5)
    until(lambda: sent[0] > 200 or faults, "clients sent", lambda: sent[0], "requests", seconds=300)
    stop.set()
    for thread in threads:
        thread.join()
    check(not faults, len(faults), "of", sent[0], "requests failed:", faults[:5])
    check(len(seen) >= 3 and sent[0] > 200, "clients saw", len(seen), "certificates in", sent[0], "requests")
    say(f"the certificate changed 3 times; {sent[0]:,} batches by 6 clients, who saw {len(seen)}, and none failed")
    # What can't be used is named once a content, and changes nothing.
    before, read = house.log_text().count("the former one stays in force"), 3
    for path, words in ((certificate, "holds no certificate"), (key, "holds no private key")):
        good = daemon.read(path)
        tls_house.replace(daemon.write(path + ".bad", "nothing\n"), path)
        house.said(words)
        before += 1
        if path == certificate:
            # It is looked at every five seconds.
            time.sleep(6)
        check(house.log_text().count("the former one stays in force") == before, "it is named more than once")
        check(serial(house) == serials[-1] and house.post(shop.body())[0] == 202, "a bad file harms")
        tls_house.replace(daemon.write(path + ".good", good), path)
        house.process.send_signal(signal.SIGHUP)
        read += 1
        house.said("the certificate was read anew", times=read)
    os.unlink(certificate)
    house.said("can't be read: No such file")
    check(serial(house) == serials[-1], "a file that is gone harms")
    say("files that can't be used are named once, and the former certificate stays")


def hello():
    """The first bytes of a TLS client."""
    near, far = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(near, far, server_hostname="localhost").do_handshake()
    return far.read()


def stalled():
    house = tls_house.House(key=("ec", "-pkeyopt", "ec_paramgen_curve:P-256"), THRONG_TEST_INTAKE_REQUEST_SECONDS="2").start()
    first = hello()
    lines = []
    for sent in (b"", first[:1], first[:100], first):
        plain = house.open()
        plain.sendall(sent)
        lines.append((len(sent), plain, time.monotonic()))
    quiet = house.line()
    lines.append(("all, and no request", quiet.socket, time.monotonic()))
    dribble = house.open()
    started = time.monotonic()
    with contextlib.suppress(OSError):
        for place in range(len(first)):
            dribble.sendall(first[place:place + 1])
            time.sleep(0.1)
            check(time.monotonic() - started < 12, "a handshake that dribbles has no end")
    for sent, plain, began in lines:
        check(tls_house.is_closed(plain, 12), sent, "bytes of a handshake hold a connection for ever")
        check(time.monotonic() - began < 13, "a handshake of", sent, "bytes lasted", time.monotonic() - began)
    check(house.stop() == 0, "serve stops gracefully")
    say("handshakes that stall end with the request's time")


def demonstration():
    """`throng try --tls` goes the whole way over TLS, by a certificate that only its own clients trust."""
    with tempfile.TemporaryDirectory(prefix="te-", dir="/tmp") as folder:
        data = os.path.join(folder, "demo")
        os.chmod(folder, 0o755)
        status, summary, words = daemon.run(
            "try", os.path.join(daemon.SAMPLE, "shop.yaml"), "--crowd", daemon.SAMPLE, "--data", data, "--audience",
            "200", "--days", "1", "--tls", "--once", "--json")
        check(status == 0 and json.loads(summary)["eventsAcknowledged"] > 500, status, words[-2000:])
        check("speaking TLS" in daemon.read(data, "serve.log"), "the demonstration's daemon speaks no TLS")
        check(os.stat(os.path.join(data, "tls-key.pem")).st_mode & 0o077 == 0, "others may read its key")
    say("the demonstration runs over TLS")


def test():
    long, shop.ROTATION = shop.ROTATION, MINUTE
    # Who says nothing is let go by a window's end, and by nothing else.
    house = tls_house.House(portal=True, log="trace", THRONG_TEST_INTAKE_REQUEST_SECONDS="120", THRONG_INTAKE_IDLE_SECONDS="600").start()
    offers(house)
    sessions(house)
    check(house.stop() == 0, "serve stops gracefully")
    shop.ROTATION = long
    house = tls_house.House().start()
    renewal(house)
    check(house.stop() == 0, "serve stops gracefully")
    stalled()
    demonstration()
