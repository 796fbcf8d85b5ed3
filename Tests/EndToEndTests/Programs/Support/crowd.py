"""A seeded crowd: real browsers and real shopping from Deploy/sample, shifted in time, with everything in between that a
daemon meets: repeats, refused events, odd values, devices that change their story."""

import csv
import gzip
import json
import os
import random
import re
import time

import yaml

import daemon

AGENT_TESTS = "/usr/share/uap-core/tests/test_ua.yaml"

# Of a browser, and of no program, by Throng's rules and by uap-core's.
BROWSER = re.compile(r"(?:Mozilla|Opera)/(?!.*(?:://|@|bot|crawl|spider|compatible|\bvia |BSD Four|BSD/SYSV|monitor| Goo|rival))", re.IGNORECASE | re.DOTALL)


def devices():
    with gzip.open(os.path.join(daemon.SAMPLE, "devices.ndjson.gz"), "rt") as file:
        return [json.loads(line) for line in file]


def sessions():
    """Lists of (event, second of the day), with channel and lifecycle."""
    found = {}
    with gzip.open(os.path.join(daemon.SAMPLE, "shop.csv.gz"), "rt") as file:
        for row in csv.DictReader(file):
            clock = row["timestamp"].split(" ")[1].split(":")
            second = int(clock[0]) * 3600 + int(clock[1]) * 60 + int(clock[2])
            session = found.setdefault(row["session_id"], (row["acquisition_channel"], row["user_lifecycle"], []))
            session[2].append((row["event"], second))
    return list(found.values())


