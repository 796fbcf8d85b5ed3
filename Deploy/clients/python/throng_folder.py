"""What a client of Throng keeps in its folder, and how it asks a daemon."""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import http.client
import json
import os
import urllib.error
import urllib.request
from typing import Any, Callable, Mapping, Optional

# What is raised where no answer came.
NO_ANSWER = (OSError, http.client.HTTPException)
_LONGEST_ANSWER = 4 << 20


class Answer:
    """What came back: a status, headers with small letters, a body."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status, self.body = status, body
        self.headers = {name.lower(): value for name, value in headers.items()}

    def json(self) -> dict[str, Any]:
        try:
            found = json.loads(self.body)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


Transport = Callable[[str, str, Optional[bytes], Mapping[str, str]], Answer]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A network that leads elsewhere is no daemon, and gets nothing."""

    def redirect_request(self, *_: Any) -> None:
        return None


def fetch(method: str, url: str, body: Optional[bytes], headers: Mapping[str, str]) -> Answer:
    """One request, without redirects.

    Raises OSError or http.client.HTTPException where no answer came.
    """
    request = urllib.request.Request(url, body, dict(headers), method=method)
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=30) as answer:
            body = answer.read(_LONGEST_ANSWER)
            # What ends too early is no answer; reading up to a limit does not say so.
            if answer.length:
                raise http.client.IncompleteRead(body, answer.length)
            return Answer(answer.status, dict(answer.headers), body)
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, dict(error.headers), error.read(_LONGEST_ANSWER))


class Way:
    """How requests get to a daemon: directly, or sealed through its plan's relay, and then in no other way."""

    def __init__(self, url: str, transport: Transport, secret: Optional[str] = None) -> None:
        self._url, self._transport = url.rstrip("/"), transport
        self._shown = {"authorization": f"Bearer {secret}"} if secret else {}
        self._relay: Any = None

    def ask(self, method: str, path: str, body: Optional[bytes], headers: Mapping[str, str],
            through: Optional[tuple[Optional[str], Optional[str]]] = None) -> Answer:
        """One request.

        - through: a relay's address, and who the gateway behind it is; None for a request that goes directly.

        Raises what the transport raises, and OSError where there is no relay, or nobody said who the gateway is.
        """
        headers = {**headers, **(self._shown if path.split("?")[0] == "/v1/batches" else {})}
        if through is None:
            return self._transport(method, self._url + path, body, headers)
        # It needs `cryptography`, which those who send nothing through a relay need not have.
        import throng_oblivious
        relay, gateway = through
        if not relay or not gateway:
            raise throng_oblivious.Unsealed("There is no relay to go through.")
        if self._relay is None or self._relay.address != relay:
            self._relay = throng_oblivious.Relay(relay, self._transport)
        return self._relay.ask(gateway, method, path, body, headers)


def slot_query(body: str) -> str:
    """What the address of a batch ends with, so that a balancer before several daemons can save them a hop; empty without an id."""
    name = json.loads(body).get("id")
    return f"?slot={hashlib.sha256(name.encode()).digest()[0]}" if name else ""


def is_sealed(purpose: Mapping[str, Any]) -> bool:
    """Whether what is sent for a purpose of the public plan goes through its relay, or not at all."""
    return purpose.get("transport") == "oblivious"


def fresh() -> dict[str, Any]:
    """What a device remembers that has done nothing yet."""
    return {"secret": "", "consent": {}, "queues": {}, "batches": {}, "patience": {}, "used": {}, "marks": {}, "spent": {},
            "withdrawals": [], "plan": None, "tag": None, "asked": 0.0, "correction": 0.0, "gateway": None, "sealed": []}


def identifier(secret: bytes, purpose: str, window: int, mark: str = "") -> str:
    """The identifier of a device for a purpose and a window: without the secret, two of them are two random numbers."""
    text = f"identifier\x1f{purpose}\x1f{window}{mark}"
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()[:32]


class Folder:
    """A folder with `state.json`, for one client at a time."""

    def __init__(self, path: str) -> None:
        """Raises BlockingIOError where another client has the folder."""
        os.makedirs(path, mode=0o700, exist_ok=True)
        self._path = os.path.join(path, "state.json")
        self._lock = os.open(self._path + ".lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._lock)
            raise BlockingIOError(error.errno, "Another client or process uses this directory; give each its own", path) from None
        self._process = os.getpid()

    def check(self) -> None:
        """Raises RuntimeError in a process that was forked, as two would send what is here."""
        if self._process != os.getpid():
            raise RuntimeError("A folder belongs to the process that opened it: after a fork open another one in each process.")

    def close(self) -> None:
        """Gives the folder up."""
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1

    def load(self) -> dict[str, Any]:
        """What was saved last; nothing where there is none, or it is damaged: the device is another one then, and asks again."""
        try:
            with open(self._path, encoding="utf-8") as file:
                found = json.load(file)
        except (FileNotFoundError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def save(self, state: Mapping[str, Any]) -> None:
        """Whole or not at all, through a loss of power."""
        self.check()
        new = os.open(self._path + ".new", os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with open(new, "w", encoding="utf-8") as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self._path + ".new", self._path)
        folder = os.open(os.path.dirname(self._path), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


class Nowhere:
    """In the place of a folder: nothing is written down."""

    def check(self) -> None:
        pass

    def load(self) -> dict[str, Any]:
        return {}

    def save(self, state: Mapping[str, Any]) -> None:
        pass

    def close(self) -> None:
        pass
