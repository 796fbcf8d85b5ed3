"""A `throng serve` that speaks TLS, certificates that OpenSSL makes, and clients that Python's ssl module is."""

import os
import socket
import ssl
import time

import daemon
import raw_http
import shop


def openssl(*arguments, folder=None, stdin=b""):
    return daemon.ran("openssl", *arguments, cwd=folder, input=stdin, text=False, seconds=60).stdout


class Authority:
    """Makes certificates in a folder: an authority's own, and NAME.crt with NAME.key."""

    def __init__(self, folder, name="authority"):
        self.folder, self.name = folder, name
        self.path = os.path.join(folder, name + ".crt")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "300", "-subj",
                f"/CN={name}", "-keyout", name + ".key", "-out", name + ".crt", folder=folder)

    def make(self, name, key=("ec", "-pkeyopt", "ec_paramgen_curve:P-256"), days=80, address="127.0.0.1"):
        openssl("req", "-newkey", *key, "-nodes", "-subj", "/CN=localhost", "-addext",
                f"subjectAltName=DNS:localhost,IP:{address}", "-keyout", name + ".key", "-out", name + ".csr", folder=self.folder)
        openssl("x509", "-req", "-in", name + ".csr", "-CA", self.name + ".crt", "-CAkey", self.name + ".key",
                "-CAcreateserial", "-days", str(days), "-copy_extensions", "copy", "-out", name + ".crt", folder=self.folder)
        os.chmod(os.path.join(self.folder, name + ".key"), 0o600)

    def pair(self, name):
        return tuple(os.path.join(self.folder, name + end) for end in (".crt", ".key"))


def replace(source, target):
    """As a renewal does it: a new file in the former one's place, at once."""
    os.rename(daemon.write(target + ".new", daemon.read_bytes(source), 0o600), target)


class House(daemon.Daemon):
    """With TLS for clients and people."""

    def __init__(self, plan=None, scheme="https", portal=False, address=None, key=("rsa:2048",), **settings):
        super().__init__(plan or shop.plan(), **settings)
        self.scheme = scheme
        self.portal_port = daemon.free_ports(1)[0] if portal else None
        self.address = address
        self.authority = Authority(self.folder)
        self.authority.make("server", key)
        self.client = self.context()

    def arguments(self):
        more = []
        if self.scheme == "https":
            certificate, key = self.authority.pair("server")
            more += ["--tls-certificate", certificate, "--tls-key", key]
        if self.address:
            more += ["--listen", self.address]
        found = super().arguments()
        if self.address:
            place = found.index("--listen")
            del found[place:place + 2]
        return found + more

    def context(self, least=None, most=None, ciphers=None, certificate=None):
        found = ssl.create_default_context(cafile=self.authority.path)
        if ciphers:
            found.set_ciphers(ciphers)
        if least:
            found.minimum_version = least
        if most:
            found.maximum_version = most
        if certificate:
            found.load_cert_chain(*certificate)
        return found

    def open(self, port=None):
        """A connection without TLS."""
        if self.address and not port:
            found = socket.socket(socket.AF_UNIX)
            found.settimeout(20)
            found.connect(self.address.removeprefix("unix:"))
            return found
        found = socket.create_connection(("127.0.0.1", port or self.port), 20)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return found

    def line(self, context=None, session=None, port=None, prefix=b"", plain=None):
        """A connection on which requests can be sent; `prefix` goes before TLS."""
        found = raw_http.Line(None, plain=plain or self.open(port))
        if prefix:
            found.socket.sendall(prefix)
        if self.scheme == "https":
            found.socket = (context or self.client).wrap_socket(found.socket, server_hostname="localhost", session=session)
        return found

    def exchange(self, method, path, body=None, headers={}, source=None, port=None):
        if port == self.metrics_port:
            return super().exchange(method, path, body, headers, source, port)
        lines = ["connection: close", *(f"{name}: {value}" for name, value in headers.items())]
        body = body.encode() if isinstance(body, str) else body or b""
        try:
            with self.line(port=port) as found:
                found.socket.sendall(raw_http.request(method, path, body, *lines))
                return found.answer()
        except daemon.Failure as failure:
            raise OSError(str(failure)) from failure


def is_closed(connection, seconds):
    """Whether the other end closes within so many seconds; whatever comes before that is dropped."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        connection.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            if not connection.recv(1 << 16):
                return True
        except TimeoutError:
            return False
        except (OSError, ssl.SSLError):
            return True
    return False
