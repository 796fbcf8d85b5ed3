"""What a device's client and a backend's sender have in common: the plan, the clock, coarsening, patience, requests."""

from __future__ import annotations

import collections
import dataclasses
import email.utils
import json
import logging
import random
import time
import urllib.parse
from typing import Any, Callable, Collection, Iterable, Mapping, Optional

from throng_buckets import Scalar, coarse, number, quarter
from throng_folder import NO_ANSWER, Answer, Transport, Way, fetch, is_sealed

_PLAN_AGE, _LONGEST_PAUSE, _LOG = 300, 300.0, 100
_SIGNALS = frozenset({"global_privacy_control", "do_not_track", "limit_ad_tracking", "age_signal"})
_LOGGER = logging.getLogger("throng")

# Events of a batch, each with its count.
Events = list[dict[str, Any]]


@dataclasses.dataclass(frozen=True)
class Sent:
    """A request as it left, byte for byte, and what came of it."""

    purpose: str
    path: str
    body: str
    status: int
    answer: Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Status:
    """How it stands.

    - waiting: events that are not answered yet.
    - counted: events that the daemon counted since the start; none of a test.
    - tested: events of a test since the start that the plan takes.
    - dropped: events that were not sent or not counted since the start, by reason; the daemon's reasons among them.
    - problem: why something waits, in words; None where nothing is wrong.
    - plan: the version of the plan that is followed; None as long as there is none.
    """

    waiting: int
    counted: int
    tested: int
    dropped: Mapping[str, int]
    problem: Optional[str]
    plan: Optional[str]


def opt_outs(signals: Iterable[str]) -> frozenset[str]:
    """Signals as a set. Raises ValueError where one is none that a plan can honour: an opt-out must not get lost."""
    found = frozenset([signals] if isinstance(signals, str) else signals)
    if not found <= _SIGNALS:
        raise ValueError(f"There is no signal {sorted(found - _SIGNALS)[0]!r}; there are {', '.join(sorted(_SIGNALS))}.")
    return found


def allows(purpose: Mapping[str, Any], consent: Mapping[str, int], signals: Collection[str]) -> bool:
    """Whether a purpose may count somebody, by the version of each purpose that they agreed to and the opt-outs that hold."""
    agreed = consent.get(purpose["name"], 0 if purpose["needs_consent"] else None)
    return not set(signals).intersection(purpose["refused_by"]) and (
        agreed is None or agreed >= (purpose.get("consent_version", 1) if purpose["needs_consent"] else 1))


def merge(event: dict[str, Any], queue: Events, limit: int) -> Events:
    """Adds an event to a queue; what happens again in the same quarter is a number. Returns what had to go."""
    for before in queue:
        if {**before, "count": 1} == {**event, "count": 1}:
            before["count"] = min(before["count"] + event.get("count", 1), 1_000_000)
            return []
    queue.append({"count": 1, **event})
    gone = queue[:-limit]
    del queue[:-limit]
    return gone


