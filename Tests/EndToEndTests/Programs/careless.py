"""A relay and a server that read requests in two ways: what tests of smuggling must find, and what a daemon must stand."""

import json
import re
import socket
import threading


def length(head):
    found = re.search(rb"(?im)^content-length:\s*(\d+)", head)
    return int(found[1]) if found else 0


class Reader:
    """Bytes of a connection."""

    def __init__(self, connection):
        self.connection, self.rest = connection, b""

    def until(self, end):
        while end not in self.rest:
            self.more()
        found, self.rest = self.rest.split(end, 1)
        return found + end

    def take(self, count):
        while len(self.rest) < count:
            self.more()
        found, self.rest = self.rest[:count], self.rest[count:]
        return found

    def more(self):
        piece = self.connection.recv(1 << 16)
        if not piece:
            raise OSError("closed")
        self.rest += piece


class Listener:
    """A thread a connection, until it is stopped."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.guarded, args=(connection,), daemon=True).start()

    def guarded(self, connection):
        with connection:
            connection.settimeout(120)
            try:
                self.serve(connection)
            except (OSError, ValueError):
                pass

    def stop(self):
        self.socket.close()


class Relay(Listener):
    """Ends a request after its Content-Length, whatever else it says, and sends those of all clients over one connection."""

    kind = "a careless relay"

    def __init__(self, upstream):
        self.upstream, self.lock, self.line = upstream, threading.Lock(), None
        super().__init__()

    def connect(self, seconds):
        return socket.create_connection(("127.0.0.1", self.port), seconds)

    def serve(self, connection):
        reader = Reader(connection)
        while True:
            head = reader.until(b"\r\n\r\n")
            if b"chunked" in head.lower() and not length(head):
                raise ValueError("it knows no chunks")
            request = head + reader.take(length(head))
            with self.lock:
                answer = self.ask(request)
            connection.sendall(answer)

    def ask(self, request):
        for _ in range(2):
            try:
                if self.line is None:
                    self.line = Reader(socket.create_connection(("127.0.0.1", self.upstream), 30))
                self.line.connection.sendall(request)
                head = self.line.until(b"\r\n\r\n")
                while head.startswith(b"HTTP/1.1 1"):
                    head = self.line.until(b"\r\n\r\n")
                # The length that a HEAD is answered with is of what does not come.
                return head if request.startswith(b"HEAD ") else head + self.line.take(length(head))
            except OSError:
                # It was closed, or says nothing: the next request gets another one.
                if self.line is not None:
                    self.line.connection.close()
                self.line = None
        return b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n"


class Server(Listener):
    """Ends a request after its chunks where it names them in any way, and answers batches as a daemon does."""

    def serve(self, connection):
        reader = Reader(connection)
        while True:
            head = reader.until(b"\r\n\r\n")
            body = b""
            if re.search(rb"(?im)^transfer-encoding:.*chunked", head):
                while size := int(reader.until(b"\r\n").split(b";")[0], 16):
                    body += reader.take(size)
                    reader.until(b"\r\n")
                reader.until(b"\r\n")
            else:
                body = reader.take(length(head))
            try:
                events = json.loads(body)["events"]
                answer = {"accepted": len(events) - 1, "refused": [{}]}
            except (ValueError, KeyError):
                answer = {"error": "not_json"}
            status = b"404 Not Found" if b"/hidden" in head else b"202 Accepted" if "accepted" in answer else b"400 Bad Request"
            text = json.dumps(answer).encode()
            connection.sendall(b"HTTP/1.1 " + status + b"\r\ncontent-length: %d\r\n\r\n" % len(text) + text)
