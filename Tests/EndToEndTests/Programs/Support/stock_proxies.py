"""nginx and haproxy before a daemon, by the configurations that are shipped."""

import os
import re
import socket
import ssl
import subprocess
import tempfile
import time

import daemon
from daemon import check

SHIPPED = os.path.join(daemon.ROOT, "Deploy", "proxy")
NAME = "count.example.com"


def certificate(folder, name=NAME):
    """A certificate of its own, with its key, each in a file, and both in one."""
    paths = [os.path.join(folder, name) for name in ("cert.pem", "key.pem", "both.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-keyout", paths[1], "-out", paths[0]],
                   check=True, capture_output=True)
    with open(paths[2], "w") as both:
        for path in paths[:2]:
            with open(path) as file:
                both.write(file.read())
    return paths


class Proxy:
    """One of them, on a free port, before a daemon's port."""

    def __init__(self, kind, upstream):
        self.kind, self.folder = kind, tempfile.mkdtemp(prefix=f"throng-{kind}-")
        self.port = daemon.free_ports(1)[0]
        cert, key, both = certificate(self.folder)
        with open(os.path.join(SHIPPED, {"nginx": "nginx.conf", "haproxy": "haproxy.cfg"}[kind])) as file:
            text = file.read()
        if kind == "nginx":
            text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{self.port} ssl;")
            text = text.replace("    listen [::]:443 ssl;\n", "")
            text = re.sub(r"ssl_certificate \S+;", f"ssl_certificate {cert};", text)
            text = re.sub(r"ssl_certificate_key \S+;", f"ssl_certificate_key {key};", text)
            text = text.replace("rate=50r/s", "rate=100000r/s").replace("burst=200", "burst=100000")
            text = f"""
                daemon off; pid {self.folder}/pid; worker_processes 2; error_log /dev/null crit;
                events {{ worker_connections 1000; }}
                http {{ {"".join(f"{each}_temp_path {self.folder}/{each}; " for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))}
                {text} }}"""
        else:
            text = text.replace("bind :443", f"bind 127.0.0.1:{self.port}")
            text = text.replace("/etc/haproxy/count.example.com.pem", both).replace("gt 500", "gt 5000000")
        check(f"127.0.0.1:8080" in text, kind, "leads somewhere else")
        path = os.path.join(self.folder, "proxy.conf")
        with open(path, "w") as file:
            file.write(text.replace("127.0.0.1:8080", f"127.0.0.1:{upstream}"))
        self.run(path)

    name = NAME

    def run(self, path):
        kind = self.kind
        command = {"nginx": ["nginx", "-p", self.folder, "-c", path], "haproxy": ["haproxy", "-db", "-f", path]}[kind]
        self.log = open(os.path.join(self.folder, "log"), "wb")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + 20
        while True:
            try:
                self.connect().close()
                return
            except OSError:
                check(self.process.poll() is None and time.monotonic() < deadline, kind, "does not start:", self.said())
                time.sleep(0.05)

    def connect(self, seconds=5, source=None):
        """A connection by TLS."""
        context = ssl.create_default_context(cafile=os.path.join(self.folder, "cert.pem"))
        plain = socket.create_connection(("127.0.0.1", self.port), seconds, (source, 0) if source else None)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return context.wrap_socket(plain, server_hostname=self.name)

    def said(self):
        with open(os.path.join(self.folder, "log")) as file:
            return file.read()

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        self.log.close()
