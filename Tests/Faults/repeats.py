"""Row 8: a batch that comes again, at once, under kill -9 and after a restart, is counted once, with one answer. SimulationTests have
those that come when their window is over, and under a clock that jumps."""

import collections
import json
import threading
import time

import daemon
from clients import moved_in
from house import BATCH, check
from oracle import judge
from rows import Control, Row

COPIES = 100


def body_with_refusal(crowd, batch):
    """Its answer is one of a kind: one event more than any plan knows."""
    body = json.loads(crowd.body(batch))
    body["events"].insert(batch.place % BATCH, {"event": "unheard of", "at": crowd.at})
    return json.dumps(body).encode()


def post_at_once(house, body, answers, copies=COPIES):
    """Many connections post the same body in the same moment; what they are told, or None."""
    gate = threading.Barrier(copies)

    def work():
        connection = house.connect(seconds=60)
        try:
            connection.connect()
            gate.wait(60)
            connection.request("POST", "/v1/batches", body, {"content-type": "application/json"})
            response = connection.getresponse()
            answers.append((response.status, response.read()))
        except (OSError, daemon.http.client.HTTPException, threading.BrokenBarrierError):
            answers.append(None)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(copies)]
    for each in threads:
        each.start()
    return threads


def at_once(tally, chance):
    """A hundred times at once, the daemon killed under some of them, and again after the restart."""
    house, crowd = moved_in(chance)
    bodies = [(batch, body_with_refusal(crowd, batch)) for batch in (crowd.new() for _ in range(6))]
    answers = collections.defaultdict(list)
    for place, (batch, body) in enumerate(bodies):
        threads = post_at_once(house, body, answers[batch.id])
        if place == 3:
            time.sleep(chance.uniform(0, 0.1))
            house.kill()
        for each in threads:
            each.join()
        if place == 3:
            house.restart()
    house.kill()
    house.restart()
    for batch, body in bodies:
        for each in post_at_once(house, body, answers[batch.id]):
            each.join()
    for batch, _ in bodies:
        told = set(answers[batch.id]) - {None}
        check(len(told) == 1, "a repeated batch got", len(told), "answers:", list(told)[:3])
        status, text = told.pop()
        place = batch.place % BATCH
        check(status == 202 and json.loads(text) == {
            "accepted": BATCH, "refused": [
                {"index": place, "reason": "unknown_event", "detail": {"pointer": f"/events/{place}/event"}}]}, status, text)
        batch.status = 202
    house.finish()
    found = judge(crowd, tally)
    house.end()
    return found


def trials(tally, count, chance):
    for _ in range(count):
        tally.add(at_once(tally, chance))


def another_id(tally, chance):
    """The same events under another id are another batch."""
    house, crowd = moved_in(chance)
    batch = crowd.new()
    connection = house.connect()
    crowd.send(connection, batch)
    batch.id = "%032x" % chance.getrandbits(128)
    crowd.send(connection, batch)
    connection.close()
    house.finish()
    judge(crowd, tally)
    house.end()


ROWS = [
    Row("8", "the same batch again: at once, under kill -9, after a restart", 20, 1, trials,
        [Control("another id", another_id, "doubled")]),
]
