"""A Throng sender for backends: counts what many people do, for each with their consent, and stores nobody.

    sender = Sender("https://count.example.com", "shop", secret="as_…")
    sender.record("alice", "purchase", {"amount": 24.9}, consent={"marketing": 1}, signals={"global_privacy_control"})
    sender.send()                               # every few seconds, and before the end

The backend says with each event what the person agreed to and refused, as it knows it. A person is a name, or 32 random bytes that
the backend keeps with the account. A name's identifier is made by a random key of this process, one for each purpose and window, which is
forgotten with the window: then nobody can make the identifier again. The identifier of 32 bytes is the same in all processes, as a
device's would be.

Nothing is written down, unless `directory` names a folder. It has batches without an answer, as they go over the wire, and the windows'
keys; neither names nor secrets. The first `send` after a window removes what was the window's. Without a folder a process that ends
takes both along: its batches are lost, and people by name are others afterwards, who can't take back what they sent before.
"""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import hmac
import json
import os
import secrets
import threading
import time
from typing import Any, Callable, Collection, Iterable, Mapping, Optional, Union

from throng_buckets import Scalar, instant, period_of, quarter
from throng_folder import NO_ANSWER, Folder, Nowhere, Transport, fetch, fresh, identifier, is_sealed, slot_query
from throng_speaker import Events, Speaker, allows, merge, opt_outs

_AGE = 47 * 3600  # The daemon takes 48 hours.
_EVENTS = 500

# A name, or 32 random bytes that the backend keeps with the account.
Person = Union[str, bytes]
Consent = Mapping[str, Union[bool, int]]


def _check(person: Person) -> None:
    if not (person if isinstance(person, str) else isinstance(person, bytes) and len(person) == 32):
        raise ValueError("A person is a name as text, or 32 random bytes that the backend keeps with the account.")


@dataclasses.dataclass
class _Event:
    """What somebody did, and what they allowed then."""

    person: Person
    name: str
    fields: dict[str, Scalar]
    at: float
    consent: dict[str, int]
    signals: frozenset[str]


@dataclasses.dataclass(frozen=True)
class _TakenBack:
    """What somebody took back: a purpose, or all; all that honour a signal where there are signals."""

    person: Person
    purpose: Optional[str]
    signals: Optional[frozenset[str]]


