"""certbot and lego renew the certificate of a running daemon, by the hooks that its page shows; pebble is the authority, and
takes every name for ours. Tests/Scripts/renewal installs them. It is no part of the tests."""

import json
import os
import re
import ssl
import subprocess
import time
import urllib.request

import daemon
import tls_house
from daemon import check, say

PAGE = os.path.join(daemon.ROOT, "Sources", "Throng.docc", "TLSAndProxies.md")


def hook(house, names):
    """The hook of the page, with folders and a signal of this test's in the place of the system's."""
    with open(PAGE) as file:
        text = re.search(r"```sh\n(#!/bin/sh\n.*?)```", file.read(), re.DOTALL)[1]
    folder = os.path.join(house.folder, "tls")
    text = text.replace("/etc/throng/tls", folder).replace("-o throng ", "")
    for theirs, other in names.items():
        check(theirs in text, "the page's hook has no", theirs)
        text = text.replace(theirs, other)
    path = os.path.join(house.folder, "hook-" + str(len(names)))
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


class Pebble:
    def __init__(self, house):
        self.authority = house.authority
        self.port, self.management, self.http, self.tls = daemon.free_ports(4)
        self.authority.make("pebble")
        certificate, key = self.authority.pair("pebble")
        path = os.path.join(house.folder, "pebble.json")
        with open(path, "w") as file:
            json.dump({"pebble": {
                "listenAddress": f"127.0.0.1:{self.port}", "managementListenAddress": f"127.0.0.1:{self.management}",
                "certificate": certificate, "privateKey": key, "httpPort": self.http, "tlsPort": self.tls,
                "ocspResponderURL": "", "externalAccountBindingRequired": False}}, file)
        self.process = subprocess.Popen(
            ["pebble", "-config", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "PEBBLE_VA_ALWAYS_VALID": "1", "PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "0"})
        self.server = f"https://localhost:{self.port}/dir"

    def root(self):
        context = ssl.create_default_context(cafile=self.authority.path)
        for _ in range(100):
            try:
                with urllib.request.urlopen(f"https://localhost:{self.management}/roots/0", context=context) as answer:
                    return answer.read().decode()
            except OSError:
                time.sleep(0.1)
        raise daemon.Failure("pebble does not come up")


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, env={**os.environ, **more})
    check(done.returncode == 0, *words, "ended with", done.returncode, done.stdout[-2000:], done.stderr[-2000:])


class Renewed(tls_house.House):
    def pair(self):
        return [os.path.join(self.folder, "tls", name) for name in ("fullchain.pem", "privkey.pem")]

    def arguments(self):
        certificate, key = self.pair()
        return [*daemon.Daemon.arguments(self), "--tls-certificate", certificate, "--tls-key", key]


def test():
    house = Renewed()
    pebble = Pebble(house)
    try:
        house.client = ssl.create_default_context(cadata=pebble.root())
        at = os.path.join(house.folder, "certbot")
        certbot = ["certbot", "-n", "--config-dir", at, "--work-dir", at, "--logs-dir", at, "--server", pebble.server]
        trust = {"REQUESTS_CA_BUNDLE": house.authority.path, "LEGO_CA_CERTIFICATES": house.authority.path}
        words = ["certonly", "--standalone", "--http-01-port", str(pebble.http), "--domain", "localhost", "--agree-tos",
                 "--register-unsafely-without-email", "--deploy-hook", hook(house, {})]
        run(*certbot, *words, **trust)
        house.start()
        certificate, key = house.pair()
        check(os.stat(key).st_mode & 0o777 == 0o400, "the key has mode", oct(os.stat(key).st_mode))

        def serial():
            with house.line() as line:
                return line.socket.getpeercert()["serialNumber"]

        seen = [serial()]
        lego = ["lego", "--server", pebble.server, "--accept-tos", "--email", "you@example.com", "--domains", "localhost",
                "--path", os.path.join(house.folder, "lego"), "--http", "--http.port", f":{pebble.http}"]
        names = {"$RENEWED_LINEAGE/privkey.pem": "$LEGO_CERT_KEY_PATH", "$RENEWED_LINEAGE/fullchain.pem": "$LEGO_CERT_PATH"}
        for name, words in (
                ("certbot renews", [*certbot, "renew", "--force-renewal", "--no-random-sleep-on-renew"]),
                ("lego runs", [*lego, "run", "--run-hook", hook(house, names)]),
                ("lego renews", [*lego, "renew", "--days", "9999", "--no-random-sleep", "--renew-hook", hook(house, names)])):
            run(*words, **trust)
            house.said("the certificate was read anew", times=len(seen))
            check(serial() not in seen, name, "and the former certificate is served")
            seen.append(serial())
            say(name, "and new connections get the new certificate")
        check(house.stop() == 0, "serve stops gracefully")
    finally:
        pebble.process.terminate()
        pebble.process.wait()


if __name__ == "__main__":
    daemon.main(test)
