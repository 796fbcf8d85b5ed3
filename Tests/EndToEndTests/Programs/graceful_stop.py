"""SIGTERM under load: what is in flight is answered, the exit code is 0, nothing acknowledged is lost or doubled."""

import json
import socket
import threading
import time

import daemon
import shop
from daemon import check, say

STREAMS = 8


class Stream:
    """Posts batches one after the other until the daemon says no more; remembers which were acknowledged."""

    def __init__(self, house, place):
        self.house = house
        self.acknowledged = []
        self.unknown = []
        self.odd = []
        self.place = place
        self.thread = threading.Thread(target=self.work)

    def work(self):
        connection = self.house.connect(seconds=10)
        number = 0
        while True:
            batch = shop.batch(f"stream {self.place}.{number % 50}")
            number += 1
            try:
                connection.request("POST", "/v1/batches", json.dumps(batch), {"content-type": "application/json"})
                response = connection.getresponse()
                text = response.read()
            except (OSError, daemon.http.client.HTTPException):
                self.unknown.append(batch)
                if self.house.process.poll() is not None or self.is_refused():
                    return
                connection.close()
                connection = self.house.connect(seconds=10)
                continue
            if response.status == 202:
                self.acknowledged.append(batch)
            else:
                self.odd.append((response.status, text))

    def is_refused(self):
        try:
            socket.create_connection(("127.0.0.1", self.house.port), 2).close()
            return False
        except OSError:
            return True


def test():
    house = daemon.Daemon(shop.plan()).start()
    streams = [Stream(house, place) for place in range(STREAMS)]
    for stream in streams:
        stream.thread.start()
    time.sleep(1.5)
    deadline = time.monotonic() + 120
    while sum(len(stream.acknowledged) for stream in streams) < 200:
        check(time.monotonic() < deadline, "there is no load")
        time.sleep(0.05)

    # Requests whose head and half a body have arrived: it is said that the rest may come.
    halves = []
    for place in range(20):
        batch = shop.batch(f"half {place}")
        body = json.dumps(batch).encode()
        line = socket.create_connection(("127.0.0.1", house.port), 60)
        line.sendall(
            b"POST /v1/batches HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nexpect: 100-continue\r\n"
            b"content-length: %d\r\n\r\n" % len(body) + body[:40])
        halves.append((batch, body, line))
    for _, _, line in halves:
        said = b""
        while not said.endswith(b"\r\n\r\n"):
            piece = line.recv(4096)
            check(piece, "a request is cut off after", said)
            said += piece
        check(said == b"HTTP/1.1 100 Continue\r\n\r\n", "half a request is answered with", said)

    house.process.terminate()
    time.sleep(0.3)
    for _, body, line in halves:
        line.sendall(body[40:])
    for _, _, line in halves:
        answer = b""
        while b"\r\n\r\n" not in answer or not answer.rstrip().endswith(b"}"):
            piece = line.recv(4096)
            if not piece:
                break
            answer += piece
        check(answer.startswith(b"HTTP/1.1 202"), "a request in flight was answered with", answer[:200])
        line.close()
    code = house.process.wait(120)
    check(code == 0, "the exit code is", code, house.log_text()[-2000:])
    check(house.postgres_pid() is None, "PostgreSQL was stopped too")
    for stream in streams:
        stream.thread.join(120)
        check(not stream.odd, "an answer that is no 202:", stream.odd[:3])
    acknowledged = sum(len(stream.acknowledged) for stream in streams) + len(halves)
    unknown = [batch for stream in streams for batch in stream.unknown]
    say(f"{acknowledged:,} batches acknowledged, {len(unknown)} without an answer; exit code 0")
    check(acknowledged > 100, "there was load")
    check("stopped before PostgreSQL had everything" not in house.log_text(), "everything was flushed before the stop")

    house.start()
    house.drain()
    found = shop.counted(house)
    check(acknowledged <= found <= acknowledged + len(unknown), found, "events are counted")
    for batch in unknown + [stream.acknowledged[-1] for stream in streams] + [batch for batch, _, _ in halves]:
        status, _, answer = house.post(json.dumps(batch))
        check((status, json.loads(answer)) == (202, {"accepted": 1, "refused": []}), "a repeat:", status, answer)
    house.drain()
    check(shop.counted(house) == acknowledged + len(unknown), "each counts once:", shop.counted(house))
    say("every batch is counted once after the restart")
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