class Speaker:
    """Speaks with a daemon by the plan of an app.

    - state: what is remembered; its members are those of `throng_folder.fresh`.
    """

    def __init__(self, url: str, app: str, *, context: Optional[Mapping[str, Scalar]] = None, key: Optional[str] = None,
                 secret: Optional[str] = None, gateway: Optional[str] = None, test: bool = False,
                 clock: Callable[[], float] = time.time, transport: Transport = fetch, state: dict[str, Any]) -> None:
        address = urllib.parse.urlsplit(url)
        is_here = address.scheme == "http" and address.hostname in ("127.0.0.1", "::1", "localhost")
        if address.scheme != "https" and not is_here:
            raise ValueError("The daemon's address must begin with https://, or be http:// on this machine.")
        self._way, self._app, self._clock, self._pin = Way(url, transport, secret), app, clock, gateway
        self._context, self._key, self._test, self._state = dict(context or {}), key, test, state
        self._log: collections.deque[Sent] = collections.deque(maxlen=_LOG)
        self._dropped: collections.Counter[str] = collections.Counter()
        self._taken = 0
        self._failure = "An attempt failed before the start"
        self._said: set[str] = set()

    # What an app may show

    @property
    def waiting(self) -> int:
        """Events that are not answered yet."""
        raise NotImplementedError

    @property
    def status(self) -> Status:
        """How it stands, in numbers and words."""
        plan = self._state["plan"]
        pauses = [self._pause_of(patience) for patience in list(self._state["patience"].values())]
        problem = (f"{self._failure}; the next attempt is in {min(pauses):.0f} s." if pauses else
                   None if plan else f"There is no plan of the app {self._app} yet.")
        counted, tested = (0, self._taken) if self._test else (self._taken, 0)
        return Status(self.waiting, counted, tested, dict(+self._dropped), problem, plan and plan.get("version"))

    @property
    def log(self) -> list[Sent]:
        """The last hundred requests as they left, with their answers."""
        return list(self._log)

    def preview(self, event: str, fields: Optional[Mapping[str, Scalar]] = None) -> dict[str, Any]:
        """What the daemon would count of an event, by purpose; nothing is counted.

        Raises OSError or http.client.HTTPException where no answer came.
        """
        answers = {}
        for purpose in self._purposes():
            found = self._event(purpose, event, fields or {}, self._now())
            if found is not None:
                body = {"app": self._app, "purpose": purpose["name"], "events": [found]}
                answers[purpose["name"]] = self._post("/v1/preview", json.dumps(body)).json()
        return answers

    # The plan

    def _purposes(self) -> list[dict[str, Any]]:
        return self._state["plan"]["purposes"] if self._state["plan"] else []

    def _learn(self, anew: bool = False) -> bool:
        """Asks for the plan, and what time it is, where what is known is old."""
        now = self._clock()
        known = self._state
        if not anew and known["plan"] and 0 <= now - known["asked"] < _PLAN_AGE or self._must_wait("plan"):
            return False
        headers = {"accept": "application/json"}
        # Through the relay once there is one: an address at a time that a batch gives away, as when it is refused, would be that
        # batch's. And without the tag, which could be one of the device's own.
        sealed = bool(known["plan"] and known["plan"].get("relay") and (self._pin or known["gateway"]))
        if known["plan"] and known["tag"] and not anew and not sealed:
            headers["if-none-match"] = known["tag"]
        try:
            answer = self._ask("GET", f"/v1/plan/{urllib.parse.quote(self._app)}", None, headers, sealed)
        except NO_ANSWER:
            return self._be_patient("plan", None)
        plan = answer.json() if answer.status == 200 else None
        if answer.status != 304 and not (plan and plan.get("app") == self._app and isinstance(plan.get("purposes"), list)):
            return self._be_patient("plan", answer)
        known["patience"].pop("plan", None)
        known["asked"], known["gateway"] = now, answer.headers.get("throng-gateway", known["gateway"])
        if plan:
            known["plan"], known["tag"] = plan, answer.headers.get("etag")
            self._are_purposes(known["consent"])
            fields = {field for purpose in plan["purposes"] for event in purpose["events"] for field in event["fields"]}
            for field in sorted(set(self._context) - fields):
                self._say(f"The plan of the app {self._app} has no field {field}, which the context has.")
        date = email.utils.parsedate_tz(answer.headers.get("date", ""))
        if date:
            ahead = email.utils.mktime_tz(date) - now
            self._correct(ahead if abs(ahead) > 60 else 0.0)
        self._save()
        return True

    def _correct(self, correction: float) -> None:
        """Puts the clock right, and what waits to when it really happened, never beyond now."""
        raise NotImplementedError

    def _metrics(self, purpose: Mapping[str, Any], event: str) -> list[dict[str, Any]]:
        return [metric for metric in self._state["plan"]["metrics"]
                if metric["purpose"] == purpose["name"] and event in metric["events"] and not metric.get("answered")]

    def _counting(self, event: str) -> list[dict[str, Any]]:
        """The purposes that count such events."""
        return [purpose for purpose in self._purposes() if any(each["name"] == event for each in purpose["events"])]

    # Events

    def _event(self, purpose: Mapping[str, Any], name: str, given: Mapping[str, Scalar], at: float) -> Optional[dict[str, Any]]:
        """An event as a purpose may have it; None where it may not."""
        known = next((event for event in purpose["events"] if event["name"] == name), None)
        metrics = self._metrics(purpose, name)
        if known is None or not metrics:
            return None
        summed = {part["field"] for metric in metrics for part in metric["sums"] + [metric.get("histogram")] if part}
        fields: dict[str, Scalar] = {}
        for field in known["fields"]:
            value, label = given.get(field, self._context.get(field)), None
            readers = [each for each in self._state["plan"]["dimensions"] if each["field"] == field]
            try:
                if field in summed:
                    label = number(value)
                elif value is not None:
                    label = coarse(readers, value)
                is_valid = label is not None or field not in summed
            except (OverflowError, TypeError, ValueError):
                is_valid = False
            if not is_valid:
                self._dropped["invalid_value"] += 1
                what = "number, such as 24.9" if field in summed else "text, number or flag"
                self._say(f"Events {name} are not counted where their field {field} is no {what}.")
                return None
            if label is not None:
                fields[field] = label
        return {"event": name, "at": quarter(at), "fields": fields}

    def _is_planned(self, name: str, given: Iterable[str]) -> bool:
        """Whether some purpose counts such an event with such fields."""
        events = [event for purpose in self._purposes() for event in purpose["events"] if event["name"] == name]
        odd = sorted(set(given).difference(*(event["fields"] for event in events)))
        if not events or odd:
            self._dropped["unknown_field" if events else "unknown_event"] += 1
            what = f" with the field {odd[0]}" if events else ""
            self._say(f"Events {name}{what} are not counted: the plan of the app {self._app} has no such.")
        return bool(events) and not odd

    def _are_purposes(self, names: Iterable[str]) -> None:
        """Says where what a person agreed to, or took back, is no purpose."""
        known = [purpose["name"] for purpose in self._purposes()]
        for name in set(names).difference(known) if known else ():
            self._say(f"The plan of the app {self._app} has no purpose {name}; it has {', '.join(known)}.")

    def _say(self, text: str) -> None:
        """Tells the developer, each thing once."""
        if text not in self._said and len(self._said) < _LOG:
            self._said.add(text)
            _LOGGER.warning("%s", text)

    def _is_sampled(self, metrics: Iterable[Mapping[str, Any]]) -> bool:
        return random.random() < max(metric["sampling"] for metric in metrics)

    def _note(self, events: Events, reason: str) -> None:
        """Counts events that are dropped."""
        if events:
            self._dropped[reason] += sum(event.get("count", 1) for event in events)

    def _take_in(self, answer: Answer, events: Events) -> bool:
        """Notes what the daemon said of a batch that it answered with 202; whether it wants consent anew."""
        found = answer.json()
        refused = {each["index"]: str(each.get("reason")) for each in found["refused"]
                   if isinstance(each, dict) and each.get("index") in range(len(events))}
        for index, reason in refused.items():
            self._note([events[index]], reason)
        self._taken += sum(event.get("count", 1) for index, event in enumerate(events) if index not in refused)
        return "consent_outdated" in refused.values()

    # Patience

    def _now(self) -> float:
        return self._clock() + self._state["correction"]

    def _must_wait(self, what: str) -> bool:
        return self._pause_of(self._state["patience"].get(what)) > 0

    def _pause_of(self, patience: Optional[list[float]]) -> float:
        """How long it is to wait. What is farther off than it was at first is the clock's fault, which was set back."""
        left = patience[1] - self._clock() if patience else 0.0
        return left if patience and 0 < left <= patience[-1] + 1 else 0.0

    def _be_patient(self, what: str, answer: Optional[Answer]) -> bool:
        """Notes that nothing is tried for a while: twice as long each time, and no less than Retry-After. Returns False."""
        failures = self._state["patience"].get(what, [0, 0])[0] + 1
        pause = min(2.0 ** failures, _LONGEST_PAUSE) * random.uniform(0.5, 1.5)
        asked = answer.headers.get("retry-after", "") if answer else ""
        pause = max(pause, min(float(asked), 86_400.0) if asked.isdecimal() else 0)  # A day at most.
        self._state["patience"][what] = [failures, self._clock() + pause, pause]
        self._failure = f"The daemon answered {answer.status} {answer.json().get('error', '')}".strip() if answer else "No answer came"
        self._save()
        return False

    # Requests

    def _post(self, path: str, body: str, query: str = "") -> Answer:
        name = json.loads(body)["purpose"]
        sealed = self._was_sealed(path, name) or any(
            is_sealed(purpose) for purpose in self._purposes() if purpose["name"] == name)
        answer = self._ask("POST", path if sealed else path + query, body.encode(), {"content-type": "application/json"}, sealed)
        self._log.append(Sent(name, path, body, answer.status, answer.json()))
        return answer

    def _was_sealed(self, path: str, purpose: str) -> bool:
        """Whether what was shown sealed goes here: in no other way later, whatever a later plan says."""
        raise NotImplementedError

    def _ask(self, method: str, path: str, body: Optional[bytes], headers: Mapping[str, str], sealed: bool) -> Answer:
        through = (self._state["plan"].get("relay"), self._pin or self._state["gateway"]) if sealed else None
        return self._way.ask(method, path, body, headers, through)

    def _save(self) -> None:
        raise NotImplementedError
