"""nginx and haproxy before a daemon, and as oblivious relays before such a proxy, by the configurations that are shipped."""

import os
import re
import socket
import ssl
import subprocess
import tempfile

import daemon
from daemon import check, until

SHIPPED = os.path.join(daemon.ROOT, "Deploy", "proxy")
NAME = "count.example.com"


def certificate(folder, name=NAME):
    """A certificate of its own, with its key, each in a file, and both in one."""
    paths = [os.path.join(folder, name) for name in ("cert.pem", "key.pem", "both.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-keyout", paths[1], "-out", paths[0]],
                   check=True, capture_output=True)
    daemon.write(paths[2], daemon.read(paths[0]) + daemon.read(paths[1]))
    return paths


def settings_files(folder):
    """The certificate and key that the shipped settings name, in a folder that stands for /etc/throng."""
    os.mkdir(folder + "/tls")
    for path, name in zip(certificate(folder + "/tls"), ("fullchain.pem", "privkey.pem")):
        os.rename(path, os.path.join(folder, "tls", name))


class Proxy:
    """One of them, on a free port, before a daemon's port."""

    name, files = NAME, {"nginx": "nginx.conf", "haproxy": "haproxy.cfg"}

    def __init__(self, kind, upstream):
        self.kind, self.folder = kind, tempfile.mkdtemp(prefix=f"throng-{kind}-")
        # What works for nginx is another user's.
        os.chmod(self.folder, 0o711)
        self.port = daemon.free_ports(1)[0]
        text = self.pointed(daemon.read(SHIPPED, self.files[kind]), upstream)
        path = daemon.write(os.path.join(self.folder, "proxy.conf"), self.on_this_machine(text))
        command = {"nginx": ["nginx", "-p", self.folder, "-c", path], "haproxy": ["haproxy", "-db", "-f", path]}[kind]
        self.log = open(os.path.join(self.folder, "log"), "wb")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        until(self.is_there, kind, "does not start:", lambda: daemon.read(self.folder, "log"), pause=0.05)

    def pointed(self, text, upstream):
        """A configuration that leads to a daemon's port."""
        check("127.0.0.1:8080" in text, self.kind, "leads somewhere else")
        return text.replace("127.0.0.1:8080", f"127.0.0.1:{upstream}")

    def on_this_machine(self, text):
        """On its own port, with a certificate of its own and its own files, for a test's many requests."""
        cert, key, both = certificate(self.folder, self.name)
        if self.kind == "haproxy":
            text = text.replace("bind :443", f"bind 127.0.0.1:{self.port}").replace("gt 500", "gt 5000000")
            return text.replace(f"/etc/haproxy/{self.name}.pem", both)
        text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{self.port} ssl;").replace("    listen [::]:443 ssl;\n", "")
        text = re.sub(r"ssl_certificate \S+;", f"ssl_certificate {cert};", text)
        text = re.sub(r"ssl_certificate_key \S+;", f"ssl_certificate_key {key};", text)
        text = text.replace("/var/cache/nginx/throng-keys", self.folder + "/keys")
        text = text.replace("rate=50r/s", "rate=100000r/s").replace("burst=200", "burst=100000")
        folders = "".join(f"{each}_temp_path {self.folder}/{each}; " for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return f"""
            daemon off; pid {self.folder}/pid; worker_processes 2; error_log /dev/null crit;
            events {{ worker_connections 1000; }}
            http {{ {folders}
            {text} }}"""

    def is_there(self):
        check(self.process.poll() is None, self.kind, "ended:", daemon.read(self.folder, "log"))
        try:
            self.connect().close()
            return True
        except OSError:
            return False

    def connect(self, seconds=5, source=None):
        """A connection by TLS."""
        context = ssl.create_default_context(cafile=os.path.join(self.folder, "cert.pem"))
        plain = socket.create_connection(("127.0.0.1", self.port), seconds, (source, 0) if source else None)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return context.wrap_socket(plain, server_hostname=self.name)

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        self.log.close()


class Relay(Proxy):
    """One as a relay, before a port that shows a certificate for the daemon's name."""

    name, files = "relay.example.net", {"nginx": "relay.nginx.conf", "haproxy": "relay.haproxy.cfg"}

    def __init__(self, kind, upstream, authority, evaluator=8090):
        self.authority, self.evaluator = authority, evaluator
        super().__init__(kind, upstream)

    def pointed(self, text, upstream):
        text = text.replace("/etc/ssl/certs/ca-certificates.crt", self.authority)
        text, count = re.subn(r"(server (?:throng )?)count\.example\.com:443", rf"\g<1>127.0.0.1:{upstream}", text)
        check(count == 1 and text.count("127.0.0.1:8090") == 1, self.kind, "leads somewhere else")
        return text.replace("127.0.0.1:8090", f"127.0.0.1:{self.evaluator}")
