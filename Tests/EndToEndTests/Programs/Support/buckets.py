"""A dimension's buckets, read from the plan's YAML: every value has a label."""

import calendar
import datetime
import re

import agents

TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)$")
NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?$|[+-]?\.\d+([eE][+-]?\d+)?$")
WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
OPERATING_SYSTEMS = ["Windows", "macOS", "iOS", "Android", "Linux", "ChromeOS"]
MISSING = object()


def unix(text):
    match = TIME.match(text)
    seconds = calendar.timegm(tuple(map(int, match.groups()[:6])))
    if match[7] not in "Zz":
        seconds -= int(match[7][0] + "1") * (int(match[7][1:3]) * 3600 + int(match[7][4:6]) * 60)
    return seconds


def number(value):
    """A JSON number or a text that is one, as a float; None for anything else."""
    if isinstance(value, bool) or value is None or value is MISSING:
        return None
    return float(value) if not isinstance(value, str) or NUMBER.match(value) else None


def spelled(value):
    """A scalar as text: whole numbers in decimal, flags as words; None for the rest."""
    if value is MISSING or value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**63 else None


def shortest(edge):
    return str(int(edge)) if float(edge).is_integer() else repr(float(edge))


class Dimension:
    """Total: every value has a label. A label, sent as the value, is its own bucket."""

    AGENTS = agents.Agents()

    def __init__(self, name, plan):
        self.name, self.field = name, plan.get("field")
        self.partitions = plan.get("partitions") == "devices"
        (self.kind,) = set(plan) - {"title", "field", "partitions"}
        self.rule = plan[self.kind]
        self.labels = self.all_labels()

    def all_labels(self):
        rule = self.rule
        if self.kind == "list":
            return list(rule) + ["other"]
        if self.kind == "operating_system":
            return (OPERATING_SYSTEMS if rule == "standard" else rule) + ["other"]
        if self.kind == "browser":
            return (agents.STANDARD_BROWSERS if rule == "standard" else rule) + ["other"]
        if self.kind == "device_class":
            return ["phone", "tablet", "desktop", "bot", "other"]
        if self.kind == "screen":
            return ["small", "medium", "large", "other"]
        if self.kind in ("memory", "cores", "bands"):
            edges = self.edges()
            inner = [f"{shortest(low)}-{shortest(high)}" for low, high in zip(edges, edges[1:])]
            return [f"<{shortest(edges[0])}", *inner, f">={shortest(edges[-1])}", "other"]
        if self.kind == "language":
            return rule + ["other"]
        if self.kind == "time":
            return ([f"{hour:02}" for hour in range(24)] if rule == "hour" else WEEKDAYS) + ["other"]
        raise ValueError(self.kind)

    def edges(self):
        return [4, 8, 16] if self.rule == "standard" else self.rule

    def bucket(self, value, at, event):
        if self.kind == "time":
            moment = datetime.datetime.fromtimestamp(at, datetime.timezone.utc)
            return f"{moment.hour:02}" if self.rule == "hour" else WEEKDAYS[moment.weekday()]
        if self.field == "event":
            value = event
        if isinstance(value, str) and value in self.labels:
            return value
        return getattr(self, self.kind)(value)

    def list(self, value):
        text = spelled(value)
        if isinstance(self.rule, dict):
            return next((label for label, values in self.rule.items() if text in map(str, values)), "other")
        return text if text in self.rule else "other"

    def bands(self, value):
        found = number(value)
        return "other" if found is None else self.labels[sum(edge <= found for edge in self.edges())]

    memory = cores = bands

    def screen(self, value):
        if isinstance(value, str) and re.search("[xX]", value):
            sides = [number(side) for side in re.split("[xX]", value, maxsplit=1)]
            side = None if None in sides else min(sides)
        else:
            side = number(value)
        if side is None or side <= 0:
            return "other"
        return "small" if side < 600 else "medium" if side < 1024 else "large"

    def language(self, value):
        match = re.match(r"([A-Za-z]+)(?=[-_.@,;]|$)", value) if isinstance(value, str) else None
        return match[1].lower() if match and match[1].lower() in self.rule else "other"

    def operating_system(self, value):
        return agents.chosen(self.AGENTS.read(value)[1], agents.SYSTEMS, self.labels[:-1]) if isinstance(value, str) else "other"

    def browser(self, value):
        return agents.chosen(self.AGENTS.read(value)[0], agents.BROWSERS, self.labels[:-1]) if isinstance(value, str) else "other"

    def device_class(self, value):
        return self.AGENTS.read(value)[2] if isinstance(value, str) else "other"
