"""The daemon behind proxies: by the PROXY protocol, which PyPI's proxy-protocol writes here, by a Unix socket, and
by TLS that asks proxies for certificates."""

import contextlib
import csv
import functools
import ipaddress
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time

import daemon
import tls_house
import shop
from daemon import check, say
from raw_http import request

sys.path.insert(0, os.path.join(daemon.ROOT, ".build", "proxy-protocol"))
from proxyprotocol.result import (  # noqa: E402
    ProxyResultIPv4, ProxyResultIPv6, ProxyResultLocal, ProxyResultUnix, ProxyResultUnknown)
from proxyprotocol.v1 import ProxyProtocolV1  # noqa: E402
from proxyprotocol.v2 import ProxyProtocolV2  # noqa: E402

STREAM = socket.SOCK_STREAM
CLIENTS = ("203.0.113.77", "2001:db8:5eed::77")


def results():
    four = [(ipaddress.IPv4Address(text), 51234) for text in (CLIENTS[0], "192.0.2.1")]
    six = [(ipaddress.IPv6Address(text), 51234) for text in (CLIENTS[1], "2001:db8::1")]
    return [ProxyResultIPv4(*four, protocol=STREAM), ProxyResultIPv6(*six, protocol=STREAM), ProxyResultLocal(),
            ProxyResultUnknown(), ProxyResultUnix("/client", "/server", protocol=STREAM)]


def outcome(house, sent, seconds=0.3):
    """What a connection that begins so gets: a status, or "closed", or "open" while nothing has come."""
    with house.open() as plain:
        try:
            plain.sendall(sent)
            plain.settimeout(seconds)
            answer = plain.recv(100)
        except TimeoutError:
            return "open"
        except ConnectionError:
            return "closed"
        return int(answer.split()[1]) if answer else "closed"


def headers():
    """Behind a proxy that speaks version 2, and plainly."""
    house = tls_house.House(scheme="http", log="trace", THRONG_INTAKE_PROXIES="10.0.0.0/8 127.0.0.1",
                         THRONG_TEST_INTAKE_REQUEST_SECONDS="3")
    prefix = ProxyProtocolV2().pack(ProxyResultLocal())
    # What asks whether it is ready is a proxy, too: LOCAL, as haproxy's checks are.
    direct = house.line
    house.line = lambda *words, **more: direct(*words, **{"prefix": prefix, **more})
    house.start()
    writer, ask = ProxyProtocolV2(), request("GET", "/healthz")
    for result in results():
        packed = writer.pack(result)
        check(outcome(house, packed + ask, 5) == 200, type(result).__name__, "is refused")
        with house.line(prefix=packed) as line:
            for _ in range(3):
                line.socket.sendall(request("POST", "/v1/batches", shop.body()))
                check(line.answer()[0] == 202, "a batch behind a header is refused")
        with house.open() as plain:
            for place in range(len(packed)):
                plain.sendall(packed[place:place + 1])
                if place % 16 == 0:
                    time.sleep(0.01)
            plain.sendall(ask)
            plain.settimeout(5)
            check(plain.recv(100).startswith(b"HTTP/1.1 200"), "a header in pieces is refused")
    # Nobody leaves it out, and the first version is refused.
    for sent, found in ((ask, "nothing of it came first"), (ProxyProtocolV1().pack(results()[0]) + ask, "it was version 1"),
                        (prefix[:12] + b"\x31" + prefix[13:] + ask, "it was malformed"),
                        (prefix[:13] + b"\x11\xff\xff" + b" " * 70000 + ask, "it was longer than 4096 bytes")):
        for _ in range(3):
            check(outcome(house, sent, 5) == "closed", "without a good header somebody is answered:", found)
        house.said(found)
        check(house.log_text().count(found) == 1, found, "is said more than once")
    with house.open() as plain:
        plain.sendall(prefix[:15])
        check(tls_house.is_closed(plain, 10), "a header that does not come holds a connection for ever")
    check(house.get("/healthz")[0] == 200, "it does not live any more")
    check(house.stop() == 0, "serve stops gracefully")
    for client in CLIENTS:
        check(client not in house.log_text(), "the log has the address", client)
    say("headers are read as proxy-protocol writes them, required, and logged nowhere")


