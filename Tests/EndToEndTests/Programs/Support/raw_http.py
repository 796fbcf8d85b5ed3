"""HTTP by raw sockets: one connection, and requests as bytes."""

import socket

import daemon


class Line:
    """One connection; answers as (status, headers, body), by their lengths."""

    def __init__(self, port, seconds=20, plain=None):
        self.socket, self.rest = plain or socket.create_connection(("127.0.0.1", port), seconds), b""
        if not plain:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def more(self):
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise daemon.Failure("the connection was closed before an answer")
        self.rest += piece

    def answer(self):
        while b"\r\n\r\n" not in self.rest:
            self.more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:])
        length = int(headers.get("content-length", 0))
        while len(self.rest) < length:
            self.more()
        body, self.rest = self.rest[:length], self.rest[length:]
        return int(lines[0].split()[1]), headers, body


def request(method, path, body=b"", *headers, host="host: x", version="1.1"):
    lines = [f"{method} {path} HTTP/{version}", *([host] if host else []), *headers]
    if method == "POST":
        lines.append(f"content-length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def proxied(address):
    """What a proxy says first of a client, by version 2 of the PROXY protocol over IPv4."""
    ends = socket.inet_aton(address) + socket.inet_aton("192.0.2.1") + (51234).to_bytes(2, "big") + (443).to_bytes(2, "big")
    return b"\r\n\r\n\x00\r\nQUIT\n\x21\x11" + len(ends).to_bytes(2, "big") + ends


def ask(port, *words, **more):
    with Line(port) as line:
        line.socket.sendall(request(*words, **more))
        return line.answer()
