"""TCP proxies before PostgreSQL: one that reads just enough of the protocol to know where a COMMIT or a COPY is, and can cut or stand
still there; and one on which everything takes its time."""

import contextlib
import queue
import socket
import threading
import time


class Line:
    """Listens on a loopback port, and connects whoever comes to PostgreSQL."""

    def __init__(self, folder):
        self.target = f"{folder}/.s.PGSQL.5432"
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def address(self, database):
        return f"host=127.0.0.1 port={self.port} user=postgres dbname={database} sslmode=disable"

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self.target)
            except OSError:
                client.close()
                continue
            for work, *arguments in self.works(client, server):
                threading.Thread(target=work, args=arguments, daemon=True).start()


class SlowLine(Line):
    """What comes is forwarded as late as `delay()` says, half of it each way; in order."""

    def __init__(self, folder, delay):
        self.delay, self.is_slow, self.pairs = delay, False, []
        super().__init__(folder)

    def cut(self):
        """Breaks all connections that there are."""
        pairs, self.pairs = self.pairs, []
        for line in (line for pair in pairs for line in pair):
            # It may have gone already.
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.is_slow = False
        self.listener.close()
        self.cut()

    def works(self, client, server):
        self.pairs.append((client, server))
        for source, sink in ((client, server), (server, client)):
            parts = queue.Queue()
            yield self.take, source, parts
            yield self.give, parts, sink

    def take(self, source, parts):
        while True:
            try:
                part = source.recv(1 << 16)
            except OSError:
                part = b""
            parts.put((time.monotonic() + (self.delay() / 2 if self.is_slow else 0), part))
            if not part:
                return

    @staticmethod
    def give(parts, sink):
        while True:
            due, part = parts.get()
            time.sleep(max(0, due - time.monotonic()))
            try:
                if not part:
                    return sink.shutdown(socket.SHUT_WR)
                sink.sendall(part)
            except OSError:
                return


class Proxy(Line):
    """`cut(place)` breaks the next connection whose flush comes to that place:

    before   what was sent is forwarded up to the COMMIT, and not the COMMIT
    during   the COMMIT is forwarded; nobody waits for its answer
    after    PostgreSQL has committed; its answer is not forwarded
    copy     nothing is broken: what the flush copies is not forwarded before `go_on()`
    """

    def __init__(self, folder):
        self.lock, self.goes_on = threading.Lock(), threading.Event()
        self.place, self.cuts = None, 0
        super().__init__(folder)

    def cut(self, place):
        with self.lock:
            self.place = place

    def take(self, *places):
        """Whether the cut that is asked for is one of these; then it is made."""
        with self.lock:
            if self.place not in places:
                return None
            place, self.place = self.place, None
            self.cuts += 1
            return place

    def go_on(self):
        self.goes_on.set()

    def close(self):
        self.go_on()
        self.listener.close()

    def works(self, client, server):
        pair = Pair(self, client, server)
        return [(pair.from_client,), (pair.from_server,)]


class Pair:
    """One connection: to the client and to the server."""

    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        self.is_flush = self.drops_answer = False

    def close(self):
        for each in (self.client, self.server):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def from_client(self):
        try:
            # The startup message has a length and no type.
            head = self.exactly(self.client, 4)
            self.server.sendall(head + self.exactly(self.client, int.from_bytes(head, "big") - 4))
            while True:
                head = self.exactly(self.client, 5)
                message = head + self.exactly(self.client, int.from_bytes(head[1:], "big") - 4)
                if head[:1] == b"P":
                    query = message[5:].split(b"\0")[1]
                    self.is_flush = self.is_flush or b"update throng.watermark" in query
                    if self.is_flush and query == b"commit":
                        self.is_flush = False
                        if self.proxy.take("before"):
                            return self.close()
                        place = self.proxy.take("during", "after")
                        if place == "during":
                            self.server.sendall(message + self.until_sync())
                            return self.close()
                        self.drops_answer = place == "after"
                if head[:1] == b"d" and self.is_flush and self.proxy.take("copy"):
                    self.proxy.goes_on.wait()
                self.server.sendall(message)
        except OSError:
            self.close()

    def until_sync(self):
        """The rest of the pipeline."""
        rest = b""
        while True:
            head = self.exactly(self.client, 5)
            rest += head + self.exactly(self.client, int.from_bytes(head[1:], "big") - 4)
            if head[:1] == b"S":
                return rest

    def from_server(self):
        try:
            while True:
                head = self.exactly(self.server, 5)
                message = head + self.exactly(self.server, int.from_bytes(head[1:], "big") - 4)
                if self.drops_answer and head[:1] == b"C" and message[5:-1] == b"COMMIT":
                    return self.close()
                self.client.sendall(message)
        except OSError:
            self.close()

    @staticmethod
    def exactly(line, count):
        parts = b""
        while len(parts) < count:
            part = line.recv(count - len(parts))
            if not part:
                raise OSError("closed")
            parts += part
        return parts
