"""Drives the client for `throng conform python3 Deploy/clients/python/conform.py`, and with `sender` behind it the sender: a step a
line, as JSON, each answered with ok."""

from __future__ import annotations

import json
import os
import secrets
import sys
from typing import Any, Optional, Union

from throng_client import Client
from throng_sender import Sender


class Driver:
    """A client, and the clock that it is told."""

    def __init__(self, kind: type[Client] = Client) -> None:
        self.kind = kind
        self.client: Optional[Union[Client, Backend]] = None
        self.now = 0.0

    def start(self, step: dict[str, Any]) -> Union[Client, Backend]:
        return self.kind(step["url"], step["app"], step["directory"], signals=step["signals"], clock=lambda: self.now)

    def do(self, step: dict[str, Any]) -> None:
        what = step["do"]
        self.now = step.get("now", self.now)
        if what == "start":
            self.client = self.start(step)
        if self.client is None:
            raise SystemExit("The first step starts the client.")
        if what == "consent":
            self.client.set_consent(step["purpose"], step["given"], step["version"])
        elif what == "signals":
            self.client.set_signals(step["signals"])
        elif what == "record":
            self.client.record(step["event"], step["fields"])
        elif what == "send":
            self.client.send()


class Backend:
    """A backend with one account: it keeps the account's secret and what the person said, and the sender keeps nothing of these."""

    def __init__(self, step: dict[str, Any], driver: Driver) -> None:
        self.signals = step["signals"]
        self.path = os.path.join(step["directory"], "account.json")
        folder = os.path.join(step["directory"], "sender")
        self.sender = Sender(step["url"], step["app"], directory=folder, clock=lambda: driver.now)
        self.account = {"secret": secrets.token_hex(32), "consent": {}}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.account = json.load(file)
        self.keep()

    @property
    def person(self) -> bytes:
        return bytes.fromhex(self.account["secret"])

    def keep(self) -> None:
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.account, file)
        os.replace(self.path + ".new", self.path)

    def set_consent(self, purpose: str, given: bool, version: int) -> None:
        self.account["consent"][purpose] = version if given else 0
        self.keep()
        if not given:
            self.sender.take_back(self.person, purpose)

    def set_signals(self, signals: list[str]) -> None:
        self.signals = signals
        self.sender.take_back(self.person, signals=signals)

    def record(self, event: str, fields: dict[str, Any]) -> None:
        self.sender.record(self.person, event, fields, consent=self.account["consent"], signals=self.signals)

    def send(self) -> None:
        self.sender.send()


class BackendDriver(Driver):
    def start(self, step: dict[str, Any]) -> Backend:
        return Backend(step, self)


def main(driver: Driver) -> None:
    for line in sys.stdin:
        driver.do(json.loads(line))
        print("ok", flush=True)


if __name__ == "__main__":
    main(BackendDriver() if sys.argv[1:] == ["sender"] else Driver())