def rare_agents(random):
    """uap-core's own examples: browsers that the sample does not have, and no programs, of which Throng knows more."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    cases = yaml.load(daemon.read(AGENT_TESTS), Loader=loader)["test_cases"]
    agents = [case["user_agent_string"] for case in cases]
    return random.sample([each for each in agents if len(each) < 1000 and BROWSER.match(each)], 150)


def stamp(at, random):
    """Unix seconds as RFC 3339, in any of its ways."""
    way = random.random()
    shift = 0 if way < 0.8 else 7200 if way < 0.9 else -19800
    text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at + shift))
    zone = "Z" if shift == 0 else "+02:00" if shift > 0 else "-05:30"
    if way < 0.1:
        return text.replace("T", " ") + ".999" + zone
    return text + zone if way > 0.15 else text.lower() + "z"


class Crowd:
    """`sequences` holds a list of batches for each identifier, purpose and window; they are sent in their order."""

    def __init__(self, count, rotations, now, seed):
        self.random = random.Random(seed)
        self.now = now
        self.rotations = rotations
        everything = devices()
        walks = sessions()
        rare = rare_agents(self.random)
        self.sequences = []
        self.events = 0
        for _ in range(count):
            device = dict(self.random.choice(everything))
            if self.random.random() < 0.06:
                device["user_agent"] = self.random.choice(rare)
            walk = [self.random.choice(walks) for _ in range(self.random.choice((1, 1, 2)))]
            for purpose in rotations:
                self.add(device, self.random.choice(everything), walk, purpose)
        self.random.shuffle(self.sequences)

    # Parts

    def context(self, purpose, device, channel, lifecycle):
        chance = self.random.random()
        width, height = device["screen_width"], device["screen_height"]
        screen = f"{width}x{height}" if chance < 0.95 else f"{width}X{height}" if chance < 0.97 else "0x0"
        agent = device["user_agent"]
        if agent and chance > 0.99:
            # What lies behind the first 1,024 bytes is not read.
            agent = "-" * 1025 + agent
        fields = {
            "product": {"user_agent": agent, "screen": screen, "channel": channel, "lifecycle": lifecycle},
            "marketing": {
                "user_agent": agent, "screen": screen, "memory_gb": device["device_memory_gb"],
                "cores": device["hardware_concurrency"], "channel": channel},
            "support": {"locale": self.random.choice(["de-AT", "de", "EN_us", "fr,en;q=0.5", "it-IT", "deé", 3, None])},
        }[purpose]
        if purpose == "marketing" and chance < 0.03:
            fields["memory_gb"] = str(fields["memory_gb"])
        if chance > 0.98:
            fields["channel" if "channel" in fields else "locale"] = self.random.choice(
                [7, True, 7.0, "Search", "other", "no such channel", None])
        for name in [name for name in fields if self.random.random() < 0.02]:
            del fields[name]
        if self.random.random() < 0.004:
            fields["shoe_size"] = 43
        elif self.random.random() < 0.004 and "user_agent" in fields:
            fields["user_agent"] = [fields["user_agent"]]
        return fields

    def time(self, second):
        """A moment of yesterday mostly; or of today, or of the day before, within 47 hours."""
        today = self.now - self.now % 86400
        chance = self.random.random()
        if chance < 0.6:
            return today - 86400 + second
        if chance < 0.85:
            return today + second % max(1, self.now - today)
        first = self.now - 47 * 3600
        last = today - 86400
        return first + second % (last - first) if first < last else today - 86400 + second

    def fields(self, name, purpose):
        if name != "purchase" or purpose != "product":
            return {"color": "red"} if self.random.random() < 0.005 else {}
        cents = 500 + int(39_500 * self.random.random() ** 3)
        fields = {"amount": cents / 100, "balance": self.random.randrange(-300, 400) / 8}
        chance = self.random.random()
        if chance < 0.05:
            # Half a cent: rounds to even.
            fields["amount"] = self.random.choice([12.125, 12.375, 20, 50, 200, 0.005, 1e9, -5, 100.0])
        elif chance < 0.08:
            fields["amount"] = self.random.choice(["12", None, True])
        elif chance < 0.10:
            del fields["balance"]
        elif chance < 0.11:
            fields["amount"] = {"EUR": 3}
        elif chance < 0.13:
            fields["lifecycle"] = "new"
        return fields

    def event(self, name, second, purpose):
        event = {"event": name, "at": stamp(self.time(second), self.random)}
        chance = self.random.random()
        if chance < 0.01:
            event["event"] = self.random.choice(["logout", "Home", "purchase ", ""])
        elif purpose == "marketing" and chance > 0.96:
            # Its metric has expired.
            event["event"] = "banner"
        elif chance < 0.02:
            event["at"] = stamp(self.now - 48 * 3600 - self.random.randrange(600, 90_000), self.random)
        elif chance < 0.025:
            event["at"] = stamp(self.now + self.random.randrange(900, 90_000), self.random)
        fields = self.fields(name, purpose)
        if fields or chance > 0.9:
            event["fields"] = fields
        if self.random.random() < 0.08:
            event["count"] = self.random.choice([1, 2, 3, 1_000_000])
        return event

    def add(self, device, other, walk, purpose):
        current = self.now // self.rotations[purpose]
        windows = [current + self.random.choice((-1, 0, 0, 0, 1))]
        if self.random.random() < 0.05:
            # The same text in two windows is two identifiers.
            windows.append(current + self.random.choice((-1, 0, 1)))
        identifier = f"{self.random.getrandbits(128):032x}"
        if self.random.random() < 0.02:
            identifier = "ß" * 64
            identifier = identifier[:-8] + f"{self.random.getrandbits(32):08x}"
        known = {"home", "promo_page", "purchase"} if purpose == "marketing" else None
        for window in sorted(set(windows)):
            batches = []
            for channel, lifecycle, steps in walk:
                events = [self.event(name, second, purpose) for name, second in steps
                          if known is None or name in known or name in ("search", "filter_results")]
                if purpose == "support":
                    events = [event for event in events if event["event"] in (
                        "error_page", "payment_error", "checkout_bug", "support_chat", "cart", "logout")]
                # A session comes in one batch or in several; now and then under another browser's context.
                size = self.random.choice((3, 10, 100))
                for first in range(0, len(events), size):
                    shown = other if self.random.random() < 0.03 else device
                    batches.append({
                        "app": "bazaar", "batch": f"{self.random.getrandbits(128):032x}", "purpose": purpose,
                        "window": window, "id": identifier,
                        "context": self.context(purpose, shown, channel, lifecycle),
                        "events": events[first:first + size]})
                    self.events += len(batches[-1]["events"])
            if batches:
                self.sequences.append(batches)