def strangers():
    """Nobody else's header is believed: over HTTP it is no request, over TLS no hello; with TLS it comes before it."""
    packed = ProxyProtocolV2().pack(results()[0])
    house = tls_house.House(scheme="http", THRONG_INTAKE_PROXIES="10.0.0.0/8").start()
    check(outcome(house, packed + request("GET", "/healthz"), 5) in (400, "closed"), "a stranger's header is taken")
    check(house.post(shop.body())[0] == 202, "who is no proxy is refused")
    check("strict-transport-security" not in house.get("/")[1], "without TLS pages ask for it")
    check(house.metrics()["throng_certificate_end_timestamp_seconds"] == 0, "without TLS a certificate ends")
    check(house.stop() == 0, "serve stops gracefully")
    house = tls_house.House(THRONG_INTAKE_PROXIES="127.0.0.0/8")
    direct = house.line
    house.line = lambda *words, **more: direct(*words, **{"prefix": packed, **more})
    house.start()
    check(house.post(shop.body())[0] == 202, "TLS behind a header is refused")
    with contextlib.suppress(OSError):
        direct()
        check(False, "TLS without a header is taken")
    check(house.stop() == 0, "serve stops gracefully")
    say("nobody else's header is believed, and TLS begins behind it")


def sockets():
    """A Unix socket for clients: who may enter, what an earlier daemon left, and what lies in the way."""
    for scheme in ("http", "https"):
        house = tls_house.House(scheme=scheme, THRONG_INTAKE_PROXIES="unix" if scheme == "http" else "127.0.0.1")
        path = os.path.join(house.folder, "clients")
        house.address = "unix:" + path
        packed, direct = ProxyProtocolV2().pack(results()[1]), house.line
        if scheme == "http":
            house.line = lambda *words, **more: direct(*words, **{"prefix": packed, **more})
        house.start()
        check(stat.S_IMODE(os.lstat(path).st_mode) == 0o660, "its mode is", oct(os.lstat(path).st_mode))
        check(house.post(shop.body())[0] == 202, "a batch by the socket is refused")
        if scheme == "http":
            check(outcome(house, request("GET", "/healthz"), 5) == "closed", "by the socket a header may be left out")
        # By other plans it starts anew at the same file, with the same certificate.
        plan = daemon.read(house.plan)
        check("title: Channel" in plan, "the plan is another")
        daemon.write(house.plan, plan.replace("title: Channel", "title: Way"))
        house.process.send_signal(signal.SIGHUP)
        house.said("throng starts anew by other plans")
        house.said("for=clients", times=2, seconds=60)
        check(house.post(shop.body())[0] == 202, "by other plans a batch by the socket is refused")
        # Another daemon finds that somebody listens here, and says so before it makes anything.
        other = daemon.Daemon(shop.plan())
        words = [*other.arguments(), "--listen", house.address]
        said = daemon.ran(*words, ends=1, seconds=60).stderr
        check("something listens there already" in said, said)
        check(house.post(shop.body())[0] == 202 and not os.path.exists(other.data), "the other one harms")
        house.kill()
        check(os.path.exists(path), "kill -9 takes the file away: the control is missing")
        house.start()
        check(house.post(shop.body())[0] == 202, "behind a stale file nobody is answered")
        check(house.stop() == 0 and not os.path.exists(path), "a stop leaves the file")
        daemon.write(path, "precious")
        said = daemon.ran(*words, ends=1, seconds=60).stderr
        check("no socket lies there" in said, said)
        check(daemon.read(path) == "precious", "a file that is no socket was taken away")
    for address in ("unix:relative", "unix:/" + "a" * 108, "unix:"):
        status, _, words = daemon.run("serve", "--plan", house.plan, "--listen", address)
        check(status == 64 and "absolute path" in words, address, status, words)
    say("a Unix socket lets the owner and the group in, over plain HTTP and TLS, and what is stale goes")


def certificates():
    """Only who has a certificate of the listed authority connects where clients post; people need none."""
    house = tls_house.House(portal=True)
    strange = tls_house.Authority(house.folder, "strange")
    strange.make("intruder")
    house.authority.make("proxy")
    house.authority.make("late", days=0)
    house.settings["THRONG_INTAKE_CLIENT_AUTHORITIES"] = house.authority.path
    house.client = house.context(certificate=house.authority.pair("proxy"))
    house.start()
    check(house.post(shop.body())[0] == 202, "a proxy with a certificate is refused")
    for name, most in [(name, most) for name in (None, "intruder", "late") for most in (None, tls_house.ssl.TLSVersion.TLSv1_2)]:
        context = house.context(most=most, certificate=house.authority.pair(name) if name else None)
        try:
            with house.line(context) as line:
                line.socket.sendall(request("GET", "/healthz"))
                check(False, name, "gets", line.answer()[0])
        except OSError:
            pass
        except daemon.Failure as failure:
            check("closed before an answer" in str(failure), failure)
    with house.line(house.context(), port=house.portal_port) as line:
        line.socket.sendall(request("GET", "/"))
        check(line.answer()[0] == 200, "people are asked for certificates")
    check(house.stop() == 0, "serve stops gracefully")
    say("only who has a certificate of the listed authorities connects where clients post")