class Sender(Speaker):
    """Speaks for many people about one app. Any thread may call it; one at a time sends.

    - url, secret, key, context, gateway, test, clock: as of `throng_client.Client`; context is true of all people.
    - directory: where batches without an answer outlive the process; nothing is written down without one.
    - limit: how many events may wait to be looked at, and how many people's to be sent; beyond it new ones are dropped.
    """

    def __init__(self, url: str, app: str, *, secret: Optional[str] = None, key: Optional[str] = None,
                 context: Optional[Mapping[str, Scalar]] = None, gateway: Optional[str] = None, test: bool = False,
                 directory: Optional[str] = None, limit: int = 100_000, clock: Callable[[], float] = time.time,
                 transport: Transport = fetch) -> None:
        super().__init__(url, app, context=context, key=key, secret=secret, gateway=gateway, test=test, clock=clock,
                         transport=transport, state=fresh())
        self._folder: Union[Folder, Nowhere] = Folder(directory) if directory else Nowhere()
        self._state |= {"withdrawals": {}, **self._folder.load()}
        self._limit = limit
        # What was said and not looked at yet. Any thread may add to it.
        self._inbox: collections.deque[Union[_Event, _TakenBack]] = collections.deque()
        # Events by purpose, person and the version that they agreed to.
        self._queues: dict[tuple[str, Person, int], Events] = {}
        # The keys of windows, and how often somebody took a purpose back in one: by purpose and window. Of windows in which an
        # earlier process had this folder only the most is known that anybody did.
        self._keys: dict[tuple[str, int], bytes] = {}
        self._marks: dict[tuple[str, int, str], int] = {}
        self._most: dict[tuple[str, int], int] = {}
        for purpose, window, key_text, most in self._state.pop("windows", []):
            self._most[purpose, window] = most
            if key_text:
                self._keys[purpose, window] = bytes.fromhex(key_text)
        self._earlier = dict(self._most)
        # The identifiers that were sent, by purpose and window, and whose events came back, by batch.
        self._used: dict[tuple[str, int], set[str]] = {}
        self._owners: dict[str, tuple[str, Person, int]] = {}
        # What somebody added to a metric without identifiers in its period: by metric, a hash by a key of this process.
        self._spent: dict[str, tuple[str, dict[bytes, int]]] = {}
        self._own, self._process, self._began = secrets.token_bytes(32), os.getpid(), clock()
        self._sending = threading.Lock()
        # True where the daemon has a plan by which people are to be asked again.
        self._is_outdated = False

    def close(self) -> None:
        """Gives the folder up, if there is one; batches without an answer stay there."""
        self._save()
        self._folder.close()

    # What a backend says

    def record(self, person: Person, event: str, fields: Optional[Mapping[str, Scalar]] = None, *,
               consent: Optional[Consent] = None, signals: Iterable[str] = ()) -> None:
        """Notes that somebody did something. Sends nothing.

        - consent: by purpose, the version of it that they agreed to, or whether they agreed to the first.
        - signals: the opt-outs that hold for them, such as those of the request that the backend answers.
        """
        _check(person)
        agreed = {purpose: int(version) for purpose, version in (consent or {}).items()}
        said = opt_outs(signals)
        self._begin()
        if len(self._inbox) >= self._limit:
            self._dropped["queue_full"] += 1
            return
        self._inbox.append(_Event(person, event, dict(fields or {}), self._now(), agreed, said))

    def take_back(self, person: Person, purpose: Optional[str] = None, *, signals: Optional[Collection[str]] = None) -> None:
        """What somebody took back: their consent to a purpose, or all; with signals all that honour one of these.

        With the next `send` what waits goes, and the daemon is asked for what open windows have. If they agree again they are
        somebody else.
        """
        _check(person)
        said = None if signals is None else opt_outs(signals)
        self._begin()
        self._inbox.append(_TakenBack(person, purpose, said))

    def _begin(self) -> None:
        """After a fork what waits is the former process's, which sends it. Raises RuntimeError where its folder is that one's, too."""
        if self._process == os.getpid():
            return
        self._folder.check()
        self._process, self._taken, self._sending = os.getpid(), 0, threading.Lock()
        self._state |= {"batches": {}, "withdrawals": {}}
        for each in (self._inbox, self._queues, self._owners, self._dropped, self._log):
            each.clear()

    @property
    def waiting(self) -> int:
        """Events that are not answered yet."""
        queued = [*self._queues.values(), *(batch["events"] for batch in list(self._state["batches"].values()))]
        recorded = [each for each in list(self._inbox) if isinstance(each, _Event)]
        return len(recorded) + sum(event["count"] for events in queued for event in list(events))

    def send(self) -> Optional[float]:
        """Sends what may be sent now.

        Returns the seconds until another call makes sense; None where nothing waits.
        """
        self._begin()
        with self._sending:
            return self._send()

    def _send(self) -> Optional[float]:
        self._learn()
        if not self._state["plan"]:
            return self._pause_of(self._state["patience"].get("plan"))
        self._sort()
        self._forget_windows()
        # What can't be sent now is in no window yet.
        if not self._must_wait("requests"):
            self._pack()
        # On disk before any of it goes out, where there is a disk: whatever happens now, it may have arrived.
        self._save()
        if self._send_all("withdrawals", "/v1/withdraw"):
            self._send_all("batches", "/v1/batches")
        if self._is_outdated:
            self._is_outdated = not self._learn(anew=True)
        self._save()
        is_waiting = self._queues or self._state["batches"] or self._state["withdrawals"]
        return self._pause_of(self._state["patience"].get("requests")) if is_waiting else None

    # Identifiers

    def _made(self, person: Person, purpose: str, window: int, mark: int) -> str:
        """128 bits of HMAC-SHA-256: by the person's own secret, or by the window's key."""
        text = f"\x1f{mark}" if mark else ""
        if isinstance(person, bytes):
            return identifier(person, purpose, window, text)
        key = self._keys.setdefault((purpose, window), secrets.token_bytes(32))
        return hmac.new(key, (person + text).encode(errors="surrogatepass"), hashlib.sha256).hexdigest()[:32]

    def _identifier(self, person: Person, purpose: str, window: int) -> str:
        first = self._made(person, purpose, window, 0)
        mark = self._marks.get((purpose, window, first), 0)
        return self._made(person, purpose, window, mark) if mark else first

    def _take_back(self, what: _TakenBack) -> None:
        self._are_purposes([what.purpose] if what.purpose else [])
        for purpose in self._purposes():
            name = purpose["name"]
            is_meant = what.purpose in (None, name) and (
                what.signals is None or not what.signals.isdisjoint(purpose["refused_by"]))
            if not is_meant or purpose.get("identifier") == "none":
                continue
            for queue in [known for known in self._queues if known[:2] == (name, what.person)]:
                self._note(self._queues.pop(queue), "withdrawn")
            now = int(self._now() // purpose["rotation_seconds"])
            for window in range(now - 1, now + 2):
                # Other processes may have used what is made of a secret; of a name nobody knows what they sent.
                if isinstance(what.person, bytes) or (name, window) in self._keys:
                    self._withdraw(what.person, purpose, window)
                is_earlier = window * purpose["rotation_seconds"] < self._began + self._state["correction"]
                if is_earlier and isinstance(what.person, str) and isinstance(self._folder, Nowhere):
                    self._say("What people by name took back stays counted where it was recorded before this process began: "
                              "a `directory` for each process, or 32 random bytes in the place of the name, take that back, too.")

    def _withdraw(self, person: Person, purpose: Mapping[str, Any], window: int) -> None:
        name, at = purpose["name"], (purpose["name"], window)
        place = (name, window, self._made(person, name, window, 0))
        # An earlier process may have used any of those up to the most.
        mark = self._marks.get(place, 0)
        last = max(mark, self._earlier.get(at, 0))
        for used in [self._made(person, name, window, each) for each in range(mark, last + 1)]:
            for each in [each for each, batch in self._state["batches"].items() if batch["place"] == [*at, used]]:
                self._end("batches", each, "withdrawn")
            if isinstance(person, str) and at not in self._earlier and used not in self._used.get(at, ()):
                continue
            self._marks[place] = last + 1
            self._most[at] = max(self._most.get(at, 0), last + 1)
            body = {"app": self._app, "purpose": name, "window": window, "id": used}
            self._state["withdrawals"][secrets.token_hex(16)] = {
                "body": json.dumps(body), "until": (window + 2) * purpose["rotation_seconds"], "events": []}

    def _forget_windows(self) -> None:
        """Forgets keys of windows that are over, and with them who was who; and batches that no daemon takes any more."""
        now = self._now()
        rotations = {purpose["name"]: purpose["rotation_seconds"] for purpose in self._purposes()}
        for known in (self._keys, self._used, self._marks, self._most, self._earlier):
            for place in [each for each in known if (each[1] + 2) * rotations.get(each[0], 0) <= now]:
                del known[place]
        for kind in ("batches", "withdrawals"):
            for each in [each for each, batch in self._state[kind].items() if batch["until"] <= now]:
                self._end(kind, each, "unanswered", returns=not self._state[kind][each].get("may_have_arrived", True))

    # Events

    def _sort(self) -> None:
        """Puts what was recorded into the queues of the purposes that may count it."""
        if not self._state["plan"]:
            return
        for _ in range(len(self._inbox)):
            each = self._inbox.popleft()
            if isinstance(each, _TakenBack):
                self._take_back(each)
            elif self._is_planned(each.name, each.fields):
                self._enqueue(each)

    def _enqueue(self, each: _Event) -> None:
        self._are_purposes(each.consent)
        allowed = [purpose for purpose in self._counting(each.name) if allows(purpose, each.consent, each.signals)]
        self._dropped["not_allowed"] += not allowed
        for purpose in allowed:
            event, metrics = self._event(purpose, each.name, each.fields, each.at), self._metrics(purpose, each.name)
            if not event or not self._is_sampled(metrics) or not self._has_room(each.person, purpose, metrics, each.at):
                continue
            # Nothing says whose an event is where there are no identifiers, here neither.
            person = "" if purpose.get("identifier") == "none" else each.person
            version = each.consent.get(purpose["name"], 0) if purpose["needs_consent"] else 0
            place = (purpose["name"], person, version)
            if place not in self._queues and len(self._queues) >= self._limit:
                self._note([event], "queue_full")
            else:
                self._note(merge(event, self._queues.setdefault(place, []), _EVENTS), "queue_full")

    def _has_room(self, person: Person, purpose: Mapping[str, Any], metrics: list[dict[str, Any]], at: float) -> bool:
        """Where there are no identifiers the daemon can't keep bounds: this process does, in the metric's period."""
        if purpose.get("identifier") != "none":
            return True
        plain = person if isinstance(person, bytes) else person.encode(errors="surrogatepass")
        who, tallies = hmac.new(self._own, plain, hashlib.sha256).digest(), []
        for metric in metrics:
            period = period_of(metric["period"], at, self._state["plan"]["time_zone"])
            if self._spent.get(metric["name"], ("",))[0] != period:
                self._spent[metric["name"]] = (period, {})
            tallies.append((self._spent[metric["name"]][1], metric["contribution_bound"]))
        has_room = all(tally.get(who, 0) < bound for tally, bound in tallies)
        for tally, _ in tallies if has_room else []:
            tally[who] = tally.get(who, 0) + 1
        self._dropped["contribution_bound"] += not has_room
        return has_room

    def _correct(self, correction: float) -> None:
        shift, self._state["correction"] = correction - self._state["correction"], correction
        if abs(shift) <= 60:
            return
        for each in list(self._inbox):
            if isinstance(each, _Event):
                each.at = min(each.at + shift, self._now())
        for queue in self._queues.values():
            for event in queue:
                event["at"] = quarter(min(instant(event["at"]) + shift, self._now()))

    # Batches

    def _pack(self) -> None:
        """Makes batches of what waits: bytes that stay as they are."""
        now, purposes = self._now(), {purpose["name"]: purpose for purpose in self._purposes()}
        queues, self._queues = self._queues, {}
        for (name, person, version), queue in queues.items():
            purpose = purposes.get(name)
            young = [event for event in queue if purpose and instant(event["at"]) >= now - _AGE]
            self._note([event for event in queue if event not in young], "too_old")
            for first in range(0, len(young), _EVENTS):
                self._pack_one(purpose, person, version, young[first:first + _EVENTS])

    def _pack_one(self, purpose: Mapping[str, Any], person: Person, version: int, events: Events) -> None:
        name, rotation, batch = purpose["name"], purpose["rotation_seconds"], secrets.token_hex(16)
        window = int(self._now() // rotation)
        body: dict[str, Any] = {"app": self._app, "purpose": name, "window": window, "batch": batch, "events": events}
        body |= ({"key": self._key} if self._key else {}) | ({"test": True} if self._test else {})
        if purpose.get("identifier") != "none":
            body["id"] = self._identifier(person, name, window)
            self._used.setdefault((name, window), set()).add(body["id"])
        if purpose["needs_consent"]:
            body["consent_version"] = version
        self._owners[batch] = (name, person, version)
        self._state["sealed"] = sorted({*self._state["sealed"], *[name] * is_sealed(purpose)})
        self._state["batches"][batch] = {
            "body": json.dumps(body), "events": events, "until": (window + 2) * rotation, "may_have_arrived": False,
            "place": [name, window, body.get("id")]}

    def _send_all(self, kind: str, path: str) -> bool:
        """Sends all that waits of a kind; whether each got an answer."""
        for each in list(self._state[kind]):
            if self._must_wait("requests"):
                return False
            known = self._state[kind].get(each)
            if known and not self._send_one(kind, path, each, known):
                return False
        return True

    def _send_one(self, kind: str, path: str, each: str, known: dict[str, Any]) -> bool:
        before, known["may_have_arrived"] = known.get("may_have_arrived", False), True
        try:
            answer = self._post(path, known["body"], slot_query(known["body"]) if kind == "batches" else "")
        except NO_ANSWER:
            return self._be_patient("requests", None)
        word = answer.json().get("error")
        if answer.status != 202 and (not 400 <= answer.status < 500 or answer.status in (408, 429)):
            # Nothing of it was counted where the daemon says so; an earlier attempt may have been.
            known["may_have_arrived"] = before or answer.status != 503 and word != "network_quota"
            return self._be_patient("requests", answer)
        self._state["patience"].pop("requests", None)
        if kind == "batches" and answer.status == 202 and isinstance(answer.json().get("refused"), list):
            self._is_outdated |= self._take_in(answer, known["events"])
            self._end(kind, each, None)
            return True
        # Its events travel in another batch once the time is known, if it was the clock's fault.
        is_late = kind == "batches" and word == "window_out_of_range" and not before
        is_done = kind == "withdrawals" and answer.status == 202
        self._end(kind, each, None if is_done else str(word or "refused"), returns=is_late)
        return not is_late or self._learn_time()

    def _learn_time(self) -> bool:
        known = self._state["correction"]
        if not self._learn(anew=True) or self._state["correction"] == known:
            return False
        self._pack()
        self._save()
        return self._send_all("batches", "/v1/batches")

    def _end(self, kind: str, each: str, reason: Optional[str], returns: bool = False) -> None:
        """Ends a batch or a withdrawal; a batch's events travel in another one where none was counted and they have an owner."""
        known, owner = self._state[kind].pop(each), self._owners.pop(each, None)
        if returns and owner:
            for event in known["events"]:
                merge(event, self._queues.setdefault(owner, []), _EVENTS)
        elif reason:
            self._note(known["events"], reason)
        if reason and kind == "withdrawals":
            self._say(f"What somebody took back stays counted: {reason}.")

    def _was_sealed(self, path: str, purpose: str) -> bool:
        return path in ("/v1/batches", "/v1/withdraw") and purpose in self._state["sealed"]

    def _save(self) -> None:
        state = {name: self._state[name] for name in ("batches", "withdrawals", "patience", "correction", "sealed")}
        windows = [[*at, self._keys[at].hex() if at in self._keys else "", self._most.get(at, 0)]
                   for at in {**self._keys, **self._most}]
        # A process that ends here may have sent each of them.
        waiting = {each: {**batch, "may_have_arrived": True} for each, batch in state["batches"].items()}
        self._folder.save({**state, "batches": waiting, "windows": windows})
