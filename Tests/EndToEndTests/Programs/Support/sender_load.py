"""Clients: many connections that post batches until each is acknowledged."""

import gzip
import http.client
import json
import queue
import random
import threading
import time

from daemon import Failure, check

CONNECTIONS = 8


class Senders:
    """Post every sequence in its order; a batch that was not acknowledged is sent again under its id."""

    def __init__(self, house, sequences):
        self.house = house
        self.waiting = queue.SimpleQueue()
        for sequence in sequences:
            self.waiting.put(sequence)
        self.total = sum(map(len, sequences))
        self.acknowledged = self.retries = self.repeats = 0
        self.answers, self.failure, self.lock = {}, None, threading.Lock()
        self.threads = [threading.Thread(target=self.work, args=(place,)) for place in range(CONNECTIONS)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def join(self):
        for thread in self.threads:
            thread.join()
        if self.failure:
            raise self.failure

    def work(self, place):
        chance = random.Random(place)
        line, second = Line(self.house, self), Line(self.house, self)
        try:
            while not self.failure:
                try:
                    sequence = self.waiting.get_nowait()
                except queue.Empty:
                    return
                for batch in sequence:
                    body, headers = packed(batch, chance)
                    twin = None
                    if chance.random() < 0.02:
                        # The same batch over two connections at once.
                        twin = threading.Thread(target=self.deliver, args=(second, batch, body, headers))
                        twin.start()
                    self.deliver(line, batch, body, headers)
                    if twin:
                        twin.join()
                    if chance.random() < 0.04:
                        self.deliver(line, batch, body, headers)
        except Exception as error:
            self.failure = error

    def deliver(self, line, batch, body, headers):
        try:
            answer = line.post(body, headers)
        except Failure as failure:
            self.failure = failure
            return
        with self.lock:
            known = self.answers.setdefault(batch["batch"], answer)
            self.acknowledged = len(self.answers)
            self.repeats += known is not answer
            if known != answer:
                self.failure = Failure("a repeated batch got another answer:", known, answer)


class Line:
    """One connection, made again whenever it breaks."""

    def __init__(self, house, senders):
        self.house, self.senders, self.connection = house, senders, None

    def post(self, body, headers):
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            try:
                if self.connection is None:
                    self.connection = self.house.connect()
                self.connection.request("POST", "/v1/batches", body, headers)
                response = self.connection.getresponse()
                text = response.read()
                if response.status == 202:
                    return json.loads(text)
                check(response.status == 503, "status", response.status, text)
            except (OSError, http.client.HTTPException):
                if self.connection:
                    self.connection.close()
                self.connection = None
            self.senders.retries += 1
            time.sleep(0.05)
        raise Failure("a batch was not acknowledged within a minute")


def packed(batch, chance):
    body = json.dumps(batch, ensure_ascii=chance.random() < 0.5).encode()
    headers = {"content-type": "application/json"}
    if chance.random() < 0.3:
        body = gzip.compress(body, 1)
        headers["content-encoding"] = "gzip"
    return body, headers