def checks(path):
    """What haproxy's checks have found of each server of the page's lines, by its own word on its socket."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(20)
        try:
            line.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            return {}
        line.sendall(b"show stat\n")
        with line.makefile() as file:
            rows = csv.DictReader(file.read().removeprefix("# ").split("\n"))
    return {row["svname"]: (row["status"], row["check_status"].removeprefix("* ")) for row in rows
            if row["pxname"] == "throng" and row["svname"] != "BACKEND"}


def haproxy():
    """A stock haproxy by the page's own lines: to a Unix socket, and over TLS with a certificate; its checks are answered."""
    local, far = tls_house.House(scheme="http", THRONG_INTAKE_PROXIES="unix"), tls_house.House(THRONG_INTAKE_PROXIES="127.0.0.1")
    local.address = "unix:" + os.path.join(local.folder, "clients")
    far.authority.make("proxy")
    pair = far.authority.pair("proxy")
    far.settings["THRONG_INTAKE_CLIENT_AUTHORITIES"] = far.authority.path
    far.client = far.context(certificate=pair)
    for house in (local, far):
        house.line = functools.partial(house.line, prefix=ProxyProtocolV2().pack(ProxyResultLocal()))
        house.start()
    bundle = os.path.join(far.folder, "proxy.pem")
    daemon.write(bundle, "".join(map(daemon.read, pair)))
    lines = re.search(
        r"```\n(backend throng\n.*?)```", daemon.read(daemon.ROOT, "Sources", "Throng.docc", "TLSAndProxies.md"), re.DOTALL)[1]
    for theirs, ours in (("/run/throng/clients", local.address.removeprefix("unix:")),
                         ("10.0.0.5:8443", f"127.0.0.1:{far.port}"), ("throng.pem", far.authority.path),
                         ("proxy.pem", bundle)):
        check(theirs in lines, "the page's lines have no", theirs)
        lines = lines.replace(theirs, ours)
    port, path, stats = daemon.free_ports(1)[0], os.path.join(far.folder, "haproxy.cfg"), os.path.join(far.folder, "stats")
    # A check may take `inter`, with its handshake; the next one comes sooner until all is well.
    daemon.write(path, f"global\n  stats socket {stats}\n"
                       "defaults\n  timeout connect 20s\n  timeout client 60s\n  timeout server 60s\n"
                       "  default-server inter 20s fastinter 100ms downinter 100ms\n"
                       f"frontend all\n  mode http\n  bind 127.0.0.1:{port}\n  default_backend throng\n{lines}")
    process = subprocess.Popen(["haproxy", "-db", "-f", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # By the socket alone, and with TLS.
        daemon.until(lambda: process.poll() is not None or checks(stats) == {"one": ("UP", "L4OK"), "two": ("UP", "L6OK")},
                     "haproxy finds", lambda: checks(stats))
        check(process.poll() is None, "haproxy takes the page's lines for none")
        for _ in range(40):
            status, _, said = daemon.fetch(port, "POST", "/v1/batches", shop.body(), seconds=60)
            check(status == 202, "behind haproxy a batch is answered with", status, said)
    finally:
        process.terminate()
        process.wait()
    for house in (local, far):
        taken = sum(value for name, value in house.metrics().items() if name.startswith("throng_batches_total"))
        check(taken == 20, "of 40 batches one server took", taken)
        check(house.stop() == 0, "serve stops gracefully")
    say("a stock haproxy passes batches on by the page's lines, and finds both servers well")


def refused_starts():
    """What can't be used is named at the start, and nothing is made. ServerCertificateTests have what else is wrong with certificates."""
    house = tls_house.House()
    certificate, key = house.authority.pair("server")
    house.authority.make("other")
    for words, settings, said in (
            (["--tls-certificate", "/nowhere", "--tls-key", key], {}, "/nowhere can't be read: No such file or directory"),
            (["--tls-certificate", certificate, "--tls-key", house.authority.pair("other")[1]], {}, "is not that of the first"),
            ([], {"THRONG_INTAKE_CLIENT_AUTHORITIES": certificate}, "takes TLS"),
            (["--tls-certificate", certificate, "--tls-key", key], {"THRONG_INTAKE_CLIENT_AUTHORITIES": key}, "no certificate")):
        done = daemon.ran(*daemon.Daemon.arguments(house), *words, ends=1, seconds=60, env=daemon.environment(**settings))
        check(said in done.stderr, words, done.stderr)
        check(not os.path.exists(house.data), "something was made:", words)
    os.chmod(key, 0o644)
    house.start()
    check("others than the key's owner" in house.log_text() and "mode=644" in house.log_text(), house.log_text()[-1000:])
    check(house.stop() == 0, "serve stops gracefully")
    say("what can't be used is named at the start, and nothing is made")


def test():
    refused_starts()
    headers()
    strangers()
    sockets()
    certificates()
    haproxy()
