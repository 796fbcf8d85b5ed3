"""Drives the client for `throng conform python3 Deploy/clients/python/conform.py`: a step a line, as JSON, each answered with ok."""

from __future__ import annotations

import json
import sys
from typing import Any, Optional

from throng_client import Client


class Driver:
    """A client, and the clock that it is told."""

    def __init__(self, kind: type[Client] = Client) -> None:
        self.kind = kind
        self.client: Optional[Client] = None
        self.now = 0.0

    def do(self, step: dict[str, Any]) -> None:
        what = step["do"]
        self.now = step.get("now", self.now)
        if what == "start":
            self.client = self.kind(
                step["url"], step["app"], step["directory"], signals=step["signals"], clock=lambda: self.now)
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


def main(kind: type[Client] = Client) -> None:
    driver = Driver(kind)
    for line in sys.stdin:
        driver.do(json.loads(line))
        print("ok", flush=True)


if __name__ == "__main__":
    main()
