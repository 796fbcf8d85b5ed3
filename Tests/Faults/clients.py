"""The clients of one house, and what they know of each batch: what was said, and what was answered."""

import collections
import dataclasses
import http.client
import json
import threading
import time

from house import BATCH, CELLS, DEVICES, ROTATION, SIDE, House, Postgres, check, daemon


@dataclasses.dataclass
class Batch:
    """Twenty events in twenty cells that nobody else touches."""
    place: int
    id: str
    device: int
    # 202 once it was acknowledged.
    status: int = None
    # What the oracle has said of it already.
    judged: str = None

    @property
    def cells(self):
        return range(self.place * BATCH, self.place * BATCH + BATCH)


class Crowd:
    """The clients of one house, and what they know. One crowd lives as long as its house's data."""

    def __init__(self, house, chance, now=None):
        self.house, self.chance = house, chance
        self.batches, self.threads, self.lock, self.failure = [], [], threading.Lock(), None
        # Whose the next batches are.
        self.devices = range(DEVICES)
        self.window = int(now or time.time()) // ROTATION
        self.at = daemon.instant(now)
        self.answers = collections.Counter()

    @property
    def has_room(self):
        """Whether there are cells left for another trial; one may take as many again."""
        return len(self.batches) * BATCH < CELLS // 2

    def body(self, batch):
        fields = [{"x": str(cell // SIDE // SIDE), "y": str(cell // SIDE % SIDE), "z": str(cell % SIDE)} for cell in batch.cells]
        events = [{"event": "hit", "at": self.at, "fields": each} for each in fields]
        return json.dumps({
            "app": "faults", "purpose": "product", "window": self.window, "batch": batch.id, "id": f"device {batch.device}",
            "context": {}, "events": events}).encode()

    def new(self):
        with self.lock:
            place = len(self.batches)
            check((place + 1) * BATCH <= CELLS, "the house has no cells left")
            batch = Batch(place, "%032x" % self.chance.getrandbits(128), self.chance.choice(self.devices))
            self.batches.append(batch)
            return batch

    def connect(self, seconds=30):
        return http.client.HTTPConnection("127.0.0.1", self.house.client_port, timeout=seconds)

    def send(self, connection, batch):
        """Posts once; the status. A refusal other than "not now" is an error of the test."""
        connection.request("POST", "/v1/batches", self.body(batch), {"content-type": "application/json"})
        response = connection.getresponse()
        text = response.read()
        self.answers[response.status] += 1
        if response.status == 202:
            check(json.loads(text)["accepted"] == BATCH, "a batch was refused in part:", text)
            batch.status = 202
        else:
            check(response.status == 503, "status", response.status, text)
            check(response.getheader("retry-after"), "503 does not say when to come again")
        return response.status

    def post(self, count):
        """So many new batches, one after the other; what each was answered."""
        connection = self.connect()
        statuses = [self.send(connection, self.new()) for _ in range(count)]
        connection.close()
        return statuses

    def run(self, most, **how):
        """Clients that send so many batches each."""
        self.start(most=most, **how)
        self.join()

    def start(self, clients=4, most=10**9, pause=0):
        """Clients that send new batches until the daemon goes away, `stop` is called, or each has sent `most`."""
        self.is_stopping, self.failure = False, None

        def work():
            connection = self.connect()
            try:
                for _ in range(most):
                    # One place for each client that comes this far at the same time.
                    if self.is_stopping or (len(self.batches) + clients) * BATCH > CELLS:
                        return
                    if self.send(connection, self.new()) == 503:
                        time.sleep(0.05)
                    elif pause:
                        time.sleep(pause)
            except (OSError, http.client.HTTPException):
                return
            except Exception as error:
                self.failure = error
            finally:
                connection.close()

        self.threads = [threading.Thread(target=work) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.is_stopping = True
        self.join()

    def join(self):
        for thread in self.threads:
            thread.join()
        if self.failure:
            raise self.failure

    def retry(self, share=0.5, seconds=60):
        """As clients do: sends some of what has no answer again, under the same id, until it is acknowledged; and some of
        what has one, which must change nothing."""
        again = [batch for batch in self.batches if batch.status != 202 and self.chance.random() < share]
        again += [batch for batch in self.batches[-40:] if batch.status == 202 and self.chance.random() < 0.2]
        deadline = time.monotonic() + seconds
        connection = self.connect()
        for batch in again:
            while not self.is_taken(connection, batch):
                check(time.monotonic() < deadline, "a batch was not acknowledged in time\n" + self.house.log_text()[-3000:])
                time.sleep(0.05)
        connection.close()

    def is_taken(self, connection, batch):
        """Whether it is acknowledged. A connection may be closed between two requests: who waited at a start is let go once the
        daemon counts."""
        try:
            return self.send(connection, batch) == 202
        except (OSError, http.client.HTTPException):
            # The next request opens another.
            connection.close()
            return False


def moved_in(chance, postgres=None, **settings):
    """A house that runs, and its clients."""
    house = House(postgres or Postgres.shared(), **settings)
    house.restart()
    return house, Crowd(house, chance)
