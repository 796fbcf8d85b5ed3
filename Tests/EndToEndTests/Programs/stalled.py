"""Connections that fall silent, by the thousand, at every port: nobody else waits for them."""

import resource
import socket
import time

import daemon
import door
from daemon import check, say
from line import Line, ask, request


def head(path, length):
    return f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n".encode()


# What a connection says before it falls silent.
STALLS = {
    "nothing": b"", "half a head": b"GET /healthz HTTP/1.1\r\nhost: x\r\n", "a batch's head": head("/v1/batches", 1 << 20),
    "half a batch": head("/v1/batches", 1 << 20) + b" " * 1000, "half a preview": head("/v1/preview", 1 << 20) + b" " * 1000,
    "half a withdrawal": head("/v1/withdraw", 1000) + b" ", "half a reveal": head("/v1/reveals", 1000) + b" ",
    "half a form": head("/sign-in", 1000) + b" ", "answers unread": b"GET /throng.js HTTP/1.1\r\nhost: x\r\n\r\n" * 20,
}


def stalled(house):
    """However many connections fall silent, at whatever port, everybody else is answered at every port."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, max(8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    ports = {"clients": house.port, "metrics": house.metrics_port, "portal": house.portal_port}
    rounds = [(256, who, [kind]) for who in ports for kind in STALLS]
    rounds += [(count, who, list(STALLS)) for count in (1000, 4000) for who in ports]
    waits = []
    for count, who, kinds in rounds:
        sockets = []
        for number in range(count):
            # Some are closed for others already; those are no obstacle.
            try:
                sockets.append(socket.create_connection(("127.0.0.1", ports[who]), 5))
                sockets[-1].sendall(STALLS[kinds[number % len(kinds)]])
            except OSError:
                pass
        check(len(sockets) > count * 0.9, "of", count, "connections to", who, "only", len(sockets), "are taken")
        for _ in range(10):
            started = time.monotonic()
            check(ask(house.port, "POST", "/v1/batches", door.batch())[0] == 202, "beside", count, kinds, "at", who, "a batch waits")
            waits.append(time.monotonic() - started)
        for other, port in ports.items():
            with Line(port, 5) as line:
                line.socket.sendall(request("GET", "/healthz"))
                check(line.answer()[0] == 200, "beside", count, kinds, "at", who, other, "is not healthy")
        for each in sockets:
            each.close()
    waits.sort()
    say(f"{len(rounds)} times 256 to 4,000 connections fall silent; {len(waits)} batches of others take "
        f"{waits[len(waits) // 2] * 1000:.1f} ms (p50), {waits[int(len(waits) * 0.99)] * 1000:.1f} ms (p99)")


def test():
    house = door.House().start()
    stalled(house)
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
