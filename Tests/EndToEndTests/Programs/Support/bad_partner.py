"""A partner's endpoint that behaves badly in every way that partners do, over TLS, and keeps count."""

import hashlib
import os
import ssl
import threading
import time

import pages
import tls_house


def certificates(folder):
    """An authority's certificate; in its folder are those of 127.0.0.1 and of somebody else."""
    authority = tls_house.Authority(folder)
    authority.make("right")
    authority.make("wrong", address="192.0.2.1")
    return authority.path


class Partner(pages.Server):
    """What arrives goes into `inbox`, once by idempotency key; `requests` are all that were seen."""

    def __init__(self, folder, port, certificate):
        self.contexts = {name: ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) for name in ("right", "wrong")}
        for name, context in self.contexts.items():
            context.load_cert_chain(*(os.path.join(folder, name + end) for end in (".crt", ".key")))
        super().__init__(Handler, port, certificate=certificate, lock=threading.Lock(), inbox={}, requests=[], wrong_handshakes=0,
                         tries={}, on_crash=None)

    def finish_request(self, request, client_address):
        try:
            request.settimeout(20)
            with self.lock:
                self.wrong_handshakes += self.certificate == "wrong"
            request = self.contexts[self.certificate].wrap_socket(request, server_side=True)
        except OSError:
            return
        super().finish_request(request, client_address)

    def note(self, place, name, key, body, headers):
        """A request that arrived whole; how many of this file were seen before."""
        with self.lock:
            before = self.tries.get((place, name), 0)
            self.tries[(place, name)] = before + 1
            self.requests.append((place, name, key, hashlib.sha256(body).hexdigest(), headers))
            return before

    def keep(self, place, name, key, body):
        """Takes it over, unless it has it: what a partner does with an idempotency key."""
        with self.lock:
            self.inbox.setdefault((place, name), {}).setdefault(key, []).append(body)


class Handler(pages.Handler):
    def do_PUT(self):
        place, name = self.path.strip("/").rsplit("/", 1)
        self.take(place, name)

    def do_POST(self):
        self.take(self.path.strip("/"), self.headers["Content-Disposition"].split('filename="')[1].rstrip('"'))

    def do_GET(self):
        self.server.note("trap", self.path, None, b"", {})
        self.answer(200)

    def take(self, place, name):
        key = self.headers["Idempotency-Key"]
        size = int(self.headers["Content-Length"])
        server = self.server
        if place == "die":
            with server.lock:
                first = name.endswith(".csv") and ("half", name) not in server.tries
                server.tries[("half", name)] = 1
            if first:
                # Gone in the middle of the body.
                self.rfile.read(size // 2)
                return self.hang_up()
        body = self.rfile.read(size)
        if len(body) < size:
            return self.hang_up()
        before = server.note(place, name, key, body, dict(self.headers))
        if not name.endswith(".csv") and place in ("errors", "hang", "redirect", "die"):
            server.keep(place, name, key, body)
            return self.answer(201)
        if place == "errors" and before < 3:
            return self.answer((500, 503, 429)[before])
        if place == "hang" and before < 1:
            time.sleep(6)
            return self.hang_up()
        if place == "redirect" and before < 2:
            return self.answer((302, 307)[before], location=f"https://127.0.0.1:{server.server_port}/trap/{name}")
        if place == "never":
            return self.answer(500)
        if place == "die" and before < 1:
            # Taken over, and gone before the answer.
            server.keep(place, name, key, body)
            return self.hang_up()
        if place == "crash" and server.on_crash and name.endswith(".sig"):
            # Taken over; the sender dies before it hears of it.
            act, server.on_crash = server.on_crash, None
            server.keep(place, name, key, body)
            act()
            return self.hang_up()
        server.keep(place, name, key, body)
        if place == "slow":
            return self.answer_slowly()
        self.answer(201)

    def answer_slowly(self):
        for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n":
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(0.02)

    def hang_up(self):
        self.close_connection = True
        self.connection.close()
