"""A Throng client for Python: counts what an app does, as a crowd.

    client = Client("https://count.example.com", "shop", "/var/lib/app/throng")
    client.set_consent("marketing", True)
    client.record("purchase", {"amount": 24.9})
    client.send()                               # now and then, and before the end

Nothing leaves the device that the plan does not name, and that only as coarsely as the plan keeps it. Each purpose has an
identifier of its own in each window, made from a random secret. What waits is on disk, in `state.json`; a batch is sent byte
for byte until it is answered, so that it counts once. One client at a time has the folder. The standard library is all that it needs,
and `cryptography` where the plan wants something sealed and through a relay.
"""

from __future__ import annotations

import json
import secrets
import time
from typing import Any, Callable, Iterable, Mapping, Optional

from throng_buckets import Scalar, instant, period_of, quarter
from throng_folder import NO_ANSWER, Answer, Folder, Transport, fetch, fresh, identifier, is_sealed, slot_query
from throng_speaker import Speaker, allows, merge, opt_outs

_AGE = 47 * 3600  # The daemon takes 48 hours.
_QUEUE, _EVENTS = 1000, 500

# What the person agreed to, by purpose, and the opt-outs that held.
Permissions = tuple[dict[str, int], frozenset[str]]


class Client(Speaker):
    """One device's client for one app.

    - url: the daemon's address; plain http for this machine only.
    - directory: where state.json is; it belongs to this client alone.
    - context: what is true of the device and goes with each event whose metrics use it, such as {"screen": "390x844"}.
    - key: the app key that goes with each batch, where the operator has made one; it is no secret.
    - secret: what a backend shows with each batch, where the operator has made it one; never written into code.
    - test: whether the program is not in people's hands: the daemon checks and answers what it sends, and counts nothing.
    - signals: the opt-outs that hold, such as {"global_privacy_control", "limit_ad_tracking"}.
    - gateway: who is behind the plan's relay, where the program knows; learned with the first plan otherwise.
    - clock: unix time in seconds.
    """

    def __init__(self, url: str, app: str, directory: str, *, context: Optional[Mapping[str, Scalar]] = None,
                 signals: Iterable[str] = (), key: Optional[str] = None, secret: Optional[str] = None,
                 gateway: Optional[str] = None, test: bool = False, clock: Callable[[], float] = time.time,
                 transport: Transport = fetch) -> None:
        super().__init__(url, app, context=context, key=key, secret=secret, gateway=gateway, test=test, clock=clock,
                         transport=transport, state=fresh())
        self._signals = opt_outs(signals)
        # Events with their time, and what was allowed then.
        self._early: list[tuple[str, dict[str, Scalar], float, Permissions]] = []
        self._folder = Folder(directory)
        known = self._folder.load()
        # What a test noted is no other's: only what the person said is.
        is_same = known.get("test", False) == test
        self._state |= {**known, "test": test} if is_same else {"consent": known.get("consent", {}), "test": test}

    def close(self) -> None:
        """Gives the folder up; what waits stays there."""
        self._folder.close()

    # What an app says

    def set_consent(self, purpose: str, given: bool, version: int = 1) -> None:
        """What the person said about a purpose; version is the purpose's that they were asked about."""
        self._state["consent"][purpose] = version if given else 0
        self._are_purposes([purpose])
        self._hush()
        self._save()

    def set_signals(self, signals: Iterable[str]) -> None:
        """The opt-outs that hold from now on."""
        self._signals = opt_outs(signals)
        self._hush()
        self._save()

    def record(self, event: str, fields: Optional[Mapping[str, Scalar]] = None) -> None:
        """Notes that something happened. Sends nothing; what the plan does not name is dropped."""
        self._early.append((event, dict(fields or {}), self._now(), self._permissions()))
        self._dropped["queue_full"] += len(self._early[:-_QUEUE])
        del self._early[:-_QUEUE]
        self._sort()

    def forget(self) -> None:
        """Makes it another device: forgets all, the secret and what waits included.

        With the next `send` what was sent in open windows is taken back. What the person said is forgotten, too: a purpose that asks
        counts nothing until it is said again, others go on.
        """
        for purpose in self._purposes():
            self._withdraw(purpose)
        kept = {name: self._state[name] for name in ("withdrawals", "sealed")}
        self._state, self._early = {**fresh(), **kept, "test": self._test}, []
        self._log.clear()
        self._save()

    @property
    def waiting(self) -> int:
        """Events that are not answered yet."""
        queues = [*self._state["queues"].values(), *(batch["events"] for batch in self._state["batches"].values())]
        return len(self._early) + sum(event["count"] for queue in queues for event in queue)

    def send(self) -> Optional[float]:
        """Sends what may be sent now.

        Returns the seconds until another call makes sense; None where nothing waits.
        """
        self._learn()
        if not self._state["plan"]:
            return self._pause_of(self._state["patience"].get("plan"))
        self._sort()
        self._hush()
        self._take_back()
        for purpose in self._purposes():
            if self._allowed(purpose):
                while self._send(purpose):
                    pass
        self._save()
        pauses = [self._pause_of(self._state["patience"].get(name)) for name in
                  {*self._state["batches"], *(name for name, queue in self._state["queues"].items() if queue)}]
        pauses += [self._pause_of(self._state["patience"].get("withdraw"))] * bool(self._state["withdrawals"])
        return min(pauses, default=None)

    # The plan

    def _correct(self, correction: float) -> None:
        """Puts the clock right, and what waits to when it really happened, never beyond now."""
        shift, self._state["correction"] = correction - self._state["correction"], correction
        if abs(shift) <= 60:
            return
        self._early = [(name, given, min(at + shift, self._now()), by) for name, given, at, by in self._early]
        for queue in self._state["queues"].values():
            for event in queue:
                event["at"] = quarter(min(instant(event["at"]) + shift, self._now()))

    def _permissions(self) -> Permissions:
        return dict(self._state["consent"]), self._signals

    def _allowed(self, purpose: Mapping[str, Any], by: Optional[Permissions] = None) -> bool:
        return allows(purpose, *(by or self._permissions()))

    # Events

    def _sort(self) -> None:
        """Puts what was recorded into the queues of the purposes that may count it."""
        if not self._state["plan"]:
            return
        early, self._early = self._early, []
        for name, given, at, by in early:
            if not self._is_planned(name, given):
                continue
            allowed = [purpose for purpose in self._counting(name) if self._allowed(purpose) and self._allowed(purpose, by)]
            self._dropped["not_allowed"] += not allowed
            for purpose in allowed:
                event, metrics = self._event(purpose, name, given, at), self._metrics(purpose, name)
                if event and self._is_sampled(metrics) and self._has_room(purpose, metrics, at):
                    self._enqueue(purpose["name"], event)
        if early:
            self._save()

    def _has_room(self, purpose: Mapping[str, Any], metrics: list[dict[str, Any]], at: float) -> bool:
        """Where there are no identifiers the daemon can't keep bounds: the device does, in the metric's period."""
        if purpose.get("identifier") != "none":
            return True
        spent = self._state["spent"]
        for metric in metrics:
            period = period_of(metric["period"], at, self._state["plan"]["time_zone"])
            if spent.get(metric["name"], [""])[0] != period:
                spent[metric["name"]] = [period, 0]
        if any(spent[metric["name"]][1] >= metric["contribution_bound"] for metric in metrics):
            self._dropped["contribution_bound"] += 1
            return False
        for metric in metrics:
            spent[metric["name"]][1] += 1
        return True

    def _enqueue(self, purpose: str, event: dict[str, Any]) -> None:
        self._note(merge(event, self._state["queues"].setdefault(purpose, []), _QUEUE), "queue_full")

    # Batches

    def _send(self, purpose: Mapping[str, Any]) -> bool:
        """Sends a batch of a purpose; whether another one may follow at once."""
        name, state = purpose["name"], self._state
        batch = state["batches"].get(name)
        if batch and self._now() >= batch["until"]:
            self._note(batch["events"] if batch["may_have_arrived"] else [], "unanswered")
            self._settle(name, returns=not batch["may_have_arrived"])
            batch = None
        if self._must_wait(name):
            return False
        batch = batch or self._pack(purpose)
        if not batch:
            return False
        # On disk before it goes out: whatever happens now, it may have arrived.
        before, batch["may_have_arrived"] = batch["may_have_arrived"], True
        self._save()
        try:
            answer = self._post("/v1/batches", batch["body"], slot_query(batch["body"]))
        except NO_ANSWER:
            return self._be_patient(name, None)
        if answer.status == 202 and isinstance(answer.json().get("refused"), list):
            self._settle(name, returns=False)
            if self._take_in(answer, batch["events"]):
                self._learn(anew=True)
            return True
        if not 400 <= answer.status < 500 or answer.status in (408, 429):
            # Nothing of it was counted where the daemon says so; an earlier attempt may have been.
            batch["may_have_arrived"] = before or answer.status != 503 and answer.json().get("error") != "network_quota"
            return self._be_patient(name, answer)
        # Refused, so not counted: by a wrong clock, or directly, it travels in another batch once the time, or the plan, is known.
        word = answer.json().get("error")
        is_late = word == "window_out_of_range" and not before
        is_direct = word == "oblivious_only" and not batch.get("sealed")
        self._note([] if is_late or is_direct else batch["events"], word or "refused")
        self._settle(name, returns=is_late or is_direct)
        known = state["correction"]
        return (is_late or is_direct) and self._learn(anew=True) and (is_direct or state["correction"] != known)

    def _pack(self, purpose: Mapping[str, Any]) -> Optional[dict[str, Any]]:
        """Makes a batch of what waits: bytes that stay as they are."""
        name, now, state = purpose["name"], self._now(), self._state
        waiting = state["queues"].pop(name, [])
        queue = [event for event in waiting if instant(event["at"]) >= now - _AGE]
        self._note([event for event in waiting if instant(event["at"]) < now - _AGE], "too_old")
        events, rest = queue[:_EVENTS], queue[_EVENTS:]
        state["queues"] |= {name: rest} if rest else {}
        if not events:
            return None
        rotation = purpose["rotation_seconds"]
        window = int(now // rotation)
        body: dict[str, Any] = {
            "app": self._app, "purpose": name, "window": window, "batch": secrets.token_hex(16), "events": events}
        body |= ({"key": self._key} if self._key else {}) | ({"test": True} if self._test else {})
        if purpose.get("identifier") != "none":
            body["id"] = self._identifier(name, window)
            used = [each for each in state["used"].get(name, []) if (each[0] + 2) * rotation > now]
            state["used"][name] = used + [[window, body["id"]]] * ([window, body["id"]] not in used)
        if purpose["needs_consent"]:
            body["consent_version"] = state["consent"][name]
        state["batches"][name] = {"body": json.dumps(body), "events": events, "until": (window + 2) * rotation,
                                  "may_have_arrived": False, "sealed": is_sealed(purpose)}
        state["sealed"] = sorted({*state["sealed"], *[name] * is_sealed(purpose)})
        return state["batches"][name]

    def _settle(self, purpose: str, returns: bool) -> None:
        """Ends a batch; its events travel in another one where none was counted."""
        batch = self._state["batches"].pop(purpose)
        self._state["patience"].pop(purpose, None)
        for event in batch["events"] if returns else []:
            self._enqueue(purpose, event)

    def _identifier(self, purpose: str, window: int) -> str:
        """128 bits of HMAC-SHA-256 over purpose and window, and how often the purpose was taken back."""
        if not self._state["secret"]:
            self._state["secret"] = secrets.token_hex(32)
        mark = self._state["marks"].get(purpose, 0)
        return identifier(bytes.fromhex(self._state["secret"]), purpose, window, f"\x1f{mark}" if mark else "")

    # Taking back

    def _hush(self) -> None:
        """Where a purpose may not count any more: what waits goes, and what its open windows have is taken back."""
        for purpose in self._purposes():
            if not self._allowed(purpose):
                self._withdraw(purpose)

    def _withdraw(self, purpose: Mapping[str, Any]) -> None:
        name, state = purpose["name"], self._state
        for part in ("queues", "batches", "patience"):
            state[part].pop(name, None)
        used = state["used"].pop(name, [])
        state["marks"][name] = state["marks"].get(name, 0) + bool(used)
        state["withdrawals"] += [
            {"until": (window + 2) * purpose["rotation_seconds"],
             "body": json.dumps({"app": self._app, "purpose": name, "window": window, "id": used_id})}
            for window, used_id in used]

    def _take_back(self) -> None:
        state = self._state
        state["withdrawals"] = [each for each in state["withdrawals"] if self._now() < each["until"]]
        while state["withdrawals"] and not self._must_wait("withdraw"):
            try:
                answer: Optional[Answer] = self._post("/v1/withdraw", state["withdrawals"][0]["body"])
            except NO_ANSWER:
                answer = None
            if not answer or answer.status != 202 and not 400 <= answer.status < 500:
                self._be_patient("withdraw", answer)
                return
            if answer.status != 202:
                self._say(f"What was taken back stays counted: {answer.json().get('error', 'refused')}.")
            state["withdrawals"].pop(0)
            state["patience"].pop("withdraw", None)

    def _was_sealed(self, path: str, purpose: str) -> bool:
        return path == "/v1/withdraw" and purpose in self._state["sealed"] or (
            path == "/v1/batches" and self._state["batches"].get(purpose, {}).get("sealed", False))

    def _save(self) -> None:
        self._folder.save(self._state)
