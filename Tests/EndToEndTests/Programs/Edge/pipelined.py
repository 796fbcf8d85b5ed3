"""Batches that one connection brings at once share the syncs of a slow disk, and are answered in their order: plain, through TLS,
sealed, with other requests among them, and where the client ends the connection."""

import json
import socket
import threading
import time

import daemon
import tls_house
import shop
from daemon import check, say
from raw_http import Line, request
from oblivious import message, padded, parsed
from sealed_http import Client
from slow_disk import SlowDisk

# Seconds of a sync: so long that a machine which is busy with others still brings many batches within one.
SYNC = 0.1
COUNT = 1000


def batch(number):
    """One that is told from its neighbours by how many events it has."""
    events = 1 + number % 7
    return json.dumps(shop.batch(f"device {number}", events=[shop.event()] * events)).encode(), events


def asked(number, *headers):
    body, events = batch(number)
    return request("POST", "/v1/batches", body, *headers), events


def send(line, requests):
    """Sends while answers are read: what is full on both sides would wait for ever."""
    sender = threading.Thread(target=line.socket.sendall, args=(b"".join(requests),), daemon=True)
    sender.start()
    return sender


def accepted(answer):
    status, _, body = answer
    check(status == 202, "a batch is answered with", status, body)
    return json.loads(body)["accepted"]


def shared(kind, disk, line, requests, read):
    """All of them are answered, in their order, by far fewer syncs than there are of them."""
    before, begun = disk.syncs, time.monotonic()
    sender = send(line, [bytes_ for bytes_, _ in requests])
    for number, (_, events) in enumerate(requests):
        found = accepted(read(number, line.answer()))
        check(found == events, kind, "answer", number, "is that of another batch:", found, "events for", events)
    took = time.monotonic() - begun
    sender.join()
    syncs = disk.syncs - before
    check(syncs < len(requests) / 5, kind, len(requests), "batches took", syncs, "syncs")
    say(f"{kind}: {len(requests)} batches by {syncs} syncs in {took:.2f} s")
    return sum(events for _, events in requests)


def seal(house, *words):
    """Messages that are sealed for the daemon."""
    keys = house.get("/v1/ohttp-keys")[2]
    return [Client(keys[:2 + int.from_bytes(keys[:2], "big")], "x25519", "aes128", padded(each)) for each in words]


def sealed_batches(house, count):
    batches = [batch(number) for number in range(count)]
    bodies = [message("POST", "/v1/batches", body, {"content-type": "application/json"}) for body, _ in batches]
    return list(zip(seal(house, *bodies), (events for _, events in batches)))


def outer(client):
    return request("POST", "/v1/ohttp", client.bytes, "content-type: message/ohttp-req")


def opened(client, answer):
    status, _, body = answer
    check(status == 200, "what was sealed is answered with", status, body)
    return parsed(client.open(body))


def among_others(house):
    """Requests of all kinds between batches: each waits for those before it."""
    preview = json.dumps({"app": "shop", "purpose": "product", "context": {}, "events": [shop.event()]}).encode()
    clients, asked_inside = sealed_batches(house, 20), seal(house, message("GET", "/v1/plan/shop"))[0]
    total = 0
    with house.line() as line:
        sent, expected = [], []
        for round_ in range(20):
            for number in range(3):
                bytes_, events = asked(3 * round_ + number)
                sent.append(bytes_)
                expected.append((202, events))
            client, events = clients[round_]
            sent += [request("GET", "/healthz"), request("POST", "/v1/batches", b"{"), outer(client),
                     request("POST", "/v1/preview", preview), request("GET", "/nowhere"), asked(round_)[0]]
            expected += [(200, None), (400, None), (client, events), (200, None), (404, None), (202, 1 + round_ % 7)]
        sender = send(line, sent)
        for place, (status, events) in enumerate(expected):
            found = line.answer()
            if isinstance(status, Client):
                found = opened(status, found)
                status = 202
            check(found[0] == status, "answer", place, "among others is", found, "and not", status)
            if events is not None:
                check(json.loads(found[2])["accepted"] == events, "answer", place, "is of another batch")
                total += events
        sender.join()
        # A request for the router waits for the batches before it, also where it came sealed.
        sender = send(line, [asked(1)[0], outer(asked_inside), asked(2)[0]])
        check(accepted(line.answer()) == 2, "the batch before what was sealed")
        check(opened(asked_inside, line.answer())[0] == 200, "a plan that was asked for sealed")
        check(accepted(line.answer()) == 3, "the batch after what was sealed")
        sender.join()
    say("requests of other kinds among batches are answered in their places")
    return total + 5


def read_all(line):
    """Answers up to the end of the connection."""
    found = []
    while True:
        try:
            found.append(line.answer())
        except daemon.Failure:
            check(not line.rest, "a connection ends within an answer:", line.rest[:200])
            return found


def ends(house):
    """A client that half-closes gets all answers; behind `connection: close` nothing is taken."""
    with Line(house.port) as line:
        sender = send(line, [asked(number)[0] for number in range(300)])
        sender.join()
        line.socket.shutdown(socket.SHUT_WR)
        total = sum(accepted(answer) for answer in read_all(line))
        check(total == sum(1 + number % 7 for number in range(300)), "who half-closed was answered for", total)
    with Line(house.port) as line:
        parts = [asked(number)[0] for number in range(50)] + [asked(50, "connection: close")[0]]
        send(line, parts + [asked(60)[0]] * 20).join()
        found = read_all(line)
        check(len(found) == 51 and found[50][1].get("connection") == "close", "after its last request", len(found), found[-1:])
        check(not any(answer[1].get("connection") for answer in found[:50]), "an answer before the last one says that it is")
        total += sum(accepted(answer) for answer in found)
    # One that can't be read closes the connection, after the answers before it.
    with Line(house.port) as line:
        send(line, [asked(number)[0] for number in range(5)] + [b"POST /v1/batches HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n"]).join()
        found = read_all(line)
        check([answer[0] for answer in found] == [202] * 5 + [400], "before a bad one:", [answer[0] for answer in found])
        total += sum(accepted(answer) for answer in found[:5])
    say("half-closed, closed by the client, and bad at the end: all that was taken is answered")
    return total


def test():
    house = tls_house.House(scheme="https")
    disk = SlowDisk(house, SYNC)
    house.start()
    with house.line() as line:
        shared("TLS", disk, line, [asked(number) for number in range(COUNT)], lambda _, answer: answer)
    check(house.stop() == 0, "a stop")
    house = tls_house.House(scheme="http")
    disk = SlowDisk(house, SYNC)
    house.start()
    total = 0
    with Line(house.port, 120) as line:
        total += shared("plain", disk, line, [asked(number) for number in range(COUNT)], lambda _, answer: answer)
    clients = sealed_batches(house, 200)
    with Line(house.port, 120) as line:
        total += shared("sealed", disk, line, [(outer(client), events) for client, events in clients],
                        lambda number, answer: opened(clients[number][0], answer))
    total += among_others(house)
    total += ends(house)
    house.drain()
    check(shop.counted(house) == total, shop.counted(house), "events are counted of", total)
    check(house.stop() == 0, "a stop")
