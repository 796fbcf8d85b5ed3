"""A TCP proxy before PostgreSQL on which everything takes its time."""

import queue
import socket
import threading
import time


class SlowLine:
    """Listens on a loopback port. What comes is forwarded as late as `delay()` says, half of it each way; in order."""

    def __init__(self, folder, delay):
        self.target = f"{folder}/.s.PGSQL.5432"
        self.delay = delay
        self.is_slow = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.pairs = []
        threading.Thread(target=self.accept, daemon=True).start()

    def cut(self):
        """Breaks all connections that there are."""
        for pair in self.pairs:
            for line in pair:
                try:
                    line.shutdown(socket.SHUT_RDWR)
                except OSError:
                    # It has gone already.
                    pass
        self.pairs = []

    def close(self):
        self.is_slow = False
        self.listener.close()
        self.cut()

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
            self.pairs.append((client, server))
            for source, sink in ((client, server), (server, client)):
                parts = queue.Queue()
                threading.Thread(target=self.take, args=(source, parts), daemon=True).start()
                threading.Thread(target=self.give, args=(parts, sink), daemon=True).start()

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
